#ifndef TESTS_SCENARIO_NVLINK_SWITCH_H
#define TESTS_SCENARIO_NVLINK_SWITCH_H

/// A switch of that many endpoints with NVLink's 450 GB/s and 2 us a path.
#define NVLINK_SWITCH                                                                                                                     \
    "\"network\": {\"topology\": {\"type\": \"switch\", \"endpoints\": %d, \"link\": {\"bandwidth\": \"450GB/s\", \"alpha\": \"2us\"}}, " \
    "\"chunk\": \"whole\"}"

#endif
