// Trace events by the rules of their format ("Trace Event Format", Google 2016), over runs of every kind.
#include <check.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/perfetto.h"
#include "report/random_run.h"
#include "report/sparkline.h"
#include "report/written.h"

enum { RANDOM_RUNS = 60, MOST_NESTED = 16, MOST_THREADS = 200, MOST_ARROWS = 20000 };

static double number_of(const json_t *event, const char *key) {
    ck_assert_msg(json_is_number(json_object_get(event, key)), "no number \"%s\" in %s", key, json_dumps(event, 0));
    return json_number_value(json_object_get(event, key));
}

static const char *text_of(const json_t *event, const char *key) {
    ck_assert_msg(json_is_string(json_object_get(event, key)), "no text \"%s\" in %s", key, json_dumps(event, 0));
    return json_string_value(json_object_get(event, key));
}

/// What is known of a document while its events are walked.
struct walk {
    double last_ts;
    double open[MOST_THREADS][MOST_NESTED]; ///< ends of the open slices of each thread
    int depth[MOST_THREADS];
    double arrow_start[MOST_ARROWS]; ///< by id; below 0: not open
    size_t slices, counters, instants, arrows, metadata;
};

/// Slices of one thread lie inside one another or apart.
static void check_slice(struct walk *walk, const json_t *event, int thread) {
    const double rounding = 1e-6; // of doubles; a tick is 1e-9
    double start = number_of(event, "ts"), end = start + number_of(event, "dur");
    ck_assert_double_ge(number_of(event, "dur"), 0);
    int *depth = &walk->depth[thread];
    while (*depth > 0 && walk->open[thread][*depth - 1] <= start + rounding) (*depth)--;
    if (*depth > 0) ck_assert_double_le(end, walk->open[thread][*depth - 1] + rounding);
    ck_assert_int_lt(*depth, MOST_NESTED);
    walk->open[thread][(*depth)++] = end;
    walk->slices++;
}

static void check_counter(struct walk *walk, const json_t *event) {
    const char *key;
    json_t *value;
    const json_t *args = json_object_get(event, "args");
    ck_assert_uint_ge(json_object_size(args), 1);
    json_object_foreach((json_t *)args, key, value) {
        ck_assert(json_is_number(value));
        ck_assert_double_ge(json_number_value(value), 0);
        ck_assert_double_le(json_number_value(value), 100);
    }
    walk->counters++;
}

static void check_arrow(struct walk *walk, const json_t *event, bool starts) {
    json_int_t id = json_integer_value(json_object_get(event, "id"));
    ck_assert(json_is_integer(json_object_get(event, "id")) && id >= 0 && id < MOST_ARROWS);
    text_of(event, "cat");
    if (starts) {
        ck_assert_double_lt(walk->arrow_start[id], 0);
        walk->arrow_start[id] = number_of(event, "ts");
        return;
    }
    ck_assert_str_eq(text_of(event, "bp"), "e");
    ck_assert_double_ge(walk->arrow_start[id], 0);
    ck_assert_double_lt(walk->arrow_start[id], number_of(event, "ts"));
    walk->arrow_start[id] = -1;
    walk->arrows++;
}

static void check_event(struct walk *walk, const json_t *event) {
    const char *ph = text_of(event, "ph");
    double ts = number_of(event, "ts");
    text_of(event, "name");
    ck_assert(json_is_integer(json_object_get(event, "pid")) && json_is_integer(json_object_get(event, "tid")));
    int thread = (int)json_integer_value(json_object_get(event, "tid"));
    ck_assert(thread >= 0 && thread < MOST_THREADS);
    ck_assert_double_ge(ts, walk->last_ts);
    walk->last_ts = ts;
    ck_assert_uint_eq(strlen(ph), 1);
    switch (*ph) {
    case 'M':
        ck_assert_uint_eq(json_object_size(json_object_get(event, "args")), 1);
        walk->metadata++;
        break;
    case 'X': check_slice(walk, event, thread); break;
    case 'C': check_counter(walk, event); break;
    case 's': check_arrow(walk, event, true); break;
    case 'f': check_arrow(walk, event, false); break;
    case 'i':
        ck_assert_str_eq(text_of(event, "s"), "t");
        walk->instants++;
        break;
    default: ck_abort_msg("an event of the unknown kind %s", ph);
    }
}

static json_t *load(const struct written *written, const char *name) {
    char *text = file_text(written->directory, name);
    ck_assert_msg(text != NULL, "%s", written->error.text);
    json_error_t where;
    json_t *document = json_loads(text, JSON_REJECT_DUPLICATES, &where);
    ck_assert_msg(document != NULL, "%s at line %d", where.text, where.line);
    free(text);
    return document;
}

