/* The fibers that a scheduler starts, and their reuse. */
#ifndef RAFFIA_BIND_FIBER_POOL_H
#define RAFFIA_BIND_FIBER_POOL_H

#include <ruby.h>

struct scheduler;
struct pooled_fiber;

struct fiber_pool {
    struct pooled_fiber *idle;  /* without work */
    struct pooled_fiber *spare; /* records of fibers that ended */
    size_t idle_count;
    size_t live;               /* fibers, the idle ones included */
    uint64_t started, created; /* blocks, and the fibers made for them */
    VALUE body, empty_body;    /* Procs: of these fibers, and of fibers that never run */
    VALUE interrupted;    /* WeakKeyMap: fibers that were sent an interrupt, and are not reused */
    VALUE pending_values; /* Hash: fiber => [block, storage] of one whose block has not begun yet */
    int recycle;
    int limit_reached; /* fibers wait for another one to end */
};

void raffia_fiber_pool_init(struct fiber_pool *pool);
void raffia_fiber_pool_mark(const struct fiber_pool *pool);
void raffia_fiber_pool_free(struct fiber_pool *pool);
/* Lets go of the idle ones. */
void raffia_fiber_pool_clear(struct fiber_pool *pool);
/* Whether the fiber has ended its block and waits for another one. */
int raffia_fiber_pool_is_idle(const struct fiber_pool *pool, VALUE fiber);

/* Clears the running fiber's locals (Thread#[]). */
void raffia_fiber_clear_locals(void);
void raffia_fiber_clear_variables(VALUE fiber);

void raffia_init_fiber_pool(VALUE native);

#endif
