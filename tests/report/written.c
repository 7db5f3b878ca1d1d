#include "report/written.h"

#include <check.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

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

static void open_directory(struct written *out, const char *directory) {
    *out = (struct written){.error = {0}};
    if (directory)
        snprintf(out->directory, sizeof out->directory, "%s", directory);
    else
        make_directory(out->directory, sizeof out->directory);
}

static void run_text(struct written *out, char *text, enum engine_choice engine) {
    char path[128];
    snprintf(path, sizeof path, "%s/scenario.json", out->directory);
    simulation_prepare(&out->simulation, text, path);
    struct observers observers = {0};
    struct error err = {0};
    struct outputs *outputs = outputs_create(&out->simulation.experiment, &observers);
    const struct run_limits limits = {.engine = engine};
    bool ran = experiment_run(&out->simulation.experiment, &limits, &observers, &out->simulation.result, &err);
    ck_assert_msg(ran, "%s", err.text);
    outputs_write(outputs, &out->simulation.result, &out->error);
    size_t size;
    FILE *summary = open_memstream(&out->summary, &size);
    outputs_summary(outputs, SHEET_TEXT, summary);
    fclose(summary);
    outputs_free(outputs);
    observers_free(&observers);
}

void run_and_write(struct written *out, const char *directory, const char *format, ...) {
    va_list arguments;
    open_directory(out, directory);
    va_start(arguments, format);
    run_text(out, scenario_text(format, arguments), ENGINE_AUTO);
    va_end(arguments);
}

void run_and_write_again(struct written *out, const struct written *first, enum engine_choice engine) {
    open_directory(out, NULL);
    run_text(out, text_format("%s", first->simulation.text), engine);
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
