// Traces of requests, one a line. What the first line looks like tells the format:
// {"timestamp": ms, "input_length", "output_length", "hash_ids": […]}   Mooncake (FAST'25)
// TIMESTAMP,ContextTokens,GeneratedTokens                              Azure's LLM inference traces (date, time)
// time,input,output (the header may be missing)                        seconds
#include "scenario/read_trace.h"

#include <stdlib.h>
#include <string.h>

#include "scenario/reader.h"

static const char azure_header[] = "TIMESTAMP,ContextTokens,GeneratedTokens", plain_header[] = "time,input,output";

void trace_fault(struct trace_reader *trace, const char *format, ...) {
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ARRAY_RESERVE(trace->faults, trace->fault_capacity, trace->fault_count + 1);
    trace->faults[trace->fault_count++] = (struct trace_fault){trace->line, arena_copy_text(trace->arena, text)};
}

/// A decimal number of seconds with at most nine decimals, as nanoseconds; returns where it ends, NULL where it is none.
static const char *parse_seconds(const char *text, int64_t *ns) {
    size_t whole = strspn(text, "0123456789");
    if (whole == 0 || whole > 9) return NULL;
    int64_t value = strtoll(text, NULL, 10) * NS_PER_S, unit = NS_PER_S / 10;
    text += whole;
    if (*text == '.') {
        size_t decimals = strspn(++text, "0123456789");
        if (decimals == 0 || decimals > 9) return NULL;
        for (; decimals > 0; decimals--, unit /= 10) value += (*text++ - '0') * unit;
    }
    *ns = value;
    return text;
}

/// Digits of a fixed count, within limits.
static bool take_digits(const char **text, int count, int least, int most, int *out) {
    *out = 0;
    for (int i = 0; i < count; i++, (*text)++) {
        if (**text < '0' || **text > '9') return false;
        *out = *out * 10 + (**text - '0');
    }
    return *out >= least && *out <= most;
}

static bool take_mark(const char **text, char mark) {
    if (**text != mark) return false;
    (*text)++;
    return true;
}

static bool is_leap(int year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

/// Days of the Gregorian calendar since 1 January of year 1.
static int64_t days_before(int year, int month, int day) {
    static const int before_month[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    int64_t past = year - 1;
    return past * 365 + past / 4 - past / 100 + past / 400 + before_month[month - 1] + (month > 2 && is_leap(year)) + day - 1;
}

static int days_in(int year, int month) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap(year));
}

/// "2023-11-16 18:17:03.9799600" as nanoseconds since the year before it began (a trace may cross a new year).
static const char *parse_date(struct trace_reader *trace, const char *text, int64_t *ns) {
    int year, month, day, hour, minute, second;
    int64_t in_second;
    if (!take_digits(&text, 4, 1, 9999, &year) || !take_mark(&text, '-') || !take_digits(&text, 2, 1, 12, &month) ||
        !take_mark(&text, '-') || !take_digits(&text, 2, 1, days_in(year, month), &day) || !take_mark(&text, ' ') ||
        !take_digits(&text, 2, 0, 23, &hour) || !take_mark(&text, ':') || !take_digits(&text, 2, 0, 59, &minute) || !take_mark(&text, ':'))
        return NULL;
    const char *end = parse_seconds(text, &in_second);
    if (!end || !take_digits(&text, 2, 0, 59, &second) || (text != end && *text != '.')) return NULL;
    if (!trace->first_year) trace->first_year = year;
    int64_t days = days_before(year, month, day) - days_before(trace->first_year, 1, 1);
    if (days < 0 || days > 36500) return NULL;
    *ns = ((days * 24 + hour) * 60 + minute) * 60 * NS_PER_S + in_second;
    return end;
}

static const char *parse_tokens(const char *text, int64_t *tokens) {
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 12) return NULL;
    *tokens = strtoll(text, NULL, 10);
    return text + digits;
}

