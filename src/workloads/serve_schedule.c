// Queues, batches and admission. A request goes to the prefill instance with the fewest tokens before it (the first of
// equals); there it waits for memory and its turn, first come first served. With its first token made, its keys and values go to the
// decode instance with the fewest tokens reserved among those with room for prompt and answer; where none has room it
// waits, and all behind it. Decoding takes all sequences of an instance, up to max_batch, one token an iteration; who
// comes joins at the next. A co-located instance does both: its batches are the sequences that decode and, up to
// max_batch_tokens, parts of prompts (Agrawal et al., Sarathi-Serve, 2024), or without chunks one kind at a time.
#include <string.h>

#include "workloads/serve_state.h"

static void arrive(void *context, uint32_t request, int64_t now);
static void decide(void *context, uint32_t cookie, int64_t now);

static void queue_push(struct request_queue *queue, uint32_t request) {
    if (queue->head + queue->count == queue->capacity && queue->head > 0) {
        memmove(queue->items, queue->items + queue->head, queue->count * sizeof *queue->items);
        queue->head = 0;
    }
    ARRAY_RESERVE(queue->items, queue->capacity, queue->head + queue->count + 1);
    queue->items[queue->head + queue->count++] = request;
}

static uint32_t queue_pop(struct request_queue *queue) {
    uint32_t request = queue_front(queue);
    queue->head++;
    if (--queue->count == 0) queue->head = 0;
    return request;
}

/// At the end of the instant's other affairs, so that what happens together is decided on together.
void serve_decide_soon(struct serve_job *job) {
    if (job->deciding) return;
    job->deciding = true;
    communicator_timer(job->comm, 0, communicator_now(job->comm), (struct done_call){decide, job}, 0);
}

// ---- arrivals

static void expect_next(struct serve_job *job) {
    if (job->arrived == job->requests.count) return;
    uint32_t next = (uint32_t)job->arrived;
    int64_t at = ticks_after(job->start, job->states[next].arrival);
    communicator_timer(job->comm, 0, at, (struct done_call){arrive, job}, next);
}

void serve_begin(struct serve_job *job) {
    job->start = communicator_now(job->comm);
    expect_next(job);
}

static struct instance *least_loaded_prefill(struct serve_job *job) {
    struct instance *least = &job->instances[0];
    for (uint32_t i = 1; i < job->prefill_count; i++)
        if (job->instances[i].load < least->load) least = &job->instances[i];
    return least;
}

/// Tokens that a request counts for in the load of the instance that prefills it.
static int64_t prefill_load(const struct instance *instance, const struct llm_request *request) {
    return instance->decodes ? request_decode_tokens(request) : request->input;
}

static void arrive(void *context, uint32_t request, int64_t now) {
    struct serve_job *job = context;
    (void)now;
    struct instance *instance = least_loaded_prefill(job);
    job->states[request].prefill_instance = instance->index;
    instance->load += prefill_load(instance, &job->requests.items[request]);
    queue_push(&instance->waiting, request);
    job->arrived++;
    expect_next(job);
    serve_decide_soon(job);
}

// ---- ends

static void finish_job(struct serve_job *job, int64_t now) {
    job->end = now;
    for (uint32_t rank = 0; rank < job->ranks_used; rank++) job->job.rank_done.call(job->job.rank_done.context, rank, now);
}

static void finish_request(struct serve_job *job, uint32_t request) {
    int64_t now = communicator_now(job->comm);
    job->states[request].end = now;
    if (++job->done == job->requests.count) finish_job(job, now);
}

/// The last token of a sequence of `instance` is made.
static void finish_decoding(struct instance *instance, uint32_t request) {
    int64_t tokens = request_decode_tokens(&instance->job->requests.items[request]);
    instance->kv_used -= tokens;
    instance->load -= tokens;
    finish_request(instance->job, request);
}

