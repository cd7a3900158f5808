/* The hooks that Mutex, Queue, ConditionVariable, Thread#join and sleep come down to.
 *
 * Core checks its condition again after each return of `block`, so a permit that came too late
 * costs one turn. A sleep takes permits too, because ConditionVariable#wait and IO#close with
 * readers in other threads are sleeps to core. It takes no late one, which names what the fiber has
 * stopped waiting for.
 *
 * A blocker may be an internal object of Ruby without a class (the lock of autoload is one): no
 * method may be called on it. */
#include "block.h"

#include "park.h"
#include "scheduler.h"
#include "unblock.h"

static ID id_interval;

static int begin_block(struct parking *parking)
{
    struct permits *permits = &parking->scheduler->permits;
    VALUE fiber = parking->wait->fiber;
    raffia_blocker_reset(permits, fiber);
    parking->woken = !NIL_P(raffia_permit_take(permits, fiber));
    return parking->woken;
}

/*
 * @overload block(blocker, timeout = nil)
 *   Hook: waits until {#unblock}, for the timeout at most.
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

/* The wait that an unblock ends. A fiber has several when a trap handler waits in the middle of
 * one: the one for this blocker comes first. */
static struct wait *find_woken(struct wait *innermost, VALUE blocker, int late)
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

    int late = raffia_blocker_is_abandoned(&scheduler->permits, fiber, blocker);
    struct wait *wait = find_woken(raffia_find_wait(scheduler, fiber), blocker, late);
    if (!wait) {
        if (!raffia_fiber_pool_is_idle(&scheduler->fibers, fiber))
            raffia_permit_give(&scheduler->permits, fiber, late);
        return;
    }
    if (wait->woken) return;
    raffia_deliver(scheduler, wait->ticket, 0);
    wait->woken = 1;
}

/*
 * @overload unblock(blocker, fiber)
 *   Hook: wakes a fiber that blocks, or is about to. Any thread may call it. It does not wait, and
 *   raises only interrupts of the calling thread, after its work is done.
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
    return RTEST(raffia_permit_take(&parking->scheduler->permits, parking->wait->fiber));
}

/* Ruby checks the durations that are no plain number. */
static int64_t interval(VALUE self, VALUE duration)
{
    if (!(RB_FIXNUM_P(duration) && FIX2LONG(duration) >= 0))
        duration = rb_funcall(self, id_interval, 1, duration);
    return raffia_nanoseconds(duration);
}

/*
 * @overload kernel_sleep(duration = nil)
 *   Hook of Kernel#sleep and Mutex#sleep.
 *   @param duration [Numeric, nil] seconds; nil: until it is woken
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
                              .limit = argc == 1 && !NIL_P(argv[0]) ? interval(self, argv[0])
                                                                    : RAFFIA_NO_LIMIT,
                              .begin = begin_sleep};
    raffia_park(&parking);
    return Qtrue;
}

void raffia_init_block(VALUE native)
{
    id_interval = rb_intern("interval");
    rb_define_method(native, "block", scheduler_block, -1);
    rb_define_method(native, "unblock", scheduler_unblock, 2);
    rb_define_method(native, "kernel_sleep", scheduler_sleep, -1);
}
