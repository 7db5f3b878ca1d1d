#include "cli/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/text.h"
#include "base/units.h"
#include "cli/option_values.h"

#define AT(member) offsetof(struct options, member)

const struct option common_options[] = {
    {"quiet", 'q', OPTION_FLAG, AT(quiet), NULL, "no warnings and no progress", NULL},
    {"no-progress", 0, OPTION_FLAG, AT(no_progress), NULL, "no progress on stderr (shown only on terminals)", NULL},
    {"color", 0, OPTION_COLOR, AT(color), "auto|always|never", "colour: auto is on terminals, unless NO_COLOR is set", NULL},
    {"help", 'h', OPTION_FLAG, AT(help), NULL, "this text", NULL},
    {0},
};

const struct option scenario_options[] = {
    {"set", 0, OPTION_TEXTS, AT(set), "KEY=VALUE", "override any key of the scenario (network.chunk=64KiB); repeatable", NULL},
    {"mapping", 0, OPTION_SETTING, 0, "NAME", "where ranks are placed: linear, snake, random, stride", "mapping"},
    {"ranks", 0, OPTION_SETTING, 0, "N", "how many ranks take part (default: all endpoints)", "ranks"},
    {"chunk", 0, OPTION_SETTING, 0, "SIZE", "bytes a chunk (default: 64KiB), or whole: a message is one", "network.chunk"},
    {"switching", 0, OPTION_SETTING, 0, "HOW", "cut-through (default) or store-and-forward", "network.switching"},
    {"injection", 0, OPTION_SETTING, 0, "HOW", "fifo (default) or round-robin", "network.injection"},
    {"model", 0, OPTION_SETTING, 0, "NAME", "event, alpha-beta or both (side by side)", "network.model"},
    {"seed", 0, OPTION_SETTING, 0, "N", "of all that is drawn at random (default: 1)", "seed"},
    {0},
};

const struct option network_options[] = {
    {"topology", 0, OPTION_TEXT, AT(topology), "SHAPE",
     "switch:8, ring:8, torus:4x4x4, mesh:4x4, cluster:4x8, hypercube:4, full:8, fat-tree:4, leaf-spine:4x4x2", NULL},
    {"system", 0, OPTION_TEXT, AT(system), "NAME",
     "a known machine instead: dgx-h100, dgx-h100:4, tpu-v5p:4x4x8 (\"weft presets\" lists them)", NULL},
    {"nodes", 0, OPTION_SETTING, 0, "N", "how many of them (dgx-a100, dgx-h100)", "system.nodes"},
    {"link", 0, OPTION_TEXT, AT(link), "LINK", "bandwidth and latency of a link (45GB/s,1us) or a preset's name", NULL},
    {"nic-link", 0, OPTION_TEXT, AT(nic_link), "LINK", "the same for a cluster's NICs (default: --link)", NULL},
    {0},
};

const struct option workload_options[] = {
    {"collective", 0, OPTION_TEXT, AT(collective), "NAME[:ALGORITHM]", "what the ranks do: all-reduce:ring, broadcast, …", NULL},
    {"size", 0, OPTION_SETTING, 0, "SIZE", "of the collective", "workload.size"},
    {"sync", 0, OPTION_SETTING, 0, "HOW", "free (default) or step", "workload.sync"},
    {0},
};

const struct option limit_options[] = {
    {"proof", 0, OPTION_TEXT, AT(proof), "auto|on|off", "follow every contribution; auto: up to a million messages", NULL},
    {"engine", 0, OPTION_TEXT, AT(engine), "auto|heap|window", "how events are ordered; the result is the same", NULL},
    {"shortcuts", 0, OPTION_TEXT, AT(shortcuts), "all|none|solo,replay,symmetry",
     "what need not be simulated because it is known exactly; the result is the same", NULL},
    {"threads", 0, OPTION_COUNT, AT(threads), "N",
     "threads of the simulation, at most 64; by default as many as pay; the result is the same", NULL},
    {"until", 0, OPTION_TEXT, AT(until), "TIME", "stop when the simulated clock would pass this", NULL},
    {"max-events", 0, OPTION_COUNT, AT(max_events), "N", "stop after about so many chunk-hops", NULL},
    {"max-memory", 0, OPTION_BYTES, AT(max_memory_bytes), "SIZE", "stop above so many bytes of chunks and messages", NULL},
    {0},
};