static struct walk *check_document(const json_t *document) {
    struct walk *walk = calloc(1, sizeof *walk);
    for (int i = 0; i < MOST_ARROWS; i++) walk->arrow_start[i] = -1;
    const json_t *events = json_object_get(document, "traceEvents");
    ck_assert(json_is_array(events));
    for (size_t i = 0; i < json_array_size(events); i++) check_event(walk, json_array_get(events, i));
    for (int i = 0; i < MOST_ARROWS; i++) ck_assert_double_lt(walk->arrow_start[i], 0);
    return walk;
}

START_TEST(random_runs_follow_the_format) {
    struct random_stream stream;
    char text[SCENARIO_SIZE];
    random_seed(&stream, 11);
    for (int i = 0; i < RANDOM_RUNS; i++) {
        struct written written;
        char *scenario = random_scenario(&stream, text);
        scenario[strlen(scenario) - 1] = '\0'; // one more key
        run_and_write(&written, NULL, "%s, 'output': {'perfetto': {'file': 'p.json', 'messages': true, 'links': 5}}}", scenario);
        json_t *document = load(&written, "p.json");
        struct walk *walk = check_document(document);
        ck_assert_uint_eq(walk->arrows, written.simulation.result.messages);
        ck_assert_uint_ge(walk->slices, 2 * walk->arrows);
        if (written.simulation.result.collective_count > 0) ck_assert_uint_eq(walk->instants, 1); // rank 1 is late
        free(walk);
        json_decref(document);
        written_free(&written);
    }
}
END_TEST

static const json_t *find_event(const json_t *document, const char *ph, const char *name, size_t skip) {
    const json_t *events = json_object_get(document, "traceEvents");
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        if (!strcmp(text_of(event, "ph"), ph) && !strcmp(text_of(event, "name"), name) && skip-- == 0) return event;
    }
    return NULL;
}

static void assert_event(const json_t *document, const char *ph, const char *name, size_t skip, const char *expected) {
    const json_t *event = find_event(document, ph, name, skip);
    ck_assert_msg(event != NULL, "no event %s \"%s\"", ph, name);
    char *text = json_dumps(event, JSON_COMPACT);
    ck_assert_str_eq(text, expected);
    free(text);
}

// Two ranks, each sends the other a block of 1 MB in either phase: at 1 GB/s and 1 us a step takes 1001 us.
START_TEST(two_ranks_by_hand) {
    struct written written;
    run_and_write(
        &written, NULL,
        "{'tick': '1ps', 'network': {'chunk': 'whole', 'topology': {'type': 'ring', 'endpoints': 2, 'link': {'bandwidth': '1GB/s', "
        "'latency': '1us'}}}, 'workload': {'type': 'collective', 'collective': 'all-reduce', 'algorithm': 'ring', 'size': '2MB', "
        "'start': {'1': '5us'}}, 'output': {'perfetto': 'p.json'}}");
    json_t *document = load(&written, "p.json");
    free(check_document(document));
    // Rank 1 has the first message at 1001 us and posts its second then, behind its first on the link until 1005 us: it
    // comes at 2006 us. Rank 0 has rank 1's first at 1006 us, posts then, and rank 1 ends at 2007 us.
    assert_event(document, "X", "all-reduce/ring", 0,
                 "{\"ph\":\"X\",\"name\":\"all-reduce/ring\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":2006}");
    assert_event(document, "X", "all-reduce/ring", 1,
                 "{\"ph\":\"X\",\"name\":\"all-reduce/ring\",\"pid\":1,\"tid\":2,\"ts\":5,\"dur\":2002}");
    assert_event(document, "X", "reduce-scatter", 0,
                 "{\"ph\":\"X\",\"name\":\"reduce-scatter\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1006}");
    assert_event(document, "X", "step 1/1", 0, "{\"ph\":\"X\",\"name\":\"step 1/1\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":1006}");
    assert_event(document, "i", "starts 5 us late", 0,
                 "{\"ph\":\"i\",\"name\":\"starts 5 us late\",\"pid\":1,\"tid\":2,\"s\":\"t\",\"ts\":5}");
    assert_event(document, "M", "thread_name", 1,
                 "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":2,\"ts\":0,\"args\":{\"name\":\"rank 1\"}}");
    ck_assert_ptr_null(find_event(document, "M", "note", 0));
    json_decref(document);
    written_free(&written);
}
END_TEST

