#ifndef BASE_FIELD_H
#define BASE_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/// One table describes one struct of the scenario file: the parser, the defaults, the JSON Schema, the help and the
/// resolved echo all come from it. A table ends with a row whose name is NULL. Every struct that a table describes
/// starts with `uint64_t given;`: bit i is set when the user wrote the key of row i.
enum field_kind {
    FIELD_INTEGER,  ///< int64_t in [min, max]
    FIELD_BOOLEAN,  ///< bool
    FIELD_CHOICE,   ///< int: the index into `choices`
    FIELD_TEXT,     ///< const char *, NULL when absent
    FIELD_NODE,     ///< const char *: a node by number or name ("6" for the JSON number 6); NULL when absent
    FIELD_BYTES,    ///< int64_t bytes, "64KiB"; where `word` is set, that word stands for 0
    FIELD_RATE,     ///< int64_t bytes per second, "45GB/s", "400Gbps"
    FIELD_TIME,     ///< int64_t ticks, rounded up, "1.5us"
    FIELD_INTEGERS, ///< struct integers: a list of numbers, each in [min, max]
    FIELD_OBJECT,   ///< a struct held in place, described by `fields`
    FIELD_LIST,     ///< struct records: a list of objects described by `fields`, each of `item_size` bytes
    FIELD_VARIANT,  ///< struct variant: an object whose key "type" picks from `family`, or just that name
    FIELD_VARIANTS, ///< struct records of struct variant
    FIELD_LINK,     ///< struct link_config: an object, or a preset's name
    FIELD_LINKS,    ///< struct records of struct link_config
    FIELD_TIMES,    ///< struct records of struct rank_time: {"3": "5ms"}
    FIELD_TEXTS,    ///< struct records of const char *
    FIELD_NODES,    ///< struct records of struct node_config: a count, or a list of {"name", "kind"}
    FIELD_SIZES,    ///< struct records of int64_t bytes
    FIELD_MATRIX,   ///< struct matrix: a list of lists of sizes (where max > 0: of numbers in [min, max]), or the name of a CSV file
    FIELD_DECIMAL,  ///< int64_t millionths in [min, max]: a number with at most six decimals, 0.85
    FIELD_SCHEDULE, ///< const struct custom_schedule *: the name of a JSON file, NULL when absent
    FIELD_TRACE,    ///< const struct request_trace *: the name of a file of requests, NULL when absent
    // Only in schedule files; `choices` are the names that may occur.
    FIELD_EXPRESSION, ///< const struct expression *: an integer or an expression; NULL when absent
    FIELD_RANGE,      ///< struct expression_range: "first..last", both inside, or one expression
    FIELD_NAMES,      ///< no place: {"name": expression}, names for later expressions that have the same `choices`
};

enum { FIELD_REQUIRED = 1 };

/// What FIELD_DECIMAL counts in.
#define MILLION INT64_C(1000000)

struct field {
    const char *name;
    enum field_kind kind;
    size_t offset;
    unsigned flags;
    int64_t fallback;           ///< the default of INTEGER, DECIMAL, BOOLEAN, CHOICE, BYTES, RATE and TIME; the others start empty
    int64_t min, max;           ///< INTEGER, DECIMAL, INTEGERS: allowed values; BYTES, RATE, TIME: allowed where max > 0; lists: how many
    const char *const *choices; ///< CHOICE: names, NULL at the end
    const char *word; ///< BYTES: a word that stands for 0, such as "whole"; VARIANT: the default type; OBJECT: a bare text is this key
    const struct field *fields;  ///< OBJECT, LIST
    size_t item_size;            ///< LIST
    const struct family *family; ///< VARIANT, VARIANTS
    const char *help;            ///< one line for --help and the schema
    const char *example;         ///< as it stands in JSON
    /// TEXT: the names that mean something, NULL after the last; other texts are refused by a check. NULL: any text may do.
    const char *(*known)(size_t index);
};

struct integers {
    size_t count;
    int64_t *values;
};

struct records {
    size_t count;
    void *items;
};

struct matrix {
    size_t rows, columns;
    int64_t *values; ///< row-major
    const char *file;
};

/// One kind of a thing of which there are several (a topology, a workload), as the parser sees it. A type whose only
/// row is named "" is written as that row's list itself (a mapping by list), never by its name.
struct variant_type {
    const char *name;    ///< the value of "type"
    const char *summary; ///< one line
    const struct field *fields;
    size_t config_size;
    /// Checks what no single row can: false with error_at(err, "key", …) when the values do not fit together.
    bool (*check)(const void *config, struct error *err);
};

/// All kinds of one thing, sorted by name; `types` ends with NULL.
struct family {
    const char *noun; ///< "topology", "workload": for messages
    const struct variant_type *const *types;
};

struct variant {
    const struct variant_type *type;
    void *config;
};

struct link_config {
    int64_t bandwidth_bytes_per_s;
    int64_t latency_ticks;
    bool from_alpha;    ///< the latency is half of a path's alpha: only where paths lead through one switch
    const char *preset; ///< the name the user wrote, or NULL
};

struct rank_time {
    int64_t rank;
    int64_t ticks;
};

struct node_config {
    const char *name; ///< NULL when the nodes were given as a count
    bool is_switch;
};

/// Whether the user wrote the key `name` of the struct `config` that `fields` describes.
bool field_given(const struct field *fields, const void *config, const char *name);

/// Fills a zeroed struct with the defaults of its table, nested objects included.
void field_defaults(const struct field *fields, void *config);

/// The row of that name, or NULL.
const struct field *field_find(const struct field *fields, const char *name);

#endif