static const char *const color_modes[] = {[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never", NULL};

static const struct option *find_option(const struct option_group *groups, const char *name, size_t length) {
    for (; groups->title; groups++)
        for (const struct option *o = groups->options; o->name; o++)
            if (strlen(o->name) == length && !strncmp(o->name, name, length)) return o;
    return NULL;
}

static const struct option *find_letter(const struct option_group *groups, char letter) {
    for (; groups->title; groups++)
        for (const struct option *o = groups->options; o->name; o++)
            if (letter && o->letter == letter) return o;
    return NULL;
}

static bool unknown_option(const struct option_group *groups, const char *argument, size_t length, struct error *err) {
    enum { MOST = 63 };
    const char *names[MOST + 1] = {0};
    size_t count = 0;
    for (const struct option_group *g = groups; g->title; g++)
        for (const struct option *o = g->options; o->name && count < MOST; o++) names[count++] = o->name;
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)length, argument);
    const char *name = word + strspn(word, "-"), *nearest = text_nearest(name, names);
    char *key = find_option(groups, "set", strlen("set")) ? scenario_key_ending(name) : NULL;
    if (key)
        error_set(err, ERROR_INPUT, "unknown option %s (--set %s=… sets that key)", word, key);
    else if (nearest)
        error_set(err, ERROR_INPUT, "unknown option %s (did you mean --%s?)", word, nearest);
    else
        error_set(err, ERROR_INPUT, "unknown option %s", word);
    free(key);
    return false;
}

bool refuse_value(const char *option, const char *value, const char *known, const char *const *names, struct error *err) {
    char list[256], shown[TEXT_QUOTE_SIZE], meant[TEXT_MEANT_SIZE];
    return error_set(err, ERROR_INPUT, "%s: %s is none of %s%s", option, text_quote(value, shown),
                     known ? known : text_join(names, list, sizeof list), text_meant(value, names, meant));
}

bool choose_one(const char *option, const char *value, const char *const *names, int *index, struct error *err) {
    for (*index = 0; value && names[*index] && strcmp(names[*index], value) != 0;) ++*index;
    return names[*index] || refuse_value(option, value, NULL, names, err);
}

static bool read_count(const char *name, const char *text, int64_t *out, struct error *err) {
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (errno || *end || end == text || number < 1)
        return error_set(err, ERROR_INPUT, "--%s: \"%s\" is not a number of 1 or more", name, text);
    *out = number;
    return true;
}

static bool read_links(const char *text, struct options *out, struct error *err) {
    static const char top[] = "top:";
    static const char *const names[] = {"used", "all", "top:N", NULL};
    int64_t count = 0;
    out->links_given = true;
    if (!strcmp(text, "used")) {
        out->links = (struct link_selection){LINKS_USED, 0};
    } else if (!strcmp(text, "all")) {
        out->links = (struct link_selection){LINKS_ALL, 0};
    } else if (!strncmp(text, top, strlen(top))) {
        if (!read_count("links top", text + strlen(top), &count, err)) return false;
        out->links = (struct link_selection){LINKS_TOP, count < UINT32_MAX ? (uint32_t)count : UINT32_MAX};
    } else {
        return refuse_value("--links", text, NULL, names, err);
    }
    return true;
}

static bool store_value(const struct option *option, const char *value, struct options *out, struct error *err) {
    void *place = (char *)out + option->offset;
    struct error unit = {0};
    switch (option->kind) {
    case OPTION_FLAG: *(bool *)place = true; break;
    case OPTION_MAYBE:
    case OPTION_TEXT: *(const char **)place = value; break;
    case OPTION_TEXTS: texts_add(place, "%s", value); break;
    case OPTION_SETTING: texts_add(&out->settings, "%s=%s", option->key, value); break;
    case OPTION_COUNT: return read_count(option->name, value, place, err);
    case OPTION_BYTES:
        if (!parse_bytes(value, place, &unit)) return error_set(err, ERROR_INPUT, "--%s: %s", option->name, unit.text);
        return *(int64_t *)place > 0 || error_set(err, ERROR_INPUT, "--%s: the size must be above 0", option->name);
    case OPTION_COLOR: return choose_one("--color", value, color_modes, place, err);
    case OPTION_LINKS: return read_links(value, out, err);
    }
    return true;
}

