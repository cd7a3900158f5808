/* Births of fibers where there are several Ractors.
 *
 * The first switch to a fiber takes a stack from a pool that all Ractors share. Up to Ruby 3.4 nothing guards that pool, so two Ractors may
 * take the same stack, and a collector that gives stacks back may do so in the middle of it. Two rules keep our own births out of that:
 *
 * - only one Ractor at a time is between raffia_birth_begin and the moment when the fiber runs, which is raffia_birth_end;
 * - there is no sweep then. Sweeps that run beside other Ractors are the rest of one that was begun with all of them stopped. So one that
 *   is half done is finished first, and none can be begun until this thread can be stopped, which is after the switch: nothing in between
 *   allocates, takes a lock of Ruby's or looks at interrupts.
 *
 * A fiber that was entered by transfer keeps its stack when it ends, until it is collected, so there is nothing to guard at its end. */
#include "scheduler.h"

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

/* In a forked child, whose parent's Ractors are gone. */
static void forget_holder(void)
{
    atomic_store(&holder, NULL);
}

/* Without Ruby's lock, so that who holds this one may collect garbage if it must. */
static void *pause_a_little(void *unused)
{
    const struct timespec little = {.tv_nsec = 20000};
    nanosleep(&little, NULL);
    return unused;
}

/* Who holds it already is a TracePoint's block on a switch to a new fiber, which has its stack by then. */
static int take(struct scheduler *scheduler)
{
    struct scheduler *found = NULL;
    return atomic_compare_exchange_strong(&holder, &found, scheduler) || found == scheduler;
}

/* A minor collection is the cheapest way to the end of a sweep that does not touch the collector's switches, which are not for several
 * Ractors either. */
static void finish_sweep(void)
{
    VALUE options = rb_hash_new();
    rb_hash_aset(options, ID2SYM(rb_intern("full_mark")), Qfalse);
    rb_funcallv_kw(rb_mGC, id_start, 1, &options, RB_PASS_KEYWORDS);
}

int raffia_births_shared(void)
{
    return rb_funcall(rb_cRactor, id_count, 0) != INT2FIX(1);
}

void raffia_birth_begin(struct scheduler *scheduler)
{
    for (;;) {
        while (!take(scheduler))
            rb_nogvl(pause_a_little, NULL, NULL, NULL, 0);
        if (rb_gc_latest_gc_info(state) != sweeping) return;
        /* Not while it is held: finalizers may run, and need it themselves. */
        raffia_birth_end(scheduler);
        finish_sweep();
    }
}

void raffia_birth_end(struct scheduler *scheduler)
{
    struct scheduler *self = scheduler;
    atomic_compare_exchange_strong(&holder, &self, NULL);
}

void raffia_init_births(void)
{
    id_count = rb_intern("count");
    id_start = rb_intern("start");
    state = ID2SYM(rb_intern("state"));
    sweeping = ID2SYM(rb_intern("sweeping"));
    /* The first call interns names, which takes a lock. */
    rb_gc_latest_gc_info(state);
    int failure = pthread_atfork(NULL, NULL, forget_holder);
    if (failure) rb_syserr_fail(failure, "pthread_atfork");
}

#else /* The pool has a lock of its own. */

int raffia_births_shared(void)
{
    return 0;
}

void raffia_birth_begin(struct scheduler *scheduler)
{
    (void)scheduler;
}

void raffia_birth_end(struct scheduler *scheduler)
{
    (void)scheduler;
}

void raffia_init_births(void)
{
}

#endif
