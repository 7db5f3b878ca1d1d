"""The rows of the table, one module for each part of the lecture; all of them are imported. What a question fixes (sizes,
devices) is in the rows or their scenarios; what it states as an answer is in figures.json only."""

import importlib
import pkgutil

for module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{module.name}")
