#ifndef ENGINE_CHUNK_H
#define ENGINE_CHUNK_H

#include <stdint.h>

/// A chunk on its way over a link, in the FIFO of that link.
struct chunk {
    int64_t join; ///< when it joins the queue of its next link, or is delivered
    int64_t tail; ///< when its last byte is at the far end
    uint32_t message, destination;
    uint32_t out; ///< the link it joins; until it is routed the node that it is on its way to
    union {
        struct {
            uint32_t selector : 20, size_class : 12;
        };
        uint32_t kind; ///< both
    };
};

static inline uint32_t chunk_kind(uint32_t selector, uint32_t size_class) {
    return (const struct chunk){.selector = selector & 0xfffff, .size_class = size_class & 0xfff}.kind;
}

#endif
