// What the scenario says of a collective: its keys, which of them fit together, and the arguments that follow.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algos/choice.h"
#include "base/memory.h"
#include "base/text.h"
#include "workloads/collective.h"

static const char *const sync_names[] = {"free", "step", NULL};
static const char *const schedule_names[] = {"steps", "all-at-once", NULL};
static const char *const order_names[] = {"rank", "shift", NULL};

/// The all-reduces that "inner" and "outer" may name.
static const char *known_all_reduce(size_t index) {
    for (const struct algorithm *const *a = algorithms; *a; a++)
        if ((*a)->kind == ALL_REDUCE && index-- == 0) return (*a)->name;
    return NULL;
}

#define AT(member) offsetof(struct collective_config, member)
const struct field collective_fields[] = {
    {"collective", FIELD_CHOICE, AT(collective), FIELD_REQUIRED, .choices = collective_names, .help = "what the ranks end with",
     .example = "\"all-reduce\""},
    {"algorithm", FIELD_TEXT, AT(algorithm),
     .help = "how; the default depends on the collective; auto: the fastest; custom: by schedule_file", .example = "\"ring\""},
    {"size", FIELD_BYTES, AT(bytes), .help = "bytes of the whole vector; all-to-all: what one rank holds", .example = "\"64MB\""},
    {"sync", FIELD_CHOICE, AT(sync), .choices = sync_names,
     .help = "free: a rank goes on when its own receives are in; step: when all ranks have ended the step"},
    {"root", FIELD_INTEGER, AT(root), .max = INT32_MAX, .help = "the rank that broadcast, scatter, reduce and gather start from or end at"},
    {"from", FIELD_INTEGER, AT(from), .max = INT32_MAX, .help = "send: the sending rank"},
    {"to", FIELD_INTEGER, AT(to), .max = INT32_MAX, .help = "send: the receiving rank"},
    {"pieces", FIELD_INTEGER, AT(pieces), .min = 1, .max = INT32_MAX, .help = "pieces that a pipelined algorithm cuts the vector into",
     .example = "32"},
    {"schedule", FIELD_CHOICE, AT(schedule), .choices = schedule_names,
     .help = "all-to-all direct: one peer a step, or all sends posted at once"},
    {"order", FIELD_CHOICE, AT(order), .choices = order_names, .help = "all-to-all direct: peers by rank, or by shifts of the torus"},
    {"inner", FIELD_TEXT, AT(inner), .help = "hierarchical: the all-reduce inside a node", .example = "\"ring\"",
     .known = known_all_reduce},
    {"outer", FIELD_TEXT, AT(outer), .help = "hierarchical: the all-reduce between nodes", .example = "\"double-tree\"",
     .known = known_all_reduce},
    {"matrix", FIELD_MATRIX, AT(matrix), .help = "all-to-all matrix: bytes from rank i (row) to rank j (column), or a CSV file",
     .example = "[[\"0B\", \"1MB\"], [\"2MB\", \"0B\"]]"},
    {"expect", FIELD_MATRIX, AT(expect), .help = "all-to-all matrix: the same as the receivers have it; a difference is refused",
     .example = "\"received.csv\""},
    {"schedule_file", FIELD_SCHEDULE, AT(schedule_file), .help = "custom: who sends what when, in terms of rank, step and block",
     .example = "\"my-ring.json\""},
    {"ranks", FIELD_INTEGERS, AT(ranks), .max = INT32_MAX, .help = "a sub-group, in its own order", .example = "[0, 2, 4, 6]"},
    {"start", FIELD_TIMES, AT(start), .help = "ranks that start late", .example = "{\"3\": \"5ms\"}"},
    {"repeat", FIELD_INTEGER, AT(repeat), .fallback = 1, .min = 1, .max = 1000000000, .help = "how many times in a row"},
    {0},
};
#undef AT

bool collective_is_auto(const struct collective_config *config) { return config->algorithm && !strcmp(config->algorithm, "auto"); }

const struct algorithm *collective_algorithm(const struct collective_config *config) {
    enum collective_kind kind = (enum collective_kind)config->collective;
    return config->algorithm && !collective_is_auto(config) ? algorithm_find(kind, config->algorithm) : algorithm_default(kind);
}

static bool given(const struct collective_config *config, const char *key) { return field_given(collective_fields, config, key); }

static bool uses_option(const struct algorithm *algorithm, const char *name) {
    for (const char *const *option = algorithm->options; option && *option; option++)
        if (!strcmp(*option, name)) return true;
    return false;
}

