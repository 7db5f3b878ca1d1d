#ifndef WORKLOADS_REQUESTS_H
#define WORKLOADS_REQUESTS_H

#include <stddef.h>
#include <stdint.h>

/// Requests to a language model.
struct llm_request {
    int64_t arrival_ns;    ///< from the first
    int64_t input, output; ///< tokens
    const int64_t *blocks; ///< ids of the prompt's blocks of REQUEST_BLOCK tokens, in order; equal leading ids are a shared prefix
    size_t block_count;    ///< 0: nothing is known of its prefix
    uint64_t line;         ///< of the file; 0: drawn at random
};
enum { REQUEST_BLOCK = 512 };

/// A line of a trace that is no request.
struct trace_fault {
    uint64_t line;
    const char *text; ///< what is wrong
};

/// A file of requests, whole: what is wrong in it is for the workload to judge.
struct request_trace {
    const char *file; ///< as the scenario names it
    size_t count, fault_count;
    const struct llm_request *items;  ///< in the order of the file, arrivals rising
    const struct trace_fault *faults; ///< in the order of the file
};

#endif
