#include "report/written.h"

#include <check.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void make_directory(char *out, size_t out_size) {
    snprintf(out, out_size, "/tmp/weft-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(out));
}

/// Calls `use` for every file.
static size_t each_file(const char *directory, int (*use)(const char *path)) {
    DIR *files = opendir(directory);
    ck_assert_ptr_nonnull(files);
    size_t count = 0;
    for (struct dirent *entry; (entry = readdir(files));) {
        char path[512];
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        count++;
        if (use) use(path);
    }
    closedir(files);
    return count;
}

size_t count_files(const char *directory) { return each_file(directory, NULL); }

void remove_directory(const char *directory) {
    each_file(directory, unlink);
    rmdir(directory);
}

static char *print_text(const char *format, va_list arguments) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    vfprintf(out, format, arguments);
    fclose(out);
    for (char *c = text; *c; c++)
        if (*c == '\'') *c = '"';
    return text;
}

static void prepare(struct simulation *simulation, const char *path) {
    struct problems problems = {.count = 0};
    json_t *document = scenario_parse_json(simulation->text, strlen(simulation->text), &problems);
    if (document) simulation->scenario = scenario_read(document, simulation->text, path, &problems);
    json_decref(document);
    bool good = simulation->scenario && experiment_prepare(simulation->scenario, simulation->text, &simulation->experiment, &problems);
    ck_assert_msg(good, "%s: %s in\n%s", problems.items[0].pointer, problems.items[0].text, simulation->text);
    problems_free(&problems);
}

static void open_directory(struct written *out, const char *directory) {
    *out = (struct written){.error = {0}};
    if (directory)
        snprintf(out->directory, sizeof out->directory, "%s", directory);
    else
        make_directory(out->directory, sizeof out->directory);
}

/// Runs out->simulation.text.
static void run_text(struct written *out, enum engine_choice engine) {
    char path[128];
    snprintf(path, sizeof path, "%s/scenario.json", out->directory);
    prepare(&out->simulation, path);
    struct observers observers = {0};
    struct error err = {0};
    struct outputs *outputs = outputs_create(&out->simulation.experiment, &observers);
    const struct run_limits limits = {.engine = engine};
    bool ran = experiment_run(&out->simulation.experiment, &limits, &observers, &out->simulation.result, &err);
    ck_assert_msg(ran, "%s", err.text);
    outputs_write(outputs, &out->simulation.result, &out->error);
    size_t size;
    FILE *summary = open_memstream(&out->summary, &size);
    outputs_summary(outputs, summary);
    fclose(summary);
    outputs_free(outputs);
    observers_free(&observers);
}

void run_and_write(struct written *out, const char *directory, const char *format, ...) {
    va_list arguments;
    open_directory(out, directory);
    va_start(arguments, format);
    out->simulation.text = print_text(format, arguments);
    va_end(arguments);
    run_text(out, ENGINE_AUTO);
}

void run_and_write_again(struct written *out, const struct written *first, enum engine_choice engine) {
    open_directory(out, NULL);
    out->simulation.text = strcpy(malloc(strlen(first->simulation.text) + 1), first->simulation.text);
    run_text(out, engine);
}

void written_free(struct written *written) {
    simulation_free(&written->simulation);
    free(written->summary);
    remove_directory(written->directory);
}

char *file_text(const char *directory, const char *name) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    struct error err = {0};
    size_t length;
    return read_text(path, &length, &err);
}
