#include "timer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Four children a node: half as deep as a binary heap, and the children lie in one or two cache lines. */
enum { CHILDREN = 4, SMALLEST = 64 };

int64_t raffia_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void raffia_timers_init(struct raffia_timers *timers)
{
    memset(timers, 0, sizeof(*timers));
}

void raffia_timers_free(struct raffia_timers *timers)
{
    free(timers->heap);
    raffia_timers_init(timers);
}

static void put(struct raffia_timers *timers, size_t place, struct raffia_op *op)
{
    timers->heap[place] = op;
    op->place = (uint32_t)place;
}

static void move_up(struct raffia_timers *timers, size_t place, struct raffia_op *op)
{
    while (place > 0) {
        size_t parent = (place - 1) / CHILDREN;
        if (timers->heap[parent]->deadline <= op->deadline) break;
        put(timers, place, timers->heap[parent]);
        place = parent;
    }
    put(timers, place, op);
}

static size_t earliest_child(const struct raffia_timers *timers, size_t place)
{
    size_t first = place * CHILDREN + 1, best = first;
    for (size_t child = first + 1; child < first + CHILDREN && child < timers->count; child++) {
        if (timers->heap[child]->deadline < timers->heap[best]->deadline) best = child;
    }
    return best;
}

static void move_down(struct raffia_timers *timers, size_t place, struct raffia_op *op)
{
    while (place * CHILDREN + 1 < timers->count) {
        size_t child = earliest_child(timers, place);
        if (timers->heap[child]->deadline >= op->deadline) break;
        put(timers, place, timers->heap[child]);
        place = child;
    }
    put(timers, place, op);
}

static int grow(struct raffia_timers *timers)
{
    size_t capacity = timers->capacity ? timers->capacity * 2 : SMALLEST;
    struct raffia_op **heap = realloc(timers->heap, capacity * sizeof(*heap));
    if (!heap) return -ENOMEM;
    timers->heap = heap;
    timers->capacity = capacity;
    return 0;
}

int raffia_timers_add(struct raffia_timers *timers, struct raffia_op *op)
{
    if (timers->count == timers->capacity && grow(timers) < 0) return -ENOMEM;
    move_up(timers, timers->count++, op);
    return 0;
}

void raffia_timers_remove(struct raffia_timers *timers, struct raffia_op *op)
{
    struct raffia_op *last = timers->heap[--timers->count];
    if (last == op) return;
    /* The last one takes the free place; it may belong above it or below it, as it came from another branch. */
    size_t place = op->place;
    move_down(timers, place, last);
    if (last->place == place) move_up(timers, place, last);
}

struct raffia_op *raffia_timers_first(const struct raffia_timers *timers)
{
    return timers->count > 0 ? timers->heap[0] : NULL;
}

size_t raffia_timers_memsize(const struct raffia_timers *timers)
{
    return timers->capacity * sizeof(*timers->heap);
}
