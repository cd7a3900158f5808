/*
 * How long answers took, and what is said of a phase in the end.
 */
#ifndef RAFFIA_BENCH_LATENCY_H
#define RAFFIA_BENCH_LATENCY_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LATENCIES_MAX = 1 << 22 };

static uint64_t *latencies, latency_count;
static char results[1024], *reported = results;

static inline int latency_setup(void)
{
    return !(latencies = calloc(LATENCIES_MAX, sizeof *latencies));
}

static inline void latency_add(uint64_t nanoseconds)
{
    if (latency_count < LATENCIES_MAX) latencies[latency_count++] = nanoseconds;
}

static inline void latency_reset(void)
{
    latency_count = 0;
}

static int latency_ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* @return the seconds in which this part of the answers came */
static double latency_of(double part)
{
    return latency_count ? (double)latencies[(uint64_t)((double)(latency_count - 1) * part)] / 1e9
                         : 0;
}

/* Appends a phase to the results, as JSON. */
static void report(const char *name, uint64_t requests, uint64_t unanswered, double wall,
                   double used)
{
    qsort(latencies, latency_count, sizeof *latencies, latency_ascending);
    reported += sprintf(reported,
                        "\"%s\": {\"requests\": %llu, \"unanswered\": %llu, \"wall\": %.9f, "
                        "\"cpu\": %.9f, \"p50\": %.9f, "
                        "\"p99\": %.9f, \"p999\": %.9f, \"max\": %.9f}, ",
                        name, (unsigned long long)requests, (unsigned long long)unanswered, wall,
                        used, latency_of(0.5), latency_of(0.99), latency_of(0.999), latency_of(1));
    latency_reset();
}

#endif
