// Requests drawn at random: times between arrivals are exponential (a Poisson process) or gamma (bursty for a shape below 1),
// lengths follow a distribution; all from integer arithmetic (base/fixed.h).
#include "base/fixed.h"
#include "workloads/serve_state.h"

static int64_t scale(int64_t value, int64_t fixed) {
    __int128 scaled = (__int128)value * fixed >> 32;
    return scaled > INT64_MAX ? INT64_MAX : (int64_t)scaled;
}

static int64_t draw_length(const struct length_config *config, struct random_stream *stream) {
    int64_t tokens = config->tokens;
    switch (config->distribution) {
    case LENGTH_UNIFORM: return config->least + (int64_t)random_below(stream, (uint64_t)(config->most - config->least + 1));
    case LENGTH_EXPONENTIAL: tokens = scale(config->tokens, random_exponential(stream)); break;
    case LENGTH_LOG_NORMAL:
        tokens = scale(config->tokens, fixed_exp((int64_t)((__int128)random_normal(stream) * config->sigma / MILLION)));
        break;
    default: break;
    }
    if (tokens > config->most) tokens = config->most;
    return tokens < config->least ? config->least : tokens;
}

void draw_requests(const struct arrivals_config *config, uint64_t seed, struct llm_request *out) {
    struct random_stream stream;
    random_seed(&stream, mix64(seed));
    int64_t shape = config->process == ARRIVALS_GAMMA ? config->shape : MILLION;
    __int128 mean_ns = (__int128)NS_PER_S * MILLION / config->rate, now = 0;
    for (int64_t i = 0; i < config->count; i++) {
        if (i > 0) now += mean_ns * random_gamma(&stream, shape) / shape * MILLION >> 32;
        out[i] = (struct llm_request){.arrival_ns = now > INT64_MAX ? INT64_MAX : (int64_t)now};
        out[i].input = draw_length(&config->input, &stream);
        out[i].output = draw_length(&config->output, &stream);
    }
}
