// Measures the simulator: `make bench` (docs/speed.md says how to read it).
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "engine/sim_state.h"
#include "measure.h"
#include "peers.h"
#include "table.h"

struct options {
    const char *groups, *row, *engines; ///< comma lists; NULL: the usual
    const char *yardstick, *simgrid;    ///< programs, or NULL
    uint32_t repeats;
    bool markdown;
};

static bool listed(const char *list, const char *name) {
    size_t length = strlen(name);
    for (const char *at = list; (at = strstr(at, name)) != NULL; at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) return true;
    return false;
}

#ifdef __clang__
static const char compiler[] = "clang " __clang_version__;
#else
static const char compiler[] = "gcc " __VERSION__;
#endif

static void print_machine(const struct options *options) {
    char line[256], cpu[256] = "unknown";
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "model name : %255[^\n]", cpu) == 1) break;
    if (file) fclose(file);
    printf("%s, %ld cores, of which one is used but by rows of two threads; compiled by %s.\n", cpu, sysconf(_SC_NPROCESSORS_ONLN),
           compiler);
    printf("CPU time of posting and running (of threads: time by the clock on the wall); the best of up to %" PRIu32
           " runs (fewer where they take longer than %d s, more where less than %d ms), each in a process "
           "of its own.\n",
           options->repeats, ENOUGH_S, LEAST_MS);
}

static void print_sizes(void) {
    printf("\nMemory: a link %zu bytes (%zu of them its state, %zu what it has carried, %zu its far end with room for a chunk, %zu its "
           "queue's "
           "peak, %zu its description), a message under way %zu, a further chunk on a link %zu, a run of chunks at its source %zu.\n",
           sizeof(struct link_state) + sizeof(struct link_count) + sizeof(struct in_link) + sizeof(struct queue_peak) +
               sizeof(struct link_info),
           sizeof(struct link_state), sizeof(struct link_count), sizeof(struct in_link), sizeof(struct queue_peak),
           sizeof(struct link_info), sizeof(struct message), sizeof(struct chunk), sizeof(struct chunk_run));
}

static const char *const heads[] = {"<workload", "<engine",     "ns per chunk-hop", "M chunk-hops/s", "spread",     "runs",      "run",
                                    "build",     "peak memory", "endpoints",        "messages",       "chunk-hops", "simulated", NULL};

static const char *shown(const char *engine) { return strcmp(engine, "threads") == 0 ? "2 threads, wall clock" : engine; }

static void add_row(struct table *table, const struct row *row, const char *engine, const struct measured *measured) {
    const struct measurement *m = &measured->best;
    double hops = (double)(m->chunk_hops ? m->chunk_hops : 1);
    char text[QUANTITY_SIZE];
    table_add(table, "%s", row->title);
    table_add(table, "%s", shown(engine));
    table_add(table, "%.1f", (double)m->run_ns / hops);
    table_add(table, "%.2f", hops * 1e3 / (double)m->run_ns);
    table_add(table, "%.0f %%", measured->spread * 100);
    table_add(table, "%" PRIu32, measured->runs);
    table_add(table, "%.3f s", (double)m->run_ns / 1e9);
    table_add(table, "%.3f s", (double)m->setup_ns / 1e9);
    table_add(table, "%.1f MiB", (double)m->peak_bytes / (1 << 20));
    table_add(table, "%" PRIu32, m->endpoints);
    table_add(table, "%" PRIu64, m->messages);
    table_add(table, "%" PRIu64, m->chunk_hops);
    table_add(table, "%s", format_time(m->end_ticks, TICKS_PER_S_FS, text));
}

/// Several threads are of use for rows of some size, and where there are cores for them; who names them is not asked.
static bool pays(const struct options *options, const char *engine, uint64_t chunk_hops) {
    enum { LEAST_CHUNK_HOPS = 1000000 };
    if (options->engines || strcmp(engine, "threads") != 0) return true;
    return chunk_hops >= LEAST_CHUNK_HOPS && sysconf(_SC_NPROCESSORS_ONLN) > 1;
}

/// One row with each engine; all must give the same digest.
static bool measure_row(const struct options *options, const struct group *group, const struct row *row, struct table *table) {
    static const char *const engines[] = {"heap", "window", "auto", "shortcuts", "threads"};
    struct digest digest = {0};
    uint64_t chunk_hops = 0;
    bool first = true, ok = true;
    for (size_t e = 0; e < sizeof engines / sizeof *engines; e++) {
        if (!listed(options->engines ? options->engines : group->engines, engines[e]) || !row_can(row, engines[e])) continue;
        if (!pays(options, engines[e], chunk_hops)) continue;
        struct measured measured;
        if (isatty(STDERR_FILENO)) fprintf(stderr, "%s, %s\n", row->name, engines[e]);
        if (!measure(row, engines[e], false, options->repeats, &measured)) return false;
        add_row(table, row, engines[e], &measured);
        if (!first && (digest.low != measured.best.digest.low || digest.high != measured.best.digest.high)) {
            fprintf(stderr, "%s: the %s engine's digest differs from the one before\n", row->name, engines[e]);
            ok = false;
        }
        digest = measured.best.digest;
        chunk_hops = measured.best.chunk_hops;
        first = false;
    }
    return ok;
}

