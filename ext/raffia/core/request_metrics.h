/* What a worker counts of its requests: numbers in memory that processes share. One writes, another
 * reads, with no lock: each number is atomic by itself, and nothing is promised about several at
 * one moment. Numbers only grow, but for the gauges. */
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

/* Nothing but numbers, so that they can also be reached by their index. */
struct raffia_request_metrics {
    raffia_counter requests;
    raffia_counter classes[5]; /* answers 1xx ... 5xx */
    raffia_counter received, sent;
    struct raffia_histogram duration, queued;
};

void raffia_histogram_add(struct raffia_histogram *histogram, int64_t microseconds);

/* One request has been answered. `status` may be 0: nothing was. Times in microseconds; a negative
 * `queued` is not known. */
void raffia_request_metrics_add(struct raffia_request_metrics *tally, int status, int64_t duration,
                                int64_t queued, int64_t received, int64_t sent);

/* The number becomes at least `least`. */
void raffia_counter_raise(raffia_counter *number, int64_t least);

/* `count` numbers in zeroed memory that is shared with the children of later forks. NULL when there
 * is none. */
raffia_counter *raffia_counters_map(size_t count);
void raffia_counters_unmap(raffia_counter *numbers, size_t count);

#endif
