/* Timers, exact to the nanosecond: arming and cancelling one costs the same however many there are.
 *
 * They lie in a hierarchical wheel, whose slots are lists. A tick is 2^15 ns; on level 0 a slot is
 * one tick, and on each level above it is 64 slots of the level below, so 8 levels reach as far as
 * an int64_t does. A timer lies on the lowest level on which its tick and the horizon (the tick up
 * to which the wheel has been turned) have different slots. So whatever is on a level is earlier
 * than all on the levels above, and the first slot in use is found in bitmaps.
 *
 * Those whose tick is at or before the horizon lie in a heap, by deadline: microseconds' worth,
 * whatever the rest. Nothing is allocated. The clock is the caller's. */
#ifndef RAFFIA_TIMER_H
#define RAFFIA_TIMER_H

#include "op.h"

enum { RAFFIA_TIMER_LEVELS = 8, RAFFIA_TIMER_SLOTS = 64 };

struct raffia_timers {
    struct raffia_op *heap;
    struct raffia_op *slots[RAFFIA_TIMER_LEVELS * RAFFIA_TIMER_SLOTS];
    uint64_t used[RAFFIA_TIMER_LEVELS]; /* a bit for each slot that is not empty */
    uint32_t levels;                    /* a bit for each level that is not empty */
    int64_t horizon;                    /* a tick */
    uint64_t order;                     /* of the next timer */
    size_t count;
    uint64_t moves; /* of timers, from a slot to another one or to the heap */
};

/* Monotonic, nanoseconds. Core and binding read the clock only here. */
int64_t raffia_now(void);
/* The same time, a few milliseconds late and nearly free: for statistics. */
int64_t raffia_coarse_now(void);
/* Both tell this time on the calling thread from now on; 0: the system's again. */
void raffia_simulate_clock(int64_t now);
int raffia_clock_is_simulated(void);

void raffia_timers_init(struct raffia_timers *timers);
/* The op's deadline is set before. */
void raffia_timers_add(struct raffia_timers *timers, struct raffia_op *op, int64_t now);
void raffia_timers_remove(struct raffia_timers *timers, struct raffia_op *op);
/* Removes the next timer whose deadline is not after `now`, or NULL: by deadline, and of equal ones
 * the first that was added. */
struct raffia_op *raffia_timers_expire(struct raffia_timers *timers, int64_t now);
/* When to call expire next: no later than the first deadline, INT64_MAX when there is none. Where a
 * slot holds many timers it may be the slot's start. */
int64_t raffia_timers_next(const struct raffia_timers *timers);

#endif
