#ifndef ALGOS_COMMUNICATOR_EPISODE_STATE_H
#define ALGOS_COMMUNICATOR_EPISODE_STATE_H

#include "algos/communicator_episode.h"
#include "algos/communicator_state.h"

/// What the files of episodes share: communicator_episode.c (what is held, replaying), communicator_episode_record.c (how an episode
/// begins, and recording how it goes), communicator_round.c and communicator_round_state.c (repetitions of many), and
/// communicator_counted.c (what either adds to links and ranks).

/// A member that has started and waits for its instant to settle.
struct held_start {
    uint32_t collective, member;
};

struct member_end {
    int64_t ticks;     ///< after the start
    uint32_t position; ///< of its collective in the episode
    uint32_t member;
};

/// What had been counted when something began.
struct counted {
    int64_t start;
    struct link_totals *links;        ///< per link
    struct rehearsed_sender *senders; ///< of ranks that may post, what each had
    size_t sender_count, sender_capacity;
    struct sim_totals totals;
};

/// A way in which episodes begin, and how they go then.
struct episode {
    struct episode *next; ///< in its bucket
    uint64_t hash;
    uint64_t *key;
    size_t key_words;
    bool replayable;
    struct rehearsal course;
    size_t delivery_capacity;
    struct member_end *ends; ///< in the order of time
    size_t end_count, end_capacity;
};

/// A collective that was replayed within a round.
struct round_part {
    int64_t ticks; ///< after the mark
    const struct rehearsal *course;
};

struct rounds {
    struct round_teller teller;
    bool asked;                     ///< at this instant: a round begins
    uint64_t vain;                  ///< beginnings since a round was left out last
    uint64_t failures;              ///< of episodes, at the last beginning
    uint32_t told;                  ///< of so many collectives it has been told how they stand
    bool marked;                    ///< what follows was done since the mark
    uint64_t age, patience;         ///< beginnings since the mark, and how many there may be
    struct word_list before, words; ///< how everything stood at the mark, and stands now
    struct counted counted;         ///< at the mark, of all ranks
    uint64_t closed, closed_before; ///< collectives
    struct rehearsal course;        ///< all but the deliveries that were replayed, which are of the parts
    struct round_part *parts;
    size_t delivery_capacity, part_count, part_capacity;
    uint64_t deliveries; ///< of all
};

enum episodes_state { IDLE, RECORDED, REPLAYED };

struct episodes {
    struct replay_rules rules;
    struct held_start *held;
    size_t held_count, held_capacity;
    struct plain_message *messages; ///< held until the clock gets here again
    size_t message_count, message_capacity;

    struct episode **buckets; ///< a power of two
    size_t bucket_count, known_count;
    struct word_list key; ///< scratch

    struct rounds rounds;

    enum episodes_state state;
    struct episode *present;
    int64_t start;
    uint32_t *ids; ///< its collectives, by the rank of their first member
    size_t id_count, id_capacity;
    size_t told;     ///< how many of its ends
    uint32_t number; ///< tells the timers of one from those of another that was given up
    uint64_t tasks_left;
    int64_t computed_at;    ///< when a rank was last asked to compute
    struct counted counted; ///< at the start of what is recorded, of its members: some collectives may be closed when the last ends

    uint64_t in_flight; ///< messages of all kinds
    uint64_t deliveries_kept, links_read;
    uint64_t failures, replays;
    uint64_t *rank_seen; ///< per rank: the last check that saw it
    uint64_t checks;
    bool gave_up;
};

// ---- communicator_counted.c

/// All links and totals as they are now, and no senders yet.
void counted_begin(const struct communicator *comm, struct counted *counted);
void counted_add_sender(const struct communicator *comm, struct counted *counted, uint32_t rank);
/// What has come since: all of `course`, which is empty, but its deliveries and how many collectives it stands for.
void counted_take(const struct communicator *comm, const struct counted *counted, struct rehearsal *course);
void counted_free(struct counted *counted);

// ---- communicator_round.c

void rounds_free(struct rounds *rounds);
/// Hear of all that is done: of a delivery, its ticks those of the clock, and of collectives that went like `course` from `start` on.
void rounds_delivered(struct rounds *rounds, const struct rehearsed_delivery *delivery);
void rounds_replayed(struct rounds *rounds, const struct rehearsal *course, int64_t start);
/// Whether it is too early to say that no rounds can be left out.
bool rounds_may_come(const struct communicator *comm);
/// Everything at this instant has been done, but for what is held: leaves out rounds if it can; false: it did not.
bool rounds_settle(struct communicator *comm);

// ---- communicator_round_state.c

/// Tells in rounds->words how everything stands; *latest becomes the last time of all that is to come. False: it cannot be told.
bool rounds_take_state(struct communicator *comm, int64_t *latest);
/// Everything that is to come happens so much later.
void rounds_put_off(struct communicator *comm, int64_t ticks);

// ---- communicator_episode_record.c

/// What of a request decides how it goes.
void episodes_add_request(struct word_list *words, const struct collective_request *request);

/// The key of the episode that begins now, in episodes->key; returns its hash.
uint64_t episodes_make_key(struct communicator *comm);
/// The known episode of that key; NULL: there is none.
struct episode *episodes_find(const struct episodes *episodes, uint64_t hash);
void episodes_forget_all(struct episodes *episodes); ///< frees the known ones
/// From now on what happens is recorded, up to the end of all that has been collected in episodes->ids; not where too much has been.
void episodes_begin_record(struct communicator *comm, uint64_t hash);
/// What is being recorded does not stand alone, and is dropped.
void episodes_spoil(struct communicator *comm);
/// Counts what could not be replayed; after many the run is stopped where rules.may_give_up.
void episodes_fail(struct communicator *comm);

#endif