/// Whether the algorithm has the option; of auto, whether any candidate has it.
static bool has_option(const struct collective_config *config, const struct algorithm *algorithm, const char *name) {
    if (!collective_is_auto(config)) return uses_option(algorithm, name);
    for (size_t i = 0; algorithms[i]; i++)
        if (choice_candidate(algorithms[i], algorithm->kind) && uses_option(algorithms[i], name)) return true;
    return false;
}

/// A key that this collective or algorithm would ignore is a mistake.
static bool check_options(const struct collective_config *config, const struct algorithm *algorithm, struct error *err) {
    static const struct {
        const char *key, *option;
    } optional[] = {{"pieces", "pieces"}, {"schedule", "schedule"}, {"order", "order"},   {"inner", "inner"},
                    {"outer", "outer"},   {"matrix", "matrix"},     {"expect", "matrix"}, {"schedule_file", "schedule_file"}};
    const char *name = collective_is_auto(config) ? "auto" : algorithm->name;
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++)
        if (given(config, optional[i].key) && !has_option(config, algorithm, optional[i].option))
            return error_at(err, optional[i].key, "%s/%s has no %s", collective_names[algorithm->kind], name, optional[i].key);
    static const struct {
        const char *key;
        unsigned kinds;
        const char *what;
    } of_kinds[] = {
        {"root", 1u << BROADCAST | 1u << REDUCE | 1u << SCATTER | 1u << GATHER, "only broadcast, reduce, scatter and gather have"},
        {"from", 1u << SEND, "only send has"},
        {"to", 1u << SEND, "only send has"},
        {"size", ~(1u << BARRIER), "all others have"},
    };
    for (size_t i = 0; i < sizeof of_kinds / sizeof *of_kinds; i++)
        if (given(config, of_kinds[i].key) && !(of_kinds[i].kinds >> algorithm->kind & 1))
            return error_at(err, of_kinds[i].key, "%s has no %s (%s)", collective_names[algorithm->kind], of_kinds[i].key,
                            of_kinds[i].what);
    return true;
}

bool collective_unknown_algorithm(enum collective_kind kind, const char *key, const char *const *others, const char *written,
                                  struct error *err) {
    enum { NAMES_MOST = 63 };
    const char *names[NAMES_MOST + 1] = {NULL};
    size_t count = 0;
    while (others[count]) names[count] = others[count], count++;
    for (const struct algorithm *const *a = algorithms; *a; a++)
        if ((*a)->kind == kind && count < NAMES_MOST) names[count++] = (*a)->name;
    char known[512], shown[TEXT_QUOTE_SIZE], meant[TEXT_MEANT_SIZE];
    return error_at(err, key, "%s has no algorithm %s; it has %s%s", collective_names[kind], text_quote(written, shown),
                    text_join(names, known, sizeof known), text_meant(written, names, meant));
}

static bool check_part(const char *key, const char *name, struct error *err) {
    static const char *const none[] = {NULL};
    return !name || algorithm_find(ALL_REDUCE, name) || collective_unknown_algorithm(ALL_REDUCE, key, none, name, err);
}

/// A matrix is the size of what is exchanged.
static bool check_size(const struct collective_config *config, struct error *err) {
    if (given(config, "matrix"))
        return !given(config, "size") || error_at(err, "size", "the matrix says how much goes from whom to whom; leave out \"size\"");
    return given(config, "size") || config->collective == BARRIER ||
           error_at(err, "", "%s needs \"size\" (\"64MB\")", collective_names[config->collective]);
}

bool collective_check(const void *untyped, struct error *err) {
    const struct collective_config *config = untyped;
    const struct algorithm *algorithm = collective_algorithm(config);
    const enum collective_kind kind = (enum collective_kind)config->collective;
    const char *const others[] = {"auto", custom_algorithm(kind) ? "custom" : NULL, NULL};
    if (!algorithm) return collective_unknown_algorithm(kind, "algorithm", others, config->algorithm, err);
    if (!strcmp(algorithm->name, "matrix") && !given(config, "matrix"))
        return error_at(err, "", "all-to-all/matrix needs \"matrix\", the bytes from each rank to each; direct sends equal blocks");
    if (!strcmp(algorithm->name, "custom") && !config->schedule_file)
        return error_at(err, "", "custom needs \"schedule_file\", which says who sends what when");
    if (config->collective == SEND && (!given(config, "from") || !given(config, "to")))
        return error_at(err, "", "send needs \"from\" and \"to\"");
    return check_options(config, algorithm, err) && check_size(config, err) && check_part("inner", config->inner, err) &&
           check_part("outer", config->outer, err);
}

