/* A worker's request counters, in memory that processes share. One writes, another reads, without a
 * lock: each counter is atomic by itself, and several are not consistent with each other. Counters
 * only grow, except gauges. */
#ifndef RAFFIA_REQUEST_METRICS_H
#define RAFFIA_REQUEST_METRICS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

typedef _Atomic int64_t raffia_counter;

/* Upper bounds in microseconds, from 100 us up; one more bucket is for what is longer than the
 * last. */
#define RAFFIA_BOUNDS                                                                              \
    100, 250, 500, 1000, 2500, 5000, 10000, 25000, 50000, 100000, 250000, 500000, 1000000,         \
        2500000, 5000000, 10000000, 25000000, 50000000
enum { RAFFIA_BUCKETS = 19 };

struct raffia_histogram {
    raffia_counter buckets[RAFFIA_BUCKETS]; /* not cumulative */
    raffia_counter sum;                     /* microseconds */
};

/* Counters only, so that they can also be accessed by index. */
struct raffia_request_metrics {
    raffia_counter requests;
    raffia_counter classes[5]; /* answers 1xx ... 5xx */
    raffia_counter received, sent;
    struct raffia_histogram duration, queued;
};

void raffia_histogram_add(struct raffia_histogram *histogram, int64_t microseconds);

/* Counts one request. `status` is 0 without a response. Times in microseconds; a negative `queued`
 * is unknown. */
void raffia_request_metrics_add(struct raffia_request_metrics *metrics, int status,
                                int64_t duration, int64_t queued, int64_t received, int64_t sent);

/* Raises the counter to at least `least`. */
void raffia_counter_raise(raffia_counter *number, int64_t least);

/* Maps `count` zeroed counters that the children of later forks share. NULL without memory. */
raffia_counter *raffia_counters_map(size_t count);
void raffia_counters_unmap(raffia_counter *numbers, size_t count);

#endif
