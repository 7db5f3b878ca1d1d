#include "cli/picture.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/describe.h"
#include "report/output.h"

bool heat_from_options(const struct options *options, enum heat *out, struct error *err) {
    *out = HEAT_UTILIZATION;
    if (!options->heat) return true;
    for (int i = 0; heat_names[i]; i++)
        if (!strcmp(heat_names[i], options->heat)) return *out = (enum heat)i, true;
    return error_set(err, ERROR_INPUT, "--heat: \"%s\" is none of utilization, bytes, queue", options->heat);
}

struct svg_panel picture_draw(const struct picture *picture, const struct loaded *loaded, const struct run_result *result) {
    const struct topology *topology = loaded->experiment.topology;
    char line[200];
    json_t *scenario = scenario_resolved(loaded->scenario);
    describe_json(json_object_get(json_object_get(scenario, "network"), "topology"), NULL, line, sizeof line);
    const struct heat_map map = {
        .title = picture->title,
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
