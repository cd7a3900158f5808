/* Completions that wait to be shifted, in the order in which they came. One thread's own; see inbox.h for the others. */
#ifndef RAFFIA_READY_H
#define RAFFIA_READY_H

#include "op.h"

struct raffia_completion {
    raffia_data data;
    int64_t result; /* events, bytes, or -errno */
};

/* A ring that grows; its capacity is a power of two. */
struct raffia_ready {
    struct raffia_completion *slots;
    size_t capacity, head, count;
};

void raffia_ready_init(struct raffia_ready *ready);
void raffia_ready_free(struct raffia_ready *ready);
/* Makes sure that `more` pushes cannot fail. 0 or -ENOMEM. */
int raffia_ready_reserve(struct raffia_ready *ready, size_t more);
/* 0 or -ENOMEM. */
int raffia_ready_push(struct raffia_ready *ready, raffia_data data, int64_t result);
/* 1 and *completion, or 0 when there is none. */
int raffia_ready_shift(struct raffia_ready *ready, struct raffia_completion *completion);
void raffia_ready_each(struct raffia_ready *ready, void (*visit)(raffia_data *data, void *arg), void *arg);
size_t raffia_ready_memsize(const struct raffia_ready *ready);

#endif