// 64 ranks of 126 steps each are more than 1000 events, and the file says what is left out.
START_TEST(large_runs_are_thinned) {
    struct written written;
    run_and_write(
        &written, NULL,
        "{'network': {'topology': {'type': 'ring', 'endpoints': 64, 'link': {'bandwidth': '1GB/s', 'latency': '1us'}}}, 'workload': "
        "{'type': 'collective', 'collective': 'all-reduce', 'algorithm': 'ring', 'size': '1MB'}, 'output': "
        "{'perfetto': {'file': 'p.json', 'events': 1000, 'messages': true}}}");
    json_t *document = load(&written, "p.json");
    struct walk *walk = check_document(document);
    const json_t *note = find_event(document, "M", "note", 0);
    ck_assert_ptr_nonnull(note);
    // 129 spans a rank, at most 500 of them: ranks 0, 32. Of 64 * 126 = 8064 messages one in ceil(8064 / 125) = 65.
    const char *text = json_string_value(json_object_get(json_object_get(note, "args"), "text"));
    ck_assert_str_eq(text, "thinned: only the ranks that are multiples of 32 are shown; one message of 65 has an arrow");
    ck_assert_uint_le(walk->slices, 1000);
    ck_assert_uint_gt(walk->slices, 200);
    free(walk);
    json_decref(document);
    written_free(&written);
}
END_TEST

START_TEST(microseconds_are_exact) {
    char text[MICROSECONDS_SIZE];
    ck_assert_str_eq(format_microseconds(0, TICKS_PER_S_FS, text), "0");
    ck_assert_str_eq(format_microseconds(1, TICKS_PER_S_FS, text), "0.000000001");
    ck_assert_str_eq(format_microseconds(1, TICKS_PER_S_PS, text), "0.000001");
    ck_assert_str_eq(format_microseconds(INT64_MAX, TICKS_PER_S_FS, text), "9223372036.854775807");
    ck_assert_str_eq(format_microseconds(1500000000, TICKS_PER_S_FS, text), "1.5");
    ck_assert_str_eq(format_microseconds(100000000000, TICKS_PER_S_FS, text), "100");
}
END_TEST

START_TEST(signs_of_sparklines) {
    ck_assert_str_eq(spark(0, 8, false), " ");
    ck_assert_str_eq(spark(1, 1000, false), "▁");
    ck_assert_str_eq(spark(4, 8, false), "▄");
    ck_assert_str_eq(spark(7, 8, false), "▇");
    ck_assert_str_eq(spark(71, 80, false), "█");
    ck_assert_str_eq(spark(8, 8, true), "@");
    ck_assert_str_eq(spark(1, 8, true), ".");
    ck_assert_str_eq(spark(INT64_MAX, INT64_MAX, false), "█");
}
END_TEST

// Bins of 2^22 ticks of 1 ps: the link is busy in [0, 10) us of 11.
START_TEST(sparklines_by_hand) {
    struct simulation simulation;
    simulate(&simulation,
             "{'tick': '1ps', 'network': {'chunk': 'whole', 'topology': {'type': 'switch', 'endpoints': 2, 'link': {'bandwidth': "
             "'1GB/s', 'latency': '1us'}}}, 'workload': {'type': 'collective', 'collective': 'send', 'from': 0, 'to': 1, 'size': '10KB'}}");
    struct link_trace *trace = link_trace_create(simulation.result.link_count, (struct bin_rule){1, 4});
    const struct recorder recorder = link_trace_recorder(trace);
    struct observers observers = {0};
    struct run_result result;
    struct error err = {0};
    observers_add(&observers, &recorder);
    ck_assert(experiment_run(&simulation.experiment, &(struct run_limits){0}, &observers, &result, &err));
    link_trace_finish(trace, result.makespan_ticks);
    struct named_links links = named_links_choose(&simulation.experiment.topology->graph, &result, NULL, 2);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    report_sparklines(&(struct sparklines){trace, &links, &result, true}, out);
    fclose(out);
    // cut-through: the switch sends on from 1 to 11 us. Eighths of 4.194 us, rounded up: 8, 8, 1.611 us 4; 3.194 us 7, 8, 2.611 us 5
    ck_assert_str_eq(text, "\nbusy share of the hottest links (2), 3 bins of 4.194 us\n"
                           "  link       busy\n"
                           "  0->s0    83.3 %  @@=\n"
                           "  s0->1    83.3 %  #@+\n"
                           "             time  0 s 12.58 us\n");
    free(text);
    named_links_free(&links);
    observers_free(&observers);
    link_trace_free(trace);
    run_result_free(&result);
    simulation_free(&simulation);
}
END_TEST

Suite *test_perfetto_suite(void);
Suite *test_perfetto_suite(void) {
    Suite *suite = suite_create("perfetto");
    TCase *format = tcase_create("format");
    tcase_set_timeout(format, 60);
    tcase_add_test(format, random_runs_follow_the_format);
    tcase_add_test(format, two_ranks_by_hand);
    tcase_add_test(format, large_runs_are_thinned);
    tcase_add_test(format, microseconds_are_exact);
    suite_add_tcase(suite, format);
    TCase *terminal = tcase_create("terminal");
    tcase_add_test(terminal, signs_of_sparklines);
    tcase_add_test(terminal, sparklines_by_hand);
    suite_add_tcase(suite, terminal);
    return suite;
}