void trace_add(struct trace_reader *trace, const struct llm_request *request) {
    if (request->input <= 0 || request->output <= 0) {
        trace_fault(trace, "%lld tokens in, %lld out: both must be at least 1", (long long)request->input, (long long)request->output);
        return;
    }
    if (request->input > MOST_TOKENS || request->output > MOST_TOKENS) {
        trace_fault(trace, "%lld tokens in, %lld out: more than 10^9", (long long)request->input, (long long)request->output);
        return;
    }
    int64_t last = trace->count > 0 ? trace->items[trace->count - 1].arrival_ns : 0;
    if (request->arrival_ns < last) {
        trace_fault(trace, "the time runs backwards, by %.9g s", (double)(last - request->arrival_ns) / (double)NS_PER_S);
        return;
    }
    ARRAY_RESERVE(trace->items, trace->capacity, trace->count + 1);
    trace->items[trace->count] = *request;
    trace->items[trace->count++].line = trace->line;
}

static void read_csv_line(struct trace_reader *trace, const char *text, bool dates) {
    struct llm_request request = {0};
    const char *end = dates ? parse_date(trace, text, &request.arrival_ns) : parse_seconds(text, &request.arrival_ns);
    if (!end || *end != ',') {
        trace_fault(trace, "%s",
                    dates ? "expected a time such as \"2023-11-16 18:17:03.9799600\" and a comma"
                          : "expected a time in seconds with at most nine decimals, such as \"1.25\", and a comma");
        return;
    }
    end = parse_tokens(end + 1, &request.input);
    end = end && *end == ',' ? parse_tokens(end + 1, &request.output) : NULL;
    if (!end || *end)
        trace_fault(trace, "expected three columns: time, tokens in, tokens out");
    else
        trace_add(trace, &request);
}

static char *cut_line(char **rest) {
    char *line = *rest, *end = strchr(line, '\n');
    *rest = end ? end + 1 : line + strlen(line);
    if (end) *end = '\0';
    size_t length = strlen(line);
    while (length && strchr(" \t\r", line[length - 1])) line[--length] = '\0';
    return line + strspn(line, " \t");
}

static void read_lines(struct trace_reader *trace, char *text) {
    bool json = text[strspn(text, " \t\r\n")] == '{', dates = false, first = true;
    while (*text) {
        const char *line = cut_line(&text);
        trace->line++;
        if (!*line) continue;
        bool azure = first && !strcmp(line, azure_header), plain = first && !strcmp(line, plain_header);
        first = false;
        dates |= azure;
        if (azure || plain) continue;
        if (json)
            read_json_request(trace, line);
        else
            read_csv_line(trace, line, dates);
    }
}

/// Times count from the first request.
static void shift_to_start(struct trace_reader *trace) {
    int64_t start = trace->count > 0 ? trace->items[0].arrival_ns : 0;
    for (size_t i = 0; i < trace->count; i++) trace->items[i].arrival_ns -= start;
}

static const void *keep(struct arena *arena, const void *items, size_t bytes) {
    return bytes ? memcpy(arena_allocate(arena, bytes), items, bytes) : NULL;
}

void read_trace(struct reader *reader, const struct field *field, const json_t *value, void *place) {
    (void)field;
    if (!json_is_string(value)) {
        reader_expected(reader, "the name of a file of requests", value);
        return;
    }
    size_t length;
    char *text = read_named_text(reader, json_string_value(value), &length);
    if (!text) return;
    struct trace_reader trace = {.arena = reader->arena};
    if (strlen(text) != length)
        reader_problem(reader, "%s holds a NUL byte; it is no trace", json_string_value(value));
    else
        read_lines(&trace, text);
    shift_to_start(&trace);
    struct request_trace *out = arena_allocate(reader->arena, sizeof *out);
    *out = (struct request_trace){
        .file = arena_copy_text(reader->arena, json_string_value(value)),
        .count = trace.count,
        .fault_count = trace.fault_count,
        .items = keep(reader->arena, trace.items, trace.count * sizeof *trace.items),
        .faults = keep(reader->arena, trace.faults, trace.fault_count * sizeof *trace.faults),
    };
    *(const struct request_trace **)place = out;
    free(trace.items);
    free(trace.faults);
    free(text);
}
