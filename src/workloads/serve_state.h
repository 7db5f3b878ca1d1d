#ifndef WORKLOADS_SERVE_STATE_H
#define WORKLOADS_SERVE_STATE_H

#include "base/units.h"
#include "workloads/requests.h"
#include "workloads/tensor_parallel.h"
#include "workloads/workload.h"

/// What the files of the serving workload share: serve.c (its keys, life), serve_requests.c (where requests come from),
/// serve_schedule.c (queues, batches, admission), serve_iteration.c (one pass of a team through the model),
/// serve_transfer.c (keys and values from prefill to decode), serve_prefix.c (prefixes that are known), serve_report.c.

#define NS_PER_S INT64_C(1000000000)

// ---- the scenario

struct group_config {
    uint64_t given;
    int64_t instances, tp;
};

enum length_distribution { LENGTH_FIXED, LENGTH_UNIFORM, LENGTH_EXPONENTIAL, LENGTH_LOG_NORMAL };
struct length_config {
    uint64_t given;
    int distribution;
    int64_t tokens, least, most, sigma; ///< sigma in millionths
};

enum arrival_process { ARRIVALS_POISSON, ARRIVALS_GAMMA };
struct arrivals_config {
    uint64_t given;
    int process;
    int64_t count, rate, shape; ///< rate (per second) and shape in millionths
    struct length_config input, output;
};

struct serve_config {
    uint64_t given;
    struct inference_config inference;
    struct tensor_config tensor;
    const struct request_trace *trace;
    struct arrivals_config arrivals;
    int on_bad_line;
    int64_t limit;
    struct group_config prefill, decode, colocated;
    int64_t max_batch, max_batch_tokens, memory_share, prefix_cache_blocks, windows;
    bool chunked_prefill, prefix_reuse, replay;
};
enum { BAD_LINE_ERROR, BAD_LINE_SKIP };

extern const struct field serve_fields[];

static inline bool serve_is_colocated(const struct serve_config *config) { return field_given(serve_fields, config, "colocated"); }

// ---- requests

/// The requests of a run, in the order of arrival.
struct request_list {
    size_t count;
    const struct llm_request *items;
    struct llm_request *owned;     ///< those that were drawn or chosen; NULL: the trace's own
    uint64_t malformed, too_large; ///< lines that were skipped
};

/// How many tokens of keys and values the smallest instance of each kind can keep.
struct token_limits {
    int64_t prefill, decode;
};

/// Reads or draws them; false with error_at where a line is bad and none may be skipped.
bool serve_requests(const struct serve_config *config, uint64_t seed, const struct token_limits *limits, struct request_list *out,
                    struct error *err);
void request_list_free(struct request_list *list);

/// Draws requests; `out` has config->count entries.
void draw_requests(const struct arrivals_config *config, uint64_t seed, struct llm_request *out);

/// Tokens that its instance must keep at most: the last token made is never cached.
static inline int64_t request_decode_tokens(const struct llm_request *request) { return request->input + request->output - 1; }

/// How one request fares. Times are -1 until they are known.
struct request_state {
    int64_t arrival, prefill_start, first_token, transfer_start, transfer_end, decode_start, end;
    int64_t reused;   ///< tokens of the prompt that a known prefix spares
    int64_t computed; ///< tokens of the prompt that are done, those reused included
    int64_t generated;
    uint32_t prefill_instance, decode_instance;
    uint32_t parts_left; ///< messages of its transfer under way
};

/// Requests in the order in which they came.
struct request_queue {
    uint32_t *items;
    size_t head, count, capacity;
};

static inline uint32_t queue_front(const struct request_queue *queue) { return queue->items[queue->head]; }

// ---- instances

/// One collective of a team that is known, by its size.
struct known_collective {
    int64_t bytes; ///< 0: an empty slot
    struct rehearsal *rehearsal;
};
struct known_collectives {
    struct known_collective *slots;
    size_t count, capacity; ///< capacity: a power of two
};

/// A pass of a team through the model: for each half of a layer compute, then its collectives; last the logits. The ranks of
/// the team leave each collective together, when the last of them does.
struct iteration {
    struct pass_ticks ticks;
    int64_t bytes; ///< of a collective
    uint32_t half, halves;
    int64_t compute_left; ///< ticks of computing and launching, logits included
    int64_t earliest_end;
    int64_t replayed_until; ///< the links are taken up to then by collectives that are not simulated

