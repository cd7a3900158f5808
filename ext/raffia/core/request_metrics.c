#include "request_metrics.h"

#include <errno.h>
#include <sys/mman.h>

static const int64_t bounds[] = {RAFFIA_BOUNDS};

_Static_assert(sizeof bounds / sizeof *bounds == RAFFIA_BUCKETS - 1, "one bucket more than bounds");

static void grow(raffia_counter *number, int64_t by)
{
    atomic_fetch_add_explicit(number, by, memory_order_relaxed);
}

void raffia_histogram_add(struct raffia_histogram *histogram, int64_t microseconds)
{
    int bucket = 0;
    while (bucket < RAFFIA_BUCKETS - 1 && microseconds > bounds[bucket])
        bucket++;
    grow(&histogram->buckets[bucket], 1);
    grow(&histogram->sum, microseconds);
}

void raffia_request_metrics_add(struct raffia_request_metrics *metrics, int status,
                                int64_t duration, int64_t queued, int64_t received, int64_t sent)
{
    grow(&metrics->requests, 1);
    if (status >= 100 && status < 600) grow(&metrics->classes[status / 100 - 1], 1);
    if (received > 0) grow(&metrics->received, received);
    if (sent > 0) grow(&metrics->sent, sent);
    raffia_histogram_add(&metrics->duration, duration);
    if (queued >= 0) raffia_histogram_add(&metrics->queued, queued);
}

void raffia_counter_raise(raffia_counter *number, int64_t least)
{
    int64_t now = atomic_load_explicit(number, memory_order_relaxed);
    while (now < least && !atomic_compare_exchange_weak_explicit(
                              number, &now, least, memory_order_relaxed, memory_order_relaxed))
        continue;
}

raffia_counter *raffia_counters_map(size_t count)
{
    if (count > SIZE_MAX / sizeof(raffia_counter)) {
        errno = ENOMEM;
        return NULL;
    }
    void *memory = mmap(NULL, count * sizeof(raffia_counter), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void raffia_counters_unmap(raffia_counter *numbers, size_t count)
{
    munmap(numbers, count * sizeof(raffia_counter));
}
