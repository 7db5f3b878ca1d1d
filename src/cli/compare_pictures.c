#include "cli/compare_pictures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/units.h"
#include "pool/pool.h"
#include "report/output.h"

enum { PICTURES = 2, TITLE_SIZE = 320 };

/// The best, then the worst.
struct pictures {
    const struct compare_plan *plan;
    size_t jobs[PICTURES];
    char titles[PICTURES][TITLE_SIZE];
    struct {
        char *data;
        size_t size;
    } drawn[PICTURES];
};

static void work(void *context, size_t number, FILE *out) {
    struct pictures *pictures = context;
    compare_draw(pictures->plan, pictures->jobs[number], pictures->titles[number], out);
}

static void finished(void *context, const struct pool_outcome *outcome) {
    struct pictures *pictures = context;
    if (outcome->lost || outcome->size == 0) return;
    pictures->drawn[outcome->job].data = memcpy(allocate(outcome->size), outcome->data, outcome->size);
    pictures->drawn[outcome->job].size = outcome->size;
}

static void choose(struct pictures *pictures, const struct compare_verdict *verdict) {
    const struct compare_plan *plan = pictures->plan;
    const struct compare_run *runs[PICTURES] = {verdict->best_run, verdict->worst_run};
    const size_t points[PICTURES] = {verdict->best, verdict->worst};
    for (int i = 0; i < PICTURES; i++) {
        char name[TITLE_SIZE - 96], time[QUANTITY_SIZE], seed[32] = "";
        compare_point_name(&plan->comparison, points[i], name, sizeof name);
        format_time(runs[i]->makespan_ticks, runs[i]->ticks_per_s, time);
        if (runs[i]->seed) snprintf(seed, sizeof seed, ", seed %lld", (long long)runs[i]->seed);
        snprintf(pictures->titles[i], TITLE_SIZE, "%s: %s%s, %s", i ? "worst" : "best", name, seed, time);
        pictures->jobs[i] = plan->first_job[points[i]] + (size_t)(runs[i] - plan->comparison.points[points[i]].runs);
    }
}

static bool write_picture(const struct pictures *pictures, int number, const char *path, FILE *out, struct error *err) {
    static const char ending[] = ".svg";
    const char *which = number ? "worst" : "best";
    size_t length = strlen(path), stem = length >= strlen(ending) ? length - strlen(ending) : 0;
    bool is_file = stem > 0 && !strcmp(path + stem, ending);
    size_t size = length + 32;
    char *full = allocate(size);
    if (is_file)
        snprintf(full, size, "%.*s-%s.svg", (int)stem, path, which);
    else
        snprintf(full, size, "%s%s%s.svg", path, path[length - 1] == '/' ? "" : "/", which);
    bool good = is_file || mkdir(path, 0777) == 0 || errno == EEXIST;
    if (!good) error_set(err, ERROR_OUTPUT, "cannot make the folder %s: %s", path, strerror(errno));
    good = good && output_save(full, pictures->drawn[number].data, pictures->drawn[number].size, err);
    if (good && out) fprintf(out, "%s heat map: %s\n", number ? "worst" : "best ", full);
    free(full);
    return good;
}

bool compare_write_pictures(const struct compare_plan *plan, const char *path, FILE *out, struct error *err) {
    struct compare_verdict verdict = compare_judge(&plan->comparison);
    if (!verdict.found) return true;
    struct pictures pictures = {.plan = plan};
    choose(&pictures, &verdict);
    int signal;
    const struct pool_plan pool = {.jobs = PICTURES, .workers = PICTURES, .context = &pictures, .work = work, .finished = finished};
    bool good = *path ? pool_run(&pool, &signal, err) : error_set(err, ERROR_INPUT, "--svg needs a folder or a file");
    if (out && good) fputc('\n', out);
    for (int i = 0; i < PICTURES; i++) {
        if (good && !pictures.drawn[i].data)
            good = error_set(err, ERROR_INTERNAL, "the heat map of the %s run was not drawn", i ? "worst" : "best");
        good = good && write_picture(&pictures, i, path, out, err);
        free(pictures.drawn[i].data);
    }
    return good;
}
