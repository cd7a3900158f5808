/* Waiting for each other: what Mutex, Queue, ConditionVariable, Thread#join and sleep come down to.
 *
 * An `unblock` may arrive before its fiber has parked; it is then kept as a permit, which the next `block` takes. Core looks at its
 * condition again after each return of `block`, so a permit that came too late costs one turn. A sleep takes permits too, because
 * ConditionVariable#wait and IO#close with readers in other threads are sleeps to core; but not one that speaks of what the fiber has
 * given up waiting for, which is late.
 *
 * A blocker may be an object of Ruby's insides that has no class (the lock of autoload is one): nothing may be called on it. */
#include "scheduler.h"
#include "unblock.h"

static ID id_delete, id_fetch, id_store, id_interval;

/* Permits */

static int is_late(const struct scheduler *scheduler, VALUE blocker, VALUE fiber)
{
    return !NIL_P(scheduler->left) && !NIL_P(blocker) &&
           rb_funcall(scheduler->left, id_fetch, 1, fiber) == blocker;
}

/* True: it ends a sleep too. */
static void permit(struct scheduler *scheduler, VALUE fiber, int late)
{
    if (NIL_P(scheduler->permits))
        scheduler->permits = rb_class_new_instance(0, NULL, rb_path2class("ObjectSpace::WeakKeyMap"));
    if (late && RTEST(rb_funcall(scheduler->permits, id_fetch, 1, fiber))) return;
    rb_funcall(scheduler->permits, id_store, 2, fiber, late ? Qfalse : Qtrue);
}

VALUE raffia_take_permit(struct scheduler *scheduler, VALUE fiber)
{
    return NIL_P(scheduler->permits) ? Qnil : rb_funcall(scheduler->permits, id_delete, 1, fiber);
}

/* Hooks */

static int begin_block(struct parking *parking)
{
    struct scheduler *scheduler = parking->scheduler;
    VALUE fiber = parking->wait->fiber;
    if (!NIL_P(scheduler->left)) rb_funcall(scheduler->left, id_delete, 1, fiber);
    parking->woken = !NIL_P(raffia_take_permit(scheduler, fiber));
    return parking->woken;
}

/*
 * @overload block(blocker, timeout = nil)
 *   Hook: wait until {#unblock}, at the longest for the timeout.
 *   @param blocker [Object] what the fiber waits for
 *   @param timeout [Numeric, nil] seconds
 *   @return [Boolean] whether it was unblocked
 */
static VALUE scheduler_block(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 1, 2);
    int limited = argc == 2 && !NIL_P(argv[1]);
    struct parking parking = {.scheduler = raffia_scheduler_attached(self),
                              .reason = FOR_UNBLOCK,
                              .wakeable = BY_ANYBODY,
                              .blocker = argv[0],
                              .fd = -1,
                              .limit = limited ? raffia_nanoseconds(argv[1]) : RAFFIA_NO_LIMIT,
                              .begin = begin_block};
    int64_t result = raffia_park(&parking);
    return parking.woken || result != -ETIME ? Qtrue : Qfalse;
}

/* A fiber has several waits when a trap handler waits in the middle of one: the one that waits for this is meant. */
static struct wait *meant(struct wait *innermost, VALUE blocker, int late)
{
    struct wait *found = NULL;
    for (struct wait *wait = innermost; wait; wait = wait->outer) {
        if (wait->wakeable == BY_NOBODY || (wait->wakeable == BY_EVENT && late)) continue;
        if (wait->blocker == blocker && !NIL_P(blocker)) return wait;
        if (!found) found = wait;
    }
    return found;
}

static void wake(struct raffia_unblocking *unblocking)
{
    struct scheduler *scheduler = raffia_scheduler_of(unblocking->scheduler);
    VALUE blocker = unblocking->blocker, fiber = unblocking->fiber;
    if (scheduler->closed || !RTEST(rb_fiber_alive_p(fiber))) return;

    int late = is_late(scheduler, blocker, fiber);
    struct wait *wait = meant(raffia_wait_of(scheduler, fiber), blocker, late);
    if (!wait) {
        if (!raffia_fibers_is_idle(scheduler, fiber)) permit(scheduler, fiber, late);
        return;
    }
    if (wait->woken) return;
    raffia_deliver(scheduler, wait->ticket, 0);
    wait->woken = 1;
}

/*
 * @overload unblock(blocker, fiber)
 *   Hook: wake a fiber that blocks, or is about to. Any thread may call it. It does not wait. It raises nothing but interrupts of the
 *   calling thread, when its work is done.
 *   @return [void]
 */
static VALUE scheduler_unblock(VALUE self, VALUE blocker, VALUE fiber)
{
    struct raffia_unblocking unblocking = {
        .wake = wake, .scheduler = self, .blocker = blocker, .fiber = fiber};
    raffia_unblock(&unblocking);
    return Qnil;
}

static int begin_sleep(struct parking *parking)
{
    return RTEST(raffia_take_permit(parking->scheduler, parking->wait->fiber));
}

/* What can be divided like a number is checked by Ruby. */
static int64_t interval(VALUE self, VALUE duration)
{
    if (!(RB_FIXNUM_P(duration) && FIX2LONG(duration) >= 0))
        duration = rb_funcall(self, id_interval, 1, duration);
    return raffia_nanoseconds(duration);
}

/*
 * @overload kernel_sleep(duration = nil)
 *   Hook of Kernel#sleep and Mutex#sleep.
 *   @param duration [Numeric, nil] seconds; nil: until something wakes it
 *   @return [true]
 */
static VALUE scheduler_sleep(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 0, 1);
    struct parking parking = {.scheduler = raffia_scheduler_attached(self),
                              .reason = FOR_TIME,
                              .wakeable = BY_EVENT,
                              .blocker = Qnil,
                              .fd = -1,
                              .limit =
                                  argc == 1 && !NIL_P(argv[0]) ? interval(self, argv[0]) : RAFFIA_NO_LIMIT,
                              .begin = begin_sleep};
    raffia_park(&parking);
    return Qtrue;
}

void raffia_init_block(VALUE native)
{
    id_delete = rb_intern("delete");
    id_fetch = rb_intern("[]");
    id_store = rb_intern("[]=");
    id_interval = rb_intern("interval");
    rb_define_method(native, "block", scheduler_block, -1);
    rb_define_method(native, "unblock", scheduler_unblock, 2);
    rb_define_method(native, "kernel_sleep", scheduler_sleep, -1);
}
