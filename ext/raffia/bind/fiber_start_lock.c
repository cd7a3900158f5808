/* The first switch to a fiber takes a stack from a pool that all Ractors share. Up to Ruby 3.4 no
 * lock protects that pool: two Ractors may take the same stack, and a collector that frees stacks
 * may do so in between. Two rules keep our own starts safe:
 *
 * - Only one Ractor at a time is between raffia_fiber_start_lock and the moment when the fiber
 *   runs, which unlocks.
 * - No sweep runs then. A sweep beside other Ractors is the rest of one that began with all of them
 *   stopped. So a sweep in progress is finished first. None can begin before this thread can be
 *   stopped, which is after the switch: nothing in between allocates, takes a lock of Ruby's or
 *   checks interrupts.
 *
 * A fiber that was entered by transfer keeps its stack after its end, until it is collected, so its
 * end needs no lock. */
#include "fiber_start_lock.h"

#include <ruby.h>
#include <ruby/ractor.h>
#include <ruby/thread.h>
#include <ruby/version.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#if RUBY_API_VERSION_CODE < 40000

static struct scheduler *_Atomic holder;
static ID id_count, id_start;
static VALUE state, sweeping;

/* A forked child has none of its parent's Ractors. */
static void reset_holder(void)
{
    atomic_store(&holder, NULL);
}

/* Without the GVL, so that the holder may collect garbage if it must. */
static void *pause_briefly(void *unused)
{
    const struct timespec pause = {.tv_nsec = 20000};
    nanosleep(&pause, NULL);
    return unused;
}

/* The holder itself may come again: a TracePoint's block on a switch to a new fiber, which has its
 * stack by then. */
static int try_lock(struct scheduler *scheduler)
{
    struct scheduler *found = NULL;
    return atomic_compare_exchange_strong(&holder, &found, scheduler) || found == scheduler;
}

/* A minor collection is the cheapest way to finish a sweep. GC.disable, the other one, is not safe
 * with several Ractors. */
static void finish_sweep(void)
{
    VALUE options = rb_hash_new();
    rb_hash_aset(options, ID2SYM(rb_intern("full_mark")), Qfalse);
    rb_funcallv_kw(rb_mGC, id_start, 1, &options, RB_PASS_KEYWORDS);
}

int raffia_fiber_start_is_contended(void)
{
    return rb_funcall(rb_cRactor, id_count, 0) != INT2FIX(1);
}

void raffia_fiber_start_lock(struct scheduler *scheduler)
{
    for (;;) {
        while (!try_lock(scheduler))
            rb_nogvl(pause_briefly, NULL, NULL, NULL, 0);
        if (rb_gc_latest_gc_info(state) != sweeping) return;
        /* Unlocked: finalizers may run, and take the lock themselves. */
        raffia_fiber_start_unlock(scheduler);
        finish_sweep();
    }
}

void raffia_fiber_start_unlock(struct scheduler *scheduler)
{
    struct scheduler *self = scheduler;
    atomic_compare_exchange_strong(&holder, &self, NULL);
}

void raffia_init_fiber_start_lock(void)
{
    id_count = rb_intern("count");
    id_start = rb_intern("start");
    state = ID2SYM(rb_intern("state"));
    sweeping = ID2SYM(rb_intern("sweeping"));
    /* The first call interns names, which takes a lock. */
    rb_gc_latest_gc_info(state);
    int failure = pthread_atfork(NULL, NULL, reset_holder);
    if (failure) rb_syserr_fail(failure, "pthread_atfork");
}

#else /* From Ruby 4.0 the pool has a lock of its own. */

int raffia_fiber_start_is_contended(void)
{
    return 0;
}

void raffia_fiber_start_lock(struct scheduler *scheduler)
{
    (void)scheduler;
}

void raffia_fiber_start_unlock(struct scheduler *scheduler)
{
    (void)scheduler;
}

void raffia_init_fiber_start_lock(void)
{
}

#endif