/// What the rank that sends most sends; UINT64_MAX where the matrix' sum is above 2^63.
static uint64_t most_sent(const struct matrix *matrix) {
    int64_t total = 0, most = 0;
    for (size_t row = 0; row < matrix->rows; row++) {
        int64_t before = total;
        for (size_t column = 0; column < matrix->columns; column++)
            if (row != column && __builtin_add_overflow(total, matrix->values[row * matrix->columns + column], &total)) return UINT64_MAX;
        if (total - before > most) most = total - before;
    }
    return (uint64_t)most;
}

struct collective_args collective_args_of(const struct collective_config *config, const struct workload_place *place) {
    struct collective_args args = {
        .kind = (enum collective_kind)config->collective,
        .size = config->ranks.count ? (uint32_t)config->ranks.count : place->ranks,
        .bytes = config->matrix.rows ? (int64_t)most_sent(&config->matrix) : config->bytes,
        .root = (uint32_t)config->root,
        .from = (uint32_t)config->from,
        .to = (uint32_t)config->to,
        .pieces = (uint32_t)config->pieces,
        .inner = config->inner ? algorithm_find(ALL_REDUCE, config->inner) : NULL,
        .outer = config->outer ? algorithm_find(ALL_REDUCE, config->outer) : NULL,
        .matrix = config->matrix.rows ? config->matrix.values : NULL,
        .custom = config->schedule_file,
        .schedule = (enum schedule)config->schedule,
        .order = (enum order)config->order,
        .group_size = place->group_size,
    };
    uint64_t product = place->dim_count > 0;
    for (uint32_t i = 0; i < place->dim_count; i++) product *= place->dims[i];
    if (product == args.size) {
        args.dim_count = place->dim_count;
        memcpy(args.dims, place->dims, sizeof args.dims);
    }
    return args;
}

uint32_t *collective_ranks(const struct collective_config *config) {
    if (config->ranks.count == 0) return NULL;
    uint32_t *ranks = allocate(config->ranks.count * sizeof *ranks);
    for (size_t i = 0; i < config->ranks.count; i++) ranks[i] = (uint32_t)config->ranks.values[i];
    return ranks;
}

static bool check_shape(const struct matrix *matrix, const char *key, uint32_t size, struct error *err) {
    if (matrix->rows == size && matrix->columns == size) return true;
    return error_at(err, key, "%zu rows of %zu sizes do not fit %u ranks; a row is a sender, a column a receiver", matrix->rows,
                    matrix->columns, size);
}

/// What one rank sends and the other expects is the same for every pair.
static bool check_expected(const struct collective_config *config, struct error *err) {
    size_t size = config->matrix.rows;
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j < size; j++) {
            int64_t sent = config->matrix.values[i * size + j], expected = config->expect.values[i * size + j];
            if (i != j && sent != expected)
                return error_at(err, "expect", "rank %zu sends %lld B to rank %zu, which expects %lld B", i, (long long)sent, j,
                                (long long)expected);
        }
    }
    return true;
}

bool collective_accepts_matrix(const struct collective_config *config, uint32_t size, struct error *err) {
    if (!given(config, "matrix")) return true;
    if (!check_shape(&config->matrix, "matrix", size, err)) return false;
    if (most_sent(&config->matrix) == UINT64_MAX) return error_at(err, "matrix", "all sizes together are above 2^63 bytes");
    return !given(config, "expect") || (check_shape(&config->expect, "expect", size, err) && check_expected(config, err));
}

bool collective_possible(const struct algorithm *algorithm, const struct collective_args *args, const uint32_t *ranks,
                         const struct workload_place *place, struct error *err) {
    if (algorithm->accepts && !algorithm->accepts(args, err)) return false;
    if (!algorithm->in_network) return true;
    struct reduction_tree tree = {0};
    bool found = place->trees && place->trees->find(place->trees->context, ranks, args->size, &tree);
    free(tree.nodes);
    free(tree.members);
    return found || error_at(err, "algorithm",
                             "all-reduce/%s needs a tree of switches that all its ranks share, and this network has none; "
                             "all-reduce/ring runs on any network",
                             algorithm->name);
}
