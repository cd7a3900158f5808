/* Timers: a heap of ops ordered by deadline; each op knows its place, so that cancelling one needs no search. */
#ifndef RAFFIA_TIMER_H
#define RAFFIA_TIMER_H

#include "op.h"

struct raffia_timers {
    struct raffia_op **heap;
    size_t count, capacity;
};

/* Monotonic, nanoseconds. */
int64_t raffia_now(void);

void raffia_timers_init(struct raffia_timers *timers);
void raffia_timers_free(struct raffia_timers *timers);
/* 0 or -ENOMEM. The op's deadline is set before. Timers of one deadline fire in any order. */
int raffia_timers_add(struct raffia_timers *timers, struct raffia_op *op);
void raffia_timers_remove(struct raffia_timers *timers, struct raffia_op *op);
/* The op with the earliest deadline, or NULL. */
struct raffia_op *raffia_timers_first(const struct raffia_timers *timers);
size_t raffia_timers_memsize(const struct raffia_timers *timers);

#endif