/// Its first token is made: it goes on to decode, or it is done.
static void finish_prefill(struct instance *instance, uint32_t request) {
    struct serve_job *job = instance->job;
    const struct llm_request *asked = &job->requests.items[request];
    struct request_state *state = &job->states[request];
    state->first_token = communicator_now(job->comm);
    state->generated = 1;
    if (job->prefixes) prefix_cache_add(job->prefixes, asked->blocks, asked->block_count);
    if (!instance->decodes) instance->load -= asked->input;
    if (asked->output == 1 && instance->decodes) {
        finish_decoding(instance, request);
    } else if (asked->output == 1) {
        instance->kv_used -= asked->input;
        finish_request(job, request);
    } else if (instance->decodes) {
        state->decode_instance = instance->index;
        queue_push(&instance->joining, request);
    } else {
        queue_push(&job->ready, request);
    }
}

static void end_pieces(struct instance *instance) {
    for (size_t i = 0; i < instance->piece_count; i++) {
        const struct piece *piece = &instance->pieces[i];
        struct request_state *state = &instance->job->states[piece->request];
        state->computed += piece->tokens;
        if (state->computed == instance->job->requests.items[piece->request].input) finish_prefill(instance, piece->request);
    }
    instance->piece_count = 0;
}

static void end_decoding(struct instance *instance) {
    struct serve_job *job = instance->job;
    size_t kept = 0;
    for (size_t i = 0; i < instance->decoding; i++) {
        uint32_t request = instance->running[i];
        const struct llm_request *asked = &job->requests.items[request];
        struct request_state *state = &job->states[request];
        if (++state->generated < asked->output) {
            instance->running[kept++] = request;
            instance->context++;
        } else {
            instance->context -= asked->input + state->generated - 1;
            finish_decoding(instance, request);
        }
    }
    if (instance->decoding > 0) instance->running_count = kept;
    instance->decoding = 0;
}

void serve_batch_done(struct instance *instance) {
    instance->busy = false;
    instance->busy_ticks += communicator_now(instance->job->comm) - instance->busy_since;
    end_decoding(instance);
    end_pieces(instance);
    serve_decide_soon(instance->job);
}

// ---- batches

static int64_t tokens_to_keep(const struct instance *instance, const struct llm_request *request) {
    return instance->decodes ? request_decode_tokens(request) : request->input;
}

/// Tokens of its prompt that need not be computed; the last one always is, for what follows it.
static int64_t find_prefix(struct serve_job *job, const struct llm_request *request) {
    if (!job->prefixes) return 0;
    int64_t known = (int64_t)prefix_cache_match(job->prefixes, request->blocks, request->block_count) * REQUEST_BLOCK;
    return known < request->input ? known : request->input - 1;
}

/// Lets the first in the queue in, if there is memory for it.
static bool begin_prompt(struct instance *instance, uint32_t request) {
    struct serve_job *job = instance->job;
    const struct llm_request *asked = &job->requests.items[request];
    struct request_state *state = &job->states[request];
    if (state->prefill_start >= 0) return true;
    if (instance->kv_used + tokens_to_keep(instance, asked) > instance->kv_capacity) return false;
    instance->kv_used += tokens_to_keep(instance, asked);
    state->prefill_start = communicator_now(job->comm);
    state->computed = state->reused = find_prefix(job, asked);
    return true;
}

static void take_piece(struct instance *instance, uint32_t request, int64_t tokens) {
    ARRAY_RESERVE(instance->pieces, instance->piece_capacity, instance->piece_count + 1);
    instance->pieces[instance->piece_count++] = (struct piece){request, tokens};
}

/// Parts of prompts, in the order of the queue, of at most `room` tokens and `most` prompts.
static void take_pieces(struct instance *instance, int64_t room, size_t most) {
    const struct serve_job *job = instance->job;
    bool chunked = job->config->chunked_prefill;
    while (instance->waiting.count > 0 && instance->piece_count < most && room > 0) {
        uint32_t request = queue_front(&instance->waiting);
        if (!begin_prompt(instance, request)) return;
        int64_t left = job->requests.items[request].input - job->states[request].computed;
        bool alone = !chunked && instance->piece_count == 0; // a prompt longer than a batch is one of its own
        if (left > room && !chunked && !alone) return;
        int64_t tokens = left < room || alone ? left : room;
        take_piece(instance, request, tokens);
        room -= tokens;
        if (tokens < left) return;
        queue_pop(&instance->waiting);
    }
}

