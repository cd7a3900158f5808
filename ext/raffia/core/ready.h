/* Completions that wait to be shifted, in order of arrival. For one thread; see inbox.h for the
 * others. */
#ifndef RAFFIA_READY_H
#define RAFFIA_READY_H

#include "op.h"

enum raffia_flags {
    RAFFIA_MORE = 1,       /* the op continues: this is not its last completion */
    RAFFIA_DESCRIPTOR = 2, /* the result is a descriptor, which the caller owns from now on */
};

struct raffia_completion {
    raffia_data data;
    int64_t result;         /* events, bytes, a descriptor, or -errno */
    int64_t occurred_after; /* lower bound of its time: `last_poll` when it arrived */
    uint32_t buffer;        /* the buffer of the bytes, until it is returned; 0: none */
    uint32_t flags;
};

/* A ring that grows; its capacity is a power of two. */
struct raffia_ready {
    struct raffia_completion *slots;
    size_t capacity, head, count;
    int64_t last_poll; /* nanoseconds, or 0: later completions have not happened before that */
};

void raffia_ready_init(struct raffia_ready *ready);
void raffia_ready_free(struct raffia_ready *ready);
/* Makes sure that `more` pushes cannot fail. 0 or -ENOMEM. */
int raffia_ready_reserve(struct raffia_ready *ready, size_t more);
/* 0 or -ENOMEM. */
int raffia_ready_push(struct raffia_ready *ready, raffia_data data, int64_t result);
int raffia_ready_put(struct raffia_ready *ready, struct raffia_completion completion);
/* 1 and *completion, or 0 when there is none. */
int raffia_ready_shift(struct raffia_ready *ready, struct raffia_completion *completion);
void raffia_ready_each(struct raffia_ready *ready, void (*visit)(raffia_data *data, void *arg),
                       void *arg);
size_t raffia_ready_memsize(const struct raffia_ready *ready);

#endif
