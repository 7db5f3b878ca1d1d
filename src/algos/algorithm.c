#include "algos/algorithm.h"

#include <string.h>

#include "algos/custom.h"

const char *const collective_names[] = {
    [ALL_REDUCE] = "all-reduce", [REDUCE_SCATTER] = "reduce-scatter",
    [ALL_GATHER] = "all-gather", [BROADCAST] = "broadcast",
    [REDUCE] = "reduce",         [SCATTER] = "scatter",
    [GATHER] = "gather",         [ALL_TO_ALL] = "all-to-all",
    [BARRIER] = "barrier",       [SEND] = "send",
    [COLLECTIVE_KINDS] = NULL,
};

static const char *const default_names[COLLECTIVE_KINDS] = {
    [ALL_REDUCE] = "ring",  [REDUCE_SCATTER] = "ring", [ALL_GATHER] = "ring",   [BROADCAST] = "binomial",    [REDUCE] = "binomial",
    [SCATTER] = "binomial", [GATHER] = "binomial",     [ALL_TO_ALL] = "direct", [BARRIER] = "dissemination", [SEND] = "direct",
};

const struct algorithm *algorithm_find(enum collective_kind kind, const char *name) {
    for (size_t i = 0; algorithms[i]; i++)
        if (algorithms[i]->kind == kind && strcmp(algorithms[i]->name, name) == 0) return algorithms[i];
    return strcmp(name, "custom") == 0 ? custom_algorithm(kind) : NULL;
}

const struct algorithm *algorithm_default(enum collective_kind kind) { return algorithm_find(kind, default_names[kind]); }
