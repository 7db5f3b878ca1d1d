// Keys and values of a prompt on their way from a prefill instance to a decode instance, each rank's part to those that need
// it (llm/kv_plan.h), all of a prompt at once when its prefill is done.
#include "llm/kv_plan.h"
#include "workloads/serve_state.h"

struct transfer_part {
    uint32_t from, to; ///< ranks
    int64_t bytes;
};

static struct kv_block block_of(const struct instance *prefill, int64_t tokens) {
    return kv_block_of(&prefill->inference, prefill->inference.model.layers, tokens);
}

/// What one rank of the prefill instance sends to one of the decode instance.
static struct transfer_part part_of(const struct instance *prefill, const struct instance *decode, const struct kv_block *block,
                                    uint32_t pair) {
    const struct kv_groups groups = {prefill->tensor.degree, decode->tensor.degree};
    uint32_t from = pair / groups.receivers, to = pair % groups.receivers;
    return (struct transfer_part){prefill->ranks[from], decode->ranks[to], kv_flow_bytes(block, groups, from, to)};
}

static uint32_t pairs_of(const struct instance *prefill, const struct instance *decode) {
    return prefill->tensor.degree * decode->tensor.degree;
}

void transfer_mark_links(struct serve_job *job, const struct instance *prefill, const struct instance *decode, uint8_t *marks) {
    const struct kv_block block = block_of(prefill, 1 << 20); // so long that whoever ever sends sends some
    for (uint32_t pair = 0; pair < pairs_of(prefill, decode); pair++) {
        struct transfer_part part = part_of(prefill, decode, &block, pair);
        if (part.bytes > 0) job->network.mark_links(job->network.context, part.from, part.to, marks);
    }
}

static bool is_met(const struct serve_job *job, uint32_t prefill, uint32_t decode, uint32_t instance) {
    uint32_t decodes = job->instance_count - job->prefill_count;
    return job->shares[((size_t)prefill * decodes + (decode - job->prefill_count)) * job->instance_count + instance];
}

/// One transfer more, or one less, on the links of each team that meets it.
static void count_transfer(struct serve_job *job, const struct request_state *state, bool begins) {
    job->transfers += begins ? 1 : UINT32_MAX;
    for (uint32_t i = 0; i < job->instance_count; i++) {
        if (!is_met(job, state->prefill_instance, state->decode_instance, i)) continue;
        struct instance *team = &job->instances[i];
        team->transfers += begins ? 1 : UINT32_MAX;
        if (begins && team->replays && team->iteration.replayed_until > communicator_now(job->comm))
            fatal("serve: a transfer begins on the links of instance %u while it replays collectives", i);
    }
}

static void part_delivered(void *context, uint32_t request, int64_t now) {
    struct serve_job *job = context;
    struct request_state *state = &job->states[request];
    if (--state->parts_left > 0) return;
    state->transfer_end = now;
    count_transfer(job, state, false);
    job->instances[state->prefill_instance].kv_used -= job->requests.items[request].input;
    serve_request_joins(job, request);
    serve_decide_soon(job);
}

void transfer_begin(struct serve_job *job, uint32_t request) {
    struct request_state *state = &job->states[request];
    const struct instance *prefill = &job->instances[state->prefill_instance], *decode = &job->instances[state->decode_instance];
    const struct kv_block block = block_of(prefill, job->requests.items[request].input);
    uint32_t order = job->order + SERVE_ORDERS * job->instance_count, pairs = pairs_of(prefill, decode);
    state->transfer_start = communicator_now(job->comm);
    count_transfer(job, state, true);
    job->transfer_count++;
    for (uint32_t pair = 0; pair < pairs; pair++) state->parts_left += part_of(prefill, decode, &block, pair).bytes > 0;
    for (uint32_t pair = 0; pair < pairs; pair++) {
        struct transfer_part part = part_of(prefill, decode, &block, pair);
        if (part.bytes == 0) continue;
        job->kv_bytes_moved += part.bytes;
        communicator_send(job->comm, part.from, part.to, part.bytes, order, pair, (struct done_call){part_delivered, job}, request);
    }
}