/// Prints and frees a table, unless it is empty.
static void print_table(const struct options *options, const char *title, const char *note, struct table *table) {
    if (table->count) {
        printf("\n%s%s\n\n", options->markdown ? "### " : "", title);
        if (note) printf("%s\n\n", note);
        table_print(table, options->markdown, stdout);
    }
    table_free(table);
    fflush(stdout);
}

static bool wanted(const struct options *options, const struct group *group, const struct row *row) {
    return strcmp(row->group, group->name) == 0 && (!options->row || listed(options->row, row->name));
}

static bool measure_group(const struct options *options, const struct group *group) {
    struct table table = {.heads = heads};
    bool ok = true;
    for (const struct row *row = rows; row->name; row++)
        if (wanted(options, group, row)) ok = measure_row(options, group, row, &table) && ok;
    print_table(options, group->title, NULL, &table);
    return ok;
}

static bool compare_group(const struct options *options, const struct group *group, bool simgrid) {
    struct table table = {.heads = simgrid ? simgrid_heads : yardstick_heads};
    bool ok = true;
    for (const struct row *row = rows; row->name; row++) {
        if (!wanted(options, group, row) || !row->peer) continue;
        bool added = simgrid ? peers_simgrid(row, options->simgrid, options->repeats, &table)
                             : peers_yardstick(row, options->yardstick, options->repeats, &table);
        if (!added) fprintf(stderr, "%s: the other program failed\n", row->name);
        ok = added && ok;
    }
    print_table(options, simgrid ? "Beside SimGrid" : "Beside the prototypes",
                simgrid ? "CPU time of one thread. SimGrid's model is fluid: messages that share a link split its rate, with no chunks and "
                          "no queues, so the "
                          "simulated times differ where messages wait for each other."
                        : "Both store-and-forward, in the same run. Rows of random traffic draw other numbers, so their times differ.",
                &table);
    return ok;
}

static bool measure_all(const struct options *options) {
    print_machine(options);
    bool ok = true;
    for (const struct group *group = groups; group->name; group++) {
        bool simgrid = strcmp(group->name, "simgrid") == 0;
        if (simgrid && options->simgrid) ok = compare_group(options, group, true) && ok;
        if (!listed(options->groups, group->name)) continue;
        ok = measure_group(options, group) && ok;
        if (options->yardstick && !simgrid) ok = compare_group(options, group, false) && ok;
    }
    print_sizes();
    return ok;
}

/// ROW ENGINE: once, in this process, for profilers. Prints the chunk-hops.
static int run_once(const char *name, const char *engine) {
    const struct row *row = row_find(name);
    if (!row) {
        fprintf(stderr, "there is no row %s\n", name);
        return 2;
    }
    struct measurement result;
    struct error err = {0};
    if (!row_run(row, engine, false, &result, &err)) {
        fprintf(stderr, "%s: %s\n", name, err.text);
        return 1;
    }
    printf("%" PRIu64 "\n", result.chunk_hops);
    return 0;
}

/// The rows of the groups, one a line.
static int list(const struct options *options) {
    for (const struct row *row = rows; row->name; row++)
        if (listed(options->groups, row->group)) printf("%s\n", row->name);
    return 0;
}

int main(int argc, char **argv) {
    static const struct option long_options[] = {{"group", required_argument, NULL, 'g'},
                                                 {"row", required_argument, NULL, 'r'},
                                                 {"engine", required_argument, NULL, 'e'},
                                                 {"repeats", required_argument, NULL, 'n'},
                                                 {"markdown", no_argument, NULL, 'm'},
                                                 {"list", no_argument, NULL, 'l'},
                                                 {"yardstick", required_argument, NULL, 'y'},
                                                 {"simgrid", required_argument, NULL, 's'},
                                                 {"once", no_argument, NULL, 'o'},
                                                 {"compiler", no_argument, NULL, 'c'},
                                                 {0}};
    struct options options = {.groups = "speed", .repeats = 3};
    bool listing = false, once = false;
    for (int option; (option = getopt_long(argc, argv, "", long_options, NULL)) != -1;) switch (option) {
        case 'g': options.groups = optarg; break;
        case 'r': options.row = optarg; break;
        case 'e': options.engines = optarg; break;
        case 'n': options.repeats = (uint32_t)strtoul(optarg, NULL, 10); break;
        case 'm': options.markdown = true; break;
        case 'l': listing = true; break;
        case 'y': options.yardstick = optarg; break;
        case 's': options.simgrid = optarg; break;
        case 'o': once = true; break;
        case 'c': return puts(compiler) < 0;
        default: return 2;
        }
    if (listing) return list(&options);
    if (once && optind + 2 == argc) return run_once(argv[optind], argv[optind + 1]);
    if (once || optind != argc) {
        fprintf(stderr, "usage: bench [--group LIST] [--row LIST] [--engine LIST] [--repeats N] [--markdown] [--yardstick PROGRAM] "
                        "[--simgrid PROGRAM]\n       bench --once ROW ENGINE\n       bench --list [--group LIST] | --compiler\n");
        return 2;
    }
    return measure_all(&options) ? 0 : 1;
}
