#include "report/picture.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/units.h"
#include "report/describe.h"
#include "report/output.h"

struct svg_panel picture_draw(const struct picture *picture, const struct experiment *experiment, const struct run_result *result) {
    const struct topology *topology = experiment->topology;
    const char *name = experiment->scenario->name ? experiment->scenario->name : "heat map";
    char line[200], title[300], time[QUANTITY_SIZE];
    json_t *scenario = scenario_resolved(experiment->scenario);
    describe_json(json_object_get(json_object_get(scenario, "network"), "topology"), NULL, line, sizeof line);
    snprintf(title, sizeof title, "%s: %s", name, format_time(result->makespan_ticks, result->ticks_per_s, time));
    const struct heat_map map = {
        .title = picture->title ? picture->title : title,
        .subtitle = line,
        .result = result,
        .dim_count = topology->dim_count,
        .dims = topology->dims,
        .group_size = topology->group_size,
        .heat = picture->heat,
        .most = picture->most,
    };
    struct svg_panel panel = svg_panel_draw(&map);
    json_decref(scenario);
    return panel;
}

bool picture_save(const char *path, const struct picture *picture, const struct svg_panel *panels, size_t count, struct error *err) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) fatal("out of memory");
    svg_page_print(panels, count, picture->heat, picture->most, out);
    if (fclose(out) != 0) fatal("out of memory");
    bool good = output_save(path, text, size, err);
    free(text);
    return good;
}

bool picture_write(const char *path, enum heat heat, const struct experiment *experiment, const struct run_result *result,
                   struct error *err) {
    const struct picture picture = {.heat = heat, .most = heat_most(result, heat)};
    struct svg_panel panel = picture_draw(&picture, experiment, result);
    bool good = picture_save(path, &picture, &panel, 1, err);
    free(panel.text);
    return good;
}
