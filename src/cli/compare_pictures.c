#include "cli/compare_pictures.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/units.h"
#include "cli/picture.h"
#include "pool/pool.h"

/// Up to so many points stand side by side; of more the best and the worst.
enum { SHOWN_MOST = 8, TITLE_SIZE = 320 };

struct shown {
    size_t point, job;
    char title[TITLE_SIZE];
    struct svg_panel panel;
};

struct pictures {
    const struct compare_plan *plan;
    struct picture picture; ///< one scale for all
    struct compare_verdict verdict;
    size_t count;
    struct shown shown[SHOWN_MOST]; ///< in the order of the points
};

static void work(void *context, size_t number, FILE *out) {
    const struct pictures *pictures = context;
    struct picture picture = pictures->picture;
    struct svg_panel panel;
    picture.title = pictures->shown[number].title;
    if (!compare_draw(pictures->plan, pictures->shown[number].job, &picture, &panel)) return;
    fwrite(&panel, sizeof panel, 1, out); // its text's address means nothing elsewhere
    fwrite(panel.text, 1, panel.size, out);
    free(panel.text);
}

static void finished(void *context, const struct pool_outcome *outcome) {
    struct pictures *pictures = context;
    struct svg_panel *panel = &pictures->shown[outcome->job].panel;
    if (outcome->lost || outcome->size <= sizeof *panel) return;
    memcpy(panel, outcome->data, sizeof *panel);
    panel->size = outcome->size - sizeof *panel;
    panel->text = memcpy(allocate(panel->size), (const char *)outcome->data + sizeof *panel, panel->size);
}

static void show(struct pictures *pictures, size_t point) {
    const struct compare_plan *plan = pictures->plan;
    const struct compare_verdict *verdict = &pictures->verdict;
    const struct compare_run *run = compare_shown(&plan->comparison, point, verdict);
    if (!run) return;
    struct shown *shown = &pictures->shown[pictures->count++];
    char name[TITLE_SIZE - 96], time[QUANTITY_SIZE], seed[32] = "";
    if (run->seed) snprintf(seed, sizeof seed, ", seed %lld", (long long)run->seed);
    const char *which = point == verdict->best ? "best: " : point == verdict->worst ? "worst: " : "";
    snprintf(shown->title, TITLE_SIZE, "%s%s%s, %s", which, compare_point_name(&plan->comparison, point, name, sizeof name), seed,
             format_time(run->makespan_ticks, run->ticks_per_s, time));
    shown->point = point;
    shown->job = plan->first_job[point] + (size_t)(run - plan->comparison.points[point].runs);
}

static void choose(struct pictures *pictures) {
    const struct comparison *comparison = &pictures->plan->comparison;
    for (size_t p = 0; p < comparison->count; p++)
        if (comparison->count <= SHOWN_MOST || p == pictures->verdict.best || p == pictures->verdict.worst) show(pictures, p);
    double most = pictures->picture.heat == HEAT_UTILIZATION ? 1 : 0;
    for (size_t i = 0; i < pictures->count; i++) {
        const struct shown *shown = &pictures->shown[i];
        const struct compare_run *run = &comparison->points[shown->point].runs[shown->job - pictures->plan->first_job[shown->point]];
        if (pictures->picture.heat == HEAT_BYTES) most = fmax(most, run->most_bytes);
        if (pictures->picture.heat == HEAT_QUEUE) most = fmax(most, run->most_queue_bytes);
    }
    pictures->picture.most = most;
}

/// Where a picture goes: PATH/which.svg, or for a PATH of NAME.svg NAME-which.svg, NAME.svg itself without `which`.
static char *picture_path(const char *path, bool is_file, const char *which) {
    size_t length = strlen(path), stem = is_file ? length - strlen(".svg") : length, size = length + 32;
    char *full = allocate(size);
    if (is_file)
        snprintf(full, size, "%.*s%s%s.svg", (int)stem, path, *which ? "-" : "", which);
    else
        snprintf(full, size, "%s%s%s.svg", path, path[length - 1] == '/' ? "" : "/", *which ? which : "runs");
    return full;
}

static bool write_pages(const struct pictures *pictures, const char *path, FILE *out, struct error *err) {
    size_t length = strlen(path);
    bool is_file = length > 4 && !strcmp(path + length - 4, ".svg");
    if (!is_file && mkdir(path, 0777) != 0 && errno != EEXIST)
        return error_set(err, ERROR_OUTPUT, "cannot make the folder %s: %s", path, strerror(errno));
    struct svg_panel panels[SHOWN_MOST] = {0};
    const struct svg_panel *best = NULL, *worst = NULL;
    for (size_t i = 0; i < pictures->count; i++) {
        panels[i] = pictures->shown[i].panel;
        if (pictures->shown[i].point == pictures->verdict.best) best = &panels[i];
        if (pictures->shown[i].point == pictures->verdict.worst) worst = &panels[i];
    }
    const struct {
        const char *title, *name;
        const struct svg_panel *panels;
        size_t count;
    } pages[] = {
        {"best heat map: ", "best", best, 1}, {"worst heat map:", "worst", worst, 1}, {"side by side:  ", "", panels, pictures->count}};
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        char *full = picture_path(path, is_file, pages[i].name);
        bool good = picture_save(full, &pictures->picture, pages[i].panels, pages[i].count, err);
        if (good && out) fprintf(out, "%s %s\n", pages[i].title, full);
        free(full);
        if (!good) return false;
    }
    return true;
}

bool compare_write_pictures(const struct compare_plan *plan, const char *path, FILE *out, struct error *err) {
    struct pictures pictures = {.plan = plan, .verdict = compare_judge(&plan->comparison)};
    if (!*path) return error_set(err, ERROR_INPUT, "--svg needs a folder or a file");
    if (!heat_from_options(plan->options, &pictures.picture.heat, err)) return false;
    if (!pictures.verdict.found) return true;
    choose(&pictures);
    int signal;
    const struct pool_plan pool = {
        .jobs = pictures.count, .workers = pool_cores(), .context = &pictures, .work = work, .finished = finished};
    bool good = pool_run(&pool, &signal, err);
    for (size_t i = 0; good && i < pictures.count; i++)
        if (!pictures.shown[i].panel.text)
            good = error_set(err, ERROR_INTERNAL, "the heat map of %s was not drawn", pictures.shown[i].title);
    if (out && good) fputc('\n', out);
    good = good && write_pages(&pictures, path, out, err);
    for (size_t i = 0; i < pictures.count; i++) free(pictures.shown[i].panel.text);
    return good;
}
