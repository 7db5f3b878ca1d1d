// The user's own list: rank r runs on the r-th endpoint of it.
#include "mapping/mapping.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

struct list_config {
    uint64_t given;
    struct integers endpoints;
};

/// The list is the whole of the mapping: "mapping": [3, 1, 2, 0].
static const struct field fields[] = {
    {.name = "",
     .kind = FIELD_INTEGERS,
     .offset = offsetof(struct list_config, endpoints),
     .max = UINT32_MAX - 1,
     .help = "as many distinct endpoints as there are ranks",
     .example = "[3, 1, 2, 0]"},
    {.name = NULL},
};

/// Fills places; `rank_of[e]` is 1 + the rank that endpoint e has, 0 for none.
static bool fill(const struct integers *list, const struct mapping_request *request, uint32_t *rank_of, uint32_t *places,
                 struct error *err) {
    for (uint32_t rank = 0; rank < request->ranks; rank++) {
        int64_t endpoint = list->values[rank];
        char where[16];
        snprintf(where, sizeof where, "%u", rank);
        if (endpoint >= request->endpoints)
            return error_at(err, where, "there is no endpoint %lld; the last is %u", (long long)endpoint, request->endpoints - 1);
        if (rank_of[endpoint]) return error_at(err, where, "endpoint %lld has rank %u already", (long long)endpoint, rank_of[endpoint] - 1);
        rank_of[endpoint] = rank + 1;
        places[rank] = (uint32_t)endpoint;
    }
    return true;
}

static bool place(const void *config, const struct mapping_request *request, uint32_t *places, struct error *err) {
    const struct integers *list = &((const struct list_config *)config)->endpoints;
    if (list->count != request->ranks)
        return error_at(err, "", "the list has %zu endpoints, there are %u ranks", list->count, request->ranks);
    uint32_t *rank_of = allocate_zeroed(request->endpoints, sizeof *rank_of);
    bool ok = fill(list, request, rank_of, places, err);
    free(rank_of);
    return ok;
}

const struct mapping_type list_mapping = {
    .variant = {.name = "list", .summary = "a list of endpoints", .fields = fields, .config_size = sizeof(struct list_config)},
    .place = place,
};
