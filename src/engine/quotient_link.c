#include "engine/quotient_link.h"

#include <string.h>

// ---- rings

/// Items first .. end-1 of a ring, which has no room for so many, in one of twice the size. Half of them stay where they are.
static void *larger_ring(void *ring, uint32_t *room, uint32_t first, uint32_t end, size_t item) {
    size_t capacity = *room, wanted = *room ? 2 * capacity : 16;
    if (wanted > UINT32_C(1) << 30) fatal("more than 2^30 chunks in flight on one link");
    char *larger = pages_reserve(ring, &capacity, wanted, item);
    for (uint32_t i = first; i != end; i++)
        if (i & *room) memcpy(larger + (i & (wanted - 1)) * item, larger + (i & (*room - 1)) * item, item);
    *room = (uint32_t)wanted;
    return larger;
}

void quotient_grow_ring(struct sim *sim, struct fifo *fifo, uint32_t chunks) {
    while (fifo->tail - fifo->head + chunks > fifo->room) {
        sim->ring_bytes -= fifo->room * sizeof *fifo->ring;
        fifo->ring = larger_ring(fifo->ring, &fifo->room, fifo->head, fifo->tail, sizeof *fifo->ring);
        sim->ring_bytes += fifo->room * sizeof *fifo->ring;
    }
}

void quotient_push_flight(struct fifo *fifo, const struct flight *flight) {
    if (fifo->last_flight - fifo->first_flight == fifo->flight_room)
        fifo->flights = larger_ring(fifo->flights, &fifo->flight_room, fifo->first_flight, fifo->last_flight, sizeof *fifo->flights);
    fifo->flights[fifo->last_flight++ & (fifo->flight_room - 1)] = *flight;
}

// ---- sizes

void quotient_count(struct fifo *fifo) {
    fifo->chunks += fifo->alike;
    fifo->bytes += fifo->alike * (uint64_t)fifo->last_bytes;
    fifo->busy_ticks += (int64_t)fifo->alike * fifo->last_ticks;
    fifo->alike = 0;
}

void quotient_size_up(const struct sim *sim, struct fifo *fifo, const struct passing *chunk) {
    const struct rate_class *rate = &sim->classes[fifo->rate_class];
    uint32_t class = chunk->kind >> KIND_SIZE;
    bool cached = class != UNCACHED_SIZE;
    quotient_count(fifo);
    fifo->last_bytes = cached ? sim->size_bytes[class] : sim_uncached_bytes(sim, chunk->message, 0); // none is reduced
    fifo->last_ticks = cached ? sim_class_ticks(sim, class, fifo->rate_class) : sim_service_of(sim, rate, fifo->last_bytes);
    fifo->last_class = cached ? class : NO_CLASS; // those are of any size
    fifo->last_start = last_start_of(fifo->last_ticks, fifo->latency_ticks);
    fifo->waits_until = -1;
}

void quotient_overflow(struct sim *sim) {
    sim->overflowed = true; // a run in full will say where
    sim->next_check = 0;
    error_set(sim->error, ERROR_SIMULATION, "the clock overflows");
}