/// Splits "--name=value", "--name", "-j4", "-j"; *value is NULL where the argument holds none.
static const struct option *match_argument(const struct option_group *groups, const char *argument, const char **value, struct error *err) {
    bool is_long = argument[1] == '-';
    size_t length = is_long ? strcspn(argument, "=") : 2;
    const struct option *option = is_long ? find_option(groups, argument + 2, length - 2) : find_letter(groups, argument[1]);
    if (!option) return unknown_option(groups, argument, is_long ? length : strlen(argument), err), NULL;
    const char *rest = argument + length;
    if (!is_long && option->kind == OPTION_FLAG && *rest) return unknown_option(groups, argument, strlen(argument), err), NULL;
    *value = is_long && *rest ? rest + 1 : *rest ? rest : NULL;
    if (option->kind == OPTION_FLAG && *value) return error_set(err, ERROR_INPUT, "--%s takes no value", option->name), NULL;
    return option;
}

/// Whether the text is one of the values that the option's row names ("collectives|links").
static bool is_choice(const struct option *option, const char *text) {
    size_t length = strlen(text);
    for (const char *at = option->value; *at; at += strcspn(at, "|"), at += *at == '|')
        if (strcspn(at, "|") == length && !strncmp(at, text, length)) return true;
    return false;
}

bool options_parse(const struct option_group *groups, int argc, char **argv, struct options *out, struct error *err) {
    *out = (struct options){0};
    bool only_operands = false;
    for (int i = 0; i < argc; i++) {
        if (only_operands || argv[i][0] != '-' || !argv[i][1]) {
            texts_add(&out->operands, "%s", argv[i]);
            continue;
        }
        if (!strcmp(argv[i], "--")) {
            only_operands = true;
            continue;
        }
        const char *value = NULL;
        const struct option *option = match_argument(groups, argv[i], &value, err);
        if (!option) return false;
        if (option->kind == OPTION_MAYBE && !value && i + 1 < argc && is_choice(option, argv[i + 1]))
            return error_set(err, ERROR_INPUT, "--%s %s: a value follows after =, --%s=%s (a file of that name is ./%s)", option->name,
                             argv[i + 1], option->name, argv[i + 1], argv[i + 1]);
        if (option->kind == OPTION_MAYBE && !value) value = "";
        if (option->kind != OPTION_FLAG && !value) {
            if (i + 1 == argc) return error_set(err, ERROR_INPUT, "--%s needs a value: %s", option->name, option->value);
            value = argv[++i];
        }
        if (!store_value(option, value, out, err)) return false;
    }
    return true;
}

void options_free(struct options *options) {
    texts_free(&options->set);
    texts_free(&options->settings);
    texts_free(&options->vary);
    texts_free(&options->operands);
}

static void print_option(const struct option *option, FILE *out) {
    char left[64], letter[8] = "";
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    const char *gap = option->kind == OPTION_MAYBE ? "[=" : " ", *end = option->kind == OPTION_MAYBE ? "]" : "";
    snprintf(left, sizeof left, "%s--%s%s%s%s", letter, option->name, option->value ? gap : "", option->value ? option->value : "", end);
    enum { WIDTH = 30 };
    bool fits = strlen(left) <= WIDTH;
    fprintf(out, "  %-*s%s%*s%s\n", WIDTH, left, fits ? " " : "\n", fits ? 0 : WIDTH + 3, "", option->help);
}

void options_print(const struct option_group *groups, FILE *out) {
    for (; groups->title; groups++) {
        fprintf(out, "\n%s:\n", groups->title);
        for (const struct option *o = groups->options; o->name; o++) print_option(o, out);
    }
}

bool options_color(const struct options *options, int descriptor) {
    if (options->color != COLOR_AUTO) return options->color == COLOR_ALWAYS;
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    return !(no_color && *no_color) && !(term && !strcmp(term, "dumb")) && isatty(descriptor);
}

bool options_utf8(void) {
    static const char *const variables[] = {"LC_ALL", "LC_CTYPE", "LANG"}; // the first that is set decides
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *locale = getenv(variables[i]);
        if (!locale || !*locale) continue;
        const char *charset = strrchr(locale, '.');
        return charset && (!strncasecmp(charset, ".UTF-8", 6) || !strncasecmp(charset, ".utf8", 5));
    }
    return false;
}