static void let_join(struct instance *instance) {
    struct serve_job *job = instance->job;
    while (instance->joining.count > 0 && instance->running_count < (size_t)job->config->max_batch) {
        uint32_t request = queue_pop(&instance->joining);
        job->states[request].decode_start = communicator_now(job->comm);
        instance->running[instance->running_count++] = request;
        instance->context += job->requests.items[request].input + job->states[request].generated;
    }
}

static struct pass pass_of(const struct instance *instance) {
    int64_t decoding = (int64_t)instance->decoding;
    struct pass pass = {.decoding = instance->piece_count == 0};
    if (decoding > 0) pass = (struct pass){decoding, instance->context, instance->context, decoding, pass.decoding};
    for (size_t i = 0; i < instance->piece_count; i++) {
        const struct piece *piece = &instance->pieces[i];
        const struct request_state *state = &instance->job->states[piece->request];
        const struct pass part = pass_prefill(piece->tokens, state->computed);
        pass.tokens += part.tokens, pass.attended += part.attended, pass.kv_read += part.kv_read;
        pass.sequences += state->computed + piece->tokens == instance->job->requests.items[piece->request].input;
    }
    return pass;
}

static void count_batch(struct instance *instance, const struct pass *pass) {
    if (instance->decoding > 0) {
        instance->iterations++;
        instance->batch_sum += instance->decoding;
        if (instance->decoding > instance->batch_most) instance->batch_most = instance->decoding;
    }
    if (instance->piece_count > 0) {
        instance->prefill_iterations++;
        instance->prefill_tokens += (uint64_t)pass->tokens - instance->decoding;
    }
}

static void begin_batch(struct instance *instance) {
    const struct serve_config *config = instance->job->config;
    if (instance->busy) return;
    if (instance->decodes) let_join(instance);
    size_t places = (size_t)config->max_batch - instance->running_count - instance->joining.count;
    int64_t room = config->max_batch_tokens - (config->chunked_prefill ? (int64_t)instance->running_count : 0);
    if (instance->prefills && instance->joining.count == 0) take_pieces(instance, room, instance->decodes ? places : SIZE_MAX);
    instance->decoding = config->chunked_prefill || instance->piece_count == 0 ? instance->running_count : 0;
    if (instance->piece_count == 0 && instance->decoding == 0) return;
    const struct pass pass = pass_of(instance);
    count_batch(instance, &pass);
    instance->busy = true;
    instance->busy_since = communicator_now(instance->job->comm);
    iteration_begin(instance, &pass);
}

// ---- from prefill to decode

/// NULL where none has room.
static struct instance *least_loaded_decode(struct serve_job *job, int64_t tokens) {
    struct instance *least = NULL;
    for (uint32_t i = job->prefill_count; i < job->instance_count; i++) {
        struct instance *instance = &job->instances[i];
        if (instance->kv_used + tokens > instance->kv_capacity) continue;
        if (!least || instance->load < least->load) least = instance;
    }
    return least;
}

static void begin_transfers(struct serve_job *job) {
    while (job->ready.count > 0) {
        uint32_t request = queue_front(&job->ready);
        int64_t tokens = request_decode_tokens(&job->requests.items[request]);
        struct instance *instance = least_loaded_decode(job, tokens);
        if (!instance) return;
        queue_pop(&job->ready);
        instance->kv_used += tokens;
        instance->load += tokens;
        job->states[request].decode_instance = instance->index;
        transfer_begin(job, request);
    }
}

void serve_request_joins(struct serve_job *job, uint32_t request) {
    queue_push(&job->instances[job->states[request].decode_instance].joining, request);
}

/// Transfers first: whether a team's collectives may be replayed depends on them.
static void decide(void *context, uint32_t cookie, int64_t now) {
    struct serve_job *job = context;
    (void)cookie, (void)now;
    job->deciding = false;
    begin_transfers(job);
    for (uint32_t i = 0; i < job->instance_count; i++) begin_batch(&job->instances[i]);
}
