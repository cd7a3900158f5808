#include "timer.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include "timer_heap.h"

enum { TICK_BITS = 15, LEVEL_BITS = 6, SLOTS = RAFFIA_TIMER_SLOTS, LEVELS = RAFFIA_TIMER_LEVELS };

/* An op's place is its slot, or this. */
enum { IN_HEAP = LEVELS * SLOTS, NOWHERE };

/* The most timers of a slot that are compared to find its first. With more of them, a wake-up at
 * the slot's start moves them down: shared by so many, it is cheaper than comparing all of them
 * before every sleep. */
enum { LOOK = 8 };

_Static_assert(TICK_BITS + LEVELS * LEVEL_BITS == 63, "every deadline has a place in the wheel");

#ifdef CLOCK_MONOTONIC_COARSE
enum { COARSE_CLOCK = CLOCK_MONOTONIC_COARSE };
#else
enum { COARSE_CLOCK = CLOCK_MONOTONIC };
#endif

/* The flag spares programs without simulations the look at memory of the thread. */
static atomic_bool simulations;
static _Thread_local int64_t simulated;

void raffia_simulate_clock(int64_t now)
{
    simulated = now;
    if (now != 0) atomic_store_explicit(&simulations, true, memory_order_relaxed);
}

int raffia_clock_is_simulated(void)
{
    return atomic_load_explicit(&simulations, memory_order_relaxed) && simulated != 0;
}

static int64_t read_clock(clockid_t clock)
{
    if (raffia_clock_is_simulated()) return simulated;
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t raffia_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t raffia_coarse_now(void)
{
    return read_clock(COARSE_CLOCK);
}

void raffia_timers_init(struct raffia_timers *timers)
{
    memset(timers, 0, sizeof(*timers));
}

static int64_t tick_of(int64_t nanoseconds)
{
    return nanoseconds >> TICK_BITS;
}

static void mark(struct raffia_timers *timers, uint32_t place)
{
    timers->used[place / SLOTS] |= (uint64_t)1 << place % SLOTS;
    timers->levels |= (uint32_t)1 << place / SLOTS;
}

static void unmark(struct raffia_timers *timers, uint32_t place)
{
    uint64_t *used = &timers->used[place / SLOTS];
    *used &= ~((uint64_t)1 << place % SLOTS);
    if (!*used) timers->levels &= ~((uint32_t)1 << place / SLOTS);
}

/* The first slot in use, or NOWHERE. */
static uint32_t first_slot(const struct raffia_timers *timers)
{
    if (!timers->levels) return NOWHERE;
    uint32_t level = (uint32_t)__builtin_ctz(timers->levels);
    return level * SLOTS + (uint32_t)__builtin_ctzll(timers->used[level]);
}

/* The first tick of a slot: the horizon's, down to the slot's level, and there the slot's
 * number. */
static int64_t start_of(const struct raffia_timers *timers, uint32_t place)
{
    uint32_t shift = place / SLOTS * LEVEL_BITS;
    int64_t above = timers->horizon >> shift >> LEVEL_BITS;
    return (above << LEVEL_BITS | place % SLOTS) << shift;
}

/* The slot of a tick after the horizon: the highest bit in which they differ tells the level. */
static uint32_t place_of(const struct raffia_timers *timers, int64_t tick)
{
    uint32_t level =
        (uint32_t)(63 - __builtin_clzll((uint64_t)(tick ^ timers->horizon))) / LEVEL_BITS;
    return level * SLOTS + (uint32_t)(tick >> level * LEVEL_BITS) % SLOTS;
}

static void insert(struct raffia_timers *timers, struct raffia_op *op, uint32_t place)
{
    struct raffia_op *first = timers->slots[place];
    op->place = place;
    op->previous = NULL;
    op->next = first;
    timers->slots[place] = op;
    if (first)
        first->previous = op;
    else
        mark(timers, place);
}

static void detach(struct raffia_timers *timers, struct raffia_op *op)
{
    if (op->next) op->next->previous = op->previous;
    if (op->previous) {
        op->previous->next = op->next;
    } else {
        timers->slots[op->place] = op->next;
        if (!op->next) unmark(timers, op->place);
    }
}

static void put(struct raffia_timers *timers, struct raffia_op *op)
{
    int64_t tick = tick_of(op->deadline);
    if (tick > timers->horizon) {
        insert(timers, op, place_of(timers, tick));
    } else {
        op->place = IN_HEAP;
        raffia_heap_push(&timers->heap, op);
    }
}

static void turn(struct raffia_timers *timers, int64_t tick)
{
    if (tick > timers->horizon) timers->horizon = tick;
}

/* Turns the wheel to the start of its first slot, and moves the slot's timers to where they belong
 * from there. */
static void cascade(struct raffia_timers *timers, uint32_t place)
{
    struct raffia_op *op = timers->slots[place], *next;
    turn(timers, start_of(timers, place));
    timers->slots[place] = NULL;
    unmark(timers, place);
    for (; op; op = next) {
        next = op->next;
        put(timers, op);
        timers->moves++;
    }
}

/* Turns the wheel up to a tick, but only until a timer is in the heap, which stays small however
 * far the clock has gone. Only slots in use are visited. */
static void advance(struct raffia_timers *timers, int64_t tick)
{
    while (!timers->heap) {
        uint32_t place = first_slot(timers);
        if (place == NOWHERE || start_of(timers, place) > tick) {
            turn(timers, tick);
            return;
        }
        cascade(timers, place);
    }
}

void raffia_timers_add(struct raffia_timers *timers, struct raffia_op *op, int64_t now)
{
    /* An empty wheel is not turned, and with an old horizon a timer would be on a higher level than
     * needed. */
    if (timers->count++ == 0) turn(timers, tick_of(now));
    op->order = timers->order++;
    put(timers, op);
}

void raffia_timers_remove(struct raffia_timers *timers, struct raffia_op *op)
{
    if (op->place == IN_HEAP)
        raffia_heap_remove(&timers->heap, op);
    else
        detach(timers, op);
    timers->count--;
}

struct raffia_op *raffia_timers_expire(struct raffia_timers *timers, int64_t now)
{
    advance(timers, tick_of(now));
    struct raffia_op *op = timers->heap;
    if (!op || op->deadline > now) return NULL;
    raffia_timers_remove(timers, op);
    return op;
}

static int64_t first_of_slot(const struct raffia_timers *timers, uint32_t place)
{
    int64_t first = INT64_MAX;
    int looked = 0;
    for (const struct raffia_op *op = timers->slots[place]; op; op = op->next) {
        if (looked++ == LOOK) return start_of(timers, place) << TICK_BITS;
        if (op->deadline < first) first = op->deadline;
    }
    return first;
}

int64_t raffia_timers_next(const struct raffia_timers *timers)
{
    if (timers->heap) return timers->heap->deadline;
    uint32_t place = first_slot(timers);
    return place == NOWHERE ? INT64_MAX : first_of_slot(timers, place);
}
