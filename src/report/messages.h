#ifndef REPORT_MESSAGES_H
#define REPORT_MESSAGES_H

#include <stdio.h>

#include "record/ideal_time.h"
#include "record/message_log.h"
#include "record/result.h"

/// The slowdown of messages: their time over that on an idle network; quantiles by the nearest rank.
struct slowdown {
    size_t count; ///< messages that have one: delivered, and not reduced by the network
    double median, p90, p99, most;
    struct logged_message worst; ///< with the largest, the first of equals
};

/// Every message as CSV; `out` may be NULL, for the figures alone. A message that was not delivered has no time of
/// delivery, and one that the network reduces no ideal time.
struct slowdown report_messages(const struct message_log *log, struct ideal_time *ideal, const struct run_result *result, FILE *out);

/// Lines for people.
void report_slowdown(const struct slowdown *slowdown, FILE *out);

#endif
