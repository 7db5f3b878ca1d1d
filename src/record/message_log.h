#ifndef RECORD_MESSAGE_LOG_H
#define RECORD_MESSAGE_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "record/observers.h"

/// Every message of a run: when it was posted and delivered. 48 bytes a message.
struct message_log;

struct logged_message {
    int64_t bytes, posted_ticks;
    int64_t delivered_ticks; ///< -1: not in the end
    uint32_t from, to;       ///< ranks
    uint32_t order, minor;   ///< by which an endpoint's messages of one instant are numbered
    uint32_t number;         ///< the sender's message number (model.md); set by message_log_finish
    uint32_t posted;         ///< 0: there is no such message
};

struct message_log *message_log_create(void);
void message_log_free(struct message_log *log);
struct recorder message_log_recorder(struct message_log *log);

/// To be called once, after the run: sorts by time of posting, then sender, then the sender's number, and sets the numbers.
void message_log_finish(struct message_log *log);

/// After message_log_finish; returns how many.
size_t message_log_all(const struct message_log *log, const struct logged_message **messages);

#endif
