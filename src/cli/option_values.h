#ifndef CLI_OPTION_VALUES_H
#define CLI_OPTION_VALUES_H

#include "cli/options.h"

/// What the shell may propose as an option's value, from the tables of the scenario, of shapes, algorithms and presets, and from the
/// choices that the option's own row names ("auto|always|never"). A value that ends in ':' or '=' goes on.
void option_values(const struct option *option, struct texts *out);

/// Whether the value is a file or a folder.
bool option_takes_path(const struct option *option);

/// The dotted key that ends in a name ("algorithm", "send-overhead"): "workload.algorithm", "costs.send_overhead"; the shortest of
/// several, not of a system. NULL: there is none, or it stands at the top. The caller frees it.
char *scenario_key_ending(const char *name);

/// All keys that --set and --vary take, dotted ("network.chunk"), variants of all types included.
void scenario_keys(struct texts *out);

#endif
