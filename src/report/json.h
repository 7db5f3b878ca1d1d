#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include <jansson.h>
#include <stdio.h>

#include "record/result.h"
#include "report/json_writer.h"
#include "report/links.h"

/// Prints a run as one document (scenario.md, "Commands"). `scenario` is the resolved scenario.
void report_json(const struct run_result *result, const json_t *scenario, struct link_selection links, FILE *out);

/// The members that documents of all commands begin with.
void put_head(struct json_writer *json);

/// {"ticks", "seconds"}
void put_time(struct json_writer *json, const char *key, int64_t ticks, int64_t ticks_per_s);

/// A jansson value, on one line, its keys in their own order.
void put_value(struct json_writer *json, const char *key, const json_t *value);

/// 32 hex digits.
void put_digest(struct json_writer *json, const char *key, struct digest digest);

#endif
