#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stddef.h>

/// A user's text as a message shows it: in double quotes, control characters escaped, cut to 48 characters.
/// `out` has TEXT_QUOTE_SIZE bytes.
enum { TEXT_QUOTE_SIZE = 320 };
char *text_quote(const char *text, char *out);

/// A formatted text of any length; the caller frees it.
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *text_format_list(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/// How many single-character edits (insert, delete, replace, swap of neighbours) lead from a to b; letter case and
/// '-' against '_' count nothing. Texts above 63 characters are never near.
size_t text_distance(const char *a, const char *b);

/// The choice (a list that ends with NULL) that the user most likely meant, or NULL when none is near.
const char *text_nearest(const char *text, const char *const *choices);

/// ` (did you mean "…"?)` with that choice, or nothing. `out` has TEXT_MEANT_SIZE bytes.
enum { TEXT_MEANT_SIZE = 128 };
char *text_meant(const char *text, const char *const *choices, char *out);

/// "linear, random, snake"; what does not fit into `size` bytes is left out.
char *text_join(const char *const *names, char *out, size_t size);

#endif
