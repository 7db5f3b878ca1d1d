#include "systems/tpu.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/text.h"

enum { CUBE = 4, CUBE_DIMS = 3, LONGEST = 64 };

const struct field tpu_cube_fields[] = {
    {.name = "dims",
     .kind = FIELD_INTEGERS,
     .offset = offsetof(struct tpu_cube_config, dims),
     .flags = FIELD_REQUIRED,
     .min = 1,
     .max = LONGEST,
     .help = "chips along the three dims: multiples of 4, or 2 x 2 x 1, 2 x 2 x 2, 2 x 2 x 4, 2 x 4 x 4",
     .example = "[4, 4, 8]"},
    {.name = "twisted",
     .kind = FIELD_BOOLEAN,
     .offset = offsetof(struct tpu_cube_config, twisted),
     .help = "K x K x 2K and K x 2K x 2K as a twisted torus",
     .example = "true"},
    {.name = NULL},
};

static bool is_whole_cubes(const struct integers *dims) {
    for (size_t i = 0; i < dims->count; i++)
        if (dims->values[i] % CUBE != 0) return false;
    return true;
}

static bool is_part_of_cube(const struct integers *dims) {
    static const int64_t shapes[][CUBE_DIMS] = {{2, 2, 1}, {2, 2, 2}, {2, 2, 4}, {2, 4, 4}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        if (dims->values[0] == shapes[s][0] && dims->values[1] == shapes[s][1] && dims->values[2] == shapes[s][2]) return true;
    return false;
}

/// Whether the dims are K and 2K, both of them.
static bool can_twist(const struct integers *dims) {
    int64_t least = dims->values[0], most = least;
    for (size_t i = 1; i < dims->count; i++) {
        if (dims->values[i] < least) least = dims->values[i];
        if (dims->values[i] > most) most = dims->values[i];
    }
    bool fits = most == 2 * least;
    for (size_t i = 0; i < dims->count; i++) fits = fits && (dims->values[i] == least || dims->values[i] == most);
    return fits;
}

bool tpu_cube_check(const struct tpu_cube_config *config, int64_t chips_most, struct error *err) {
    const struct integers *dims = &config->dims;
    if (dims->count != CUBE_DIMS) return error_at(err, "dims", "has %zu dims: a slice has three, such as [4, 4, 8]", dims->count);
    bool whole = is_whole_cubes(dims);
    if (!whole && !is_part_of_cube(dims))
        return error_at(err, "dims", "a slice has dims that are multiples of 4, or is 2 x 2 x 1, 2 x 2 x 2, 2 x 2 x 4 or 2 x 4 x 4");
    int64_t chips = dims->values[0] * dims->values[1] * dims->values[2];
    if (chips > chips_most) return error_at(err, "dims", "%lld chips; the largest slice has %lld", (long long)chips, (long long)chips_most);
    if (config->twisted && !(whole && can_twist(dims)))
        return error_at(err, "twisted", "only K x K x 2K and K x 2K x 2K of whole cubes can be twisted");
    return true;
}

char *tpu_dims_text(const struct integers *dims) {
    char *text = text_format("%lld", (long long)dims->values[0]);
    for (size_t i = 1; i < dims->count; i++) {
        char *longer = text_format("%s, %lld", text, (long long)dims->values[i]);
        free(text);
        text = longer;
    }
    return text;
}

char *tpu_cube_expand(const struct tpu_cube_config *config, const char *link) {
    const char *type = config->twisted ? "twisted-torus" : is_whole_cubes(&config->dims) ? "torus" : "mesh";
    char *dims = tpu_dims_text(&config->dims);
    char *text = text_format("{\"network\": {\"topology\": {\"type\": \"%s\", \"dims\": [%s], \"link\": \"%s\"}}}", type, dims, link);
    free(dims);
    return text;
}
