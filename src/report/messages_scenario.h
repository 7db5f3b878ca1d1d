#ifndef REPORT_MESSAGES_SCENARIO_H
#define REPORT_MESSAGES_SCENARIO_H

#include <stdio.h>

#include "record/message_log.h"
#include "scenario/scenario.h"

/// ERROR_OUTPUT where the messages cannot be written as a scenario: some were reduced by the network.
bool messages_scenario_possible(const struct message_log *log, const char *file, struct error *err);

/// The scenario with its workload replaced by the messages that it posted, in the order of posting. Each has the time at
/// which it was posted; with `after`, one that was posted in the very instant in which its sender received others comes
/// after those instead. Either way it is posted in the same instant again and has the same number, so the run has the
/// same digest.
void report_messages_scenario(const struct message_log *log, const struct scenario *scenario, bool after, FILE *out);

#endif
