#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "cli/texts.h"
#include "report/links.h"

/// The options of all commands: one table per command drives parsing and --help.

enum color_mode { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct options {
    bool help, json, json_lines, markdown, quiet, no_progress;
    const char *csv; ///< the table's name, "" for the default; NULL: no CSV
    int color;       ///< enum color_mode
    bool links_given;
    struct link_selection links;
    struct texts set;                                    ///< "network.chunk=64KiB"
    struct texts settings;                               ///< the same, from options that stand for one key of the scenario
    struct texts vary;                                   ///< "mapping=snake,linear"
    const char *topology, *link, *nic_link, *collective; ///< of a run without a file, as written
    const char *proof;                                   ///< auto, on, off; NULL: auto
    const char *system;                                  ///< "dgx-h100:4"
    const char *engine;                                  ///< auto, heap, window; NULL: auto
    const char *shortcuts;                               ///< all, none, or names with commas between; NULL: all
    int64_t threads;                                     ///< 0: as many as pay
    const char *until;                                   ///< a time; NULL: no limit
    int64_t max_events, max_memory_bytes;                ///< 0: no limit
    int64_t jobs;                                        ///< worker processes; 0: one per core
    int64_t bins, top;                                   ///< of a trace; 0: the default
    const char *svg;
    const char *heat; ///< what colours links in pictures; NULL: utilization
    struct texts operands;
};

enum option_kind {
    OPTION_FLAG,    ///< bool
    OPTION_TEXT,    ///< const char *
    OPTION_MAYBE,   ///< const char *, "" without a value; a value is given as --name=value only
    OPTION_TEXTS,   ///< struct texts, may be given several times
    OPTION_COUNT,   ///< int64_t, at least 1
    OPTION_BYTES,   ///< int64_t, "4GiB"
    OPTION_COLOR,   ///< int
    OPTION_LINKS,   ///< struct link_selection
    OPTION_SETTING, ///< adds "key=value" to options.settings
};

struct option {
    const char *name; ///< without the dashes
    char letter;      ///< 'j' for -j, or 0
    enum option_kind kind;
    size_t offset;     ///< in struct options
    const char *value; ///< what --help calls the value; NULL for flags
    const char *help;
    const char *key; ///< SETTING: of the scenario
};

/// Options that belong together; a list of groups ends with one whose title is NULL.
struct option_group {
    const char *title;
    const struct option *options; ///< ends with a row whose name is NULL
};

extern const struct option common_options[], scenario_options[], network_options[], workload_options[], limit_options[];

/// Parses the arguments after the command's name. ERROR_INPUT names the option and the nearest known one.
bool options_parse(const struct option_group *groups, int argc, char **argv, struct options *out, struct error *err);
void options_free(struct options *options);

/// The index of an option's value among `names` (NULL at the end), 0 where it is NULL; ERROR_INPUT for none of them.
bool choose_one(const char *option, const char *value, const char *const *names, int *index, struct error *err);

/// "--engine: "heep" is none of auto, heap, window (did you mean "heap"?)"; `known` stands for the list where it is not NULL.
bool refuse_value(const char *option, const char *value, const char *known, const char *const *names, struct error *err);

/// Prints the groups as --help shows them.
void options_print(const struct option_group *groups, FILE *out);

/// Whether text that goes to `descriptor` may be coloured: --color, NO_COLOR, and only terminals.
bool options_color(const struct options *options, int descriptor);

/// Whether the environment says that the terminal shows UTF-8, whether or not that locale is installed here.
bool options_utf8(void);

#endif