    size_t replays; ///< halves of a layer that are being replayed
    const struct rehearsal *rehearsals[2];
    int64_t *starts[2]; ///< [collective of the half]: halves entries

    uint32_t place, members_left, collective; ///< simulated: which of the half, ranks in it, the communicator's id
};

/// A part of a prompt in a batch.
struct piece {
    uint32_t request;
    int64_t tokens;
};

struct instance {
    struct serve_job *job;
    uint32_t index, first_rank;
    bool prefills, decodes;
    struct inference inference;
    struct tensor tensor;
    uint32_t *ranks;              ///< the team's
    int64_t kv_capacity, kv_used; ///< tokens
    int64_t load;                 ///< tokens of requests that were routed to it and are not done there

    struct request_queue waiting; ///< for prefill
    struct request_queue joining; ///< for a place in the batch
    uint32_t *running;            ///< sequences that decode
    size_t running_count;
    int64_t context; ///< tokens that these attend to in the next iteration

    bool busy;
    struct piece *pieces; ///< of the batch that runs
    size_t piece_count, piece_capacity;
    size_t decoding; ///< sequences that decode in the batch that runs
    struct iteration iteration;

    bool replays;         ///< its collectives may be replayed where nothing else uses its links
    bool meets_transfers; ///< some transfer may use its links
    uint32_t transfers;   ///< under way on its links
    struct known_collectives known[2];

    uint64_t iterations, batch_sum, batch_most; ///< of decoding: sequences
    uint64_t prefill_iterations, prefill_tokens;
    int64_t busy_ticks, busy_since;
};

// ---- the job

/// Collective numbers of each instance; the transfers' comes after those of all.
enum { SERVE_ORDERS = 64 };

struct prefix_cache;
struct link_windows;

struct serve_job {
    struct job job;
    const struct serve_config *config;
    struct communicator *comm;
    struct network_view network;
    bool shared; ///< other workloads may use it meanwhile
    uint32_t order, ranks, ranks_started, ranks_used;
    int64_t ticks_per_s, start;
    struct request_list requests;
    struct request_state *states;
    size_t arrived, done;
    struct instance *instances;
    uint32_t instance_count, prefill_count; ///< those for prefill come first
    struct request_queue ready;             ///< with a first token, waiting for memory of a decode instance
    bool *shares;       ///< [(prefill * decode instances + decode) * instances + instance]: a transfer meets that team's links
    uint32_t transfers; ///< under way
    bool deciding;      ///< decisions are due at this instant
    struct prefix_cache *prefixes;
    struct link_windows *windows;
    uint64_t transfer_count, halves_replayed, halves_simulated; ///< halves of layers
    int64_t kv_bytes_moved, end;
};

/// a + b, at most the end of time (where the engine reports an overflow).
static inline int64_t ticks_after(int64_t a, int64_t b) {
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

// serve_schedule.c
void serve_begin(struct serve_job *job);
void serve_decide_soon(struct serve_job *job); ///< something has changed: batches and transfers are decided on at this instant
void serve_batch_done(struct instance *instance);
void serve_request_joins(struct serve_job *job, uint32_t request); ///< its keys and values have come

// serve_iteration.c
void iteration_begin(struct instance *instance, const struct pass *pass); ///< calls serve_batch_done in the end
void iteration_find_sharing(struct serve_job *job);                       ///< which teams may be replayed
void iteration_release(struct instance *instance);

// serve_transfer.c
void transfer_begin(struct serve_job *job, uint32_t request);
/// The links that the transfers between two instances may take.
void transfer_mark_links(struct serve_job *job, const struct instance *prefill, const struct instance *decode, uint8_t *marks);

// serve_prefix.c
struct prefix_cache *prefix_cache_create(int64_t most_blocks); ///< 0: no limit
void prefix_cache_free(struct prefix_cache *cache);
size_t prefix_cache_match(struct prefix_cache *cache, const int64_t *blocks, size_t count); ///< how many leading blocks are known
void prefix_cache_add(struct prefix_cache *cache, const int64_t *blocks, size_t count);

// serve_report.c
void serve_report(const struct job *job, struct figures *figures);
struct link_windows *link_windows_create(struct serve_job *job);
void link_windows_free(struct link_windows *windows);

#endif
