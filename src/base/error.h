#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

/// What kind of failure it is; the value is the program's exit code (scenario.md, "Exit codes").
enum error_kind {
    ERROR_NONE = 0,
    ERROR_INTERNAL = 1,   ///< a bug of weft itself
    ERROR_INPUT = 2,      ///< the user's scenario or command line
    ERROR_SIMULATION = 3, ///< stalled, unreachable, overflow
    ERROR_LIMIT = 4,      ///< --until, --max-events, --max-memory
    ERROR_ASSERTION = 5,  ///< an `assert` of the scenario does not hold
    ERROR_OUTPUT = 6,     ///< a file or stdout could not be written
};

/// A failure as a value. The first failure is kept: setting it again changes nothing.
struct error {
    enum error_kind kind;
    char where[128]; ///< JSON pointer below the object that was being read ("dims/0"), or empty
    char text[1024]; ///< what is wrong and what would be right, one sentence, no newline at the end
};

/// Records a failure and returns false, so that callers write `return error_set(...)`.
bool error_set(struct error *err, enum error_kind kind, const char *format, ...) __attribute__((format(printf, 3, 4)));

/// As error_set with ERROR_INPUT, naming the key (a pointer relative to the object) that is wrong.
bool error_at(struct error *err, const char *where, const char *format, ...) __attribute__((format(printf, 3, 4)));

/// A bug or no memory: prints the message to stderr and ends the process with exit code 1.
_Noreturn void fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
