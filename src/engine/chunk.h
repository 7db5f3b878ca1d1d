#ifndef ENGINE_CHUNK_H
#define ENGINE_CHUNK_H

#include <stdint.h>

/// A chunk on its way over a link, in the FIFO of that link.
struct chunk {
    int64_t join; ///< when it joins the queue of its next link, or is delivered
    int64_t tail; ///< when its last byte is at the far end
    uint32_t message, destination;
    uint32_t out; ///< the link it joins
    union {
        struct {
            uint32_t selector : 20, size_class : 12;
        };
        uint32_t kind; ///< both
    };
};

#endif
