/* One suspension of one fiber, from the moment when others can find it to the moment when nothing
 * can end it any more. */
#include "park.h"

#include "close_scan.h"
#include "scheduler.h"

static ID id_take_postponed, id_reject_wait;

struct wait *raffia_find_wait(const struct scheduler *scheduler, VALUE fiber)
{
    st_data_t wait;
    return st_lookup(scheduler->parked, (st_data_t)fiber, &wait) ? (struct wait *)wait : NULL;
}

void raffia_deliver(struct scheduler *scheduler, VALUE data, int64_t result)
{
    struct engine *engine = raffia_engine_of(scheduler->engine);
    if (!raffia_engine_is_open(engine)) return;
    RB_OBJ_WRITTEN(scheduler->engine, Qundef, data);
    int failure = raffia_scheduler_is_own_thread(scheduler)
                      ? raffia_loop_push(scheduler->loop, (raffia_data)data, result)
                      : raffia_loop_inject(scheduler->loop, (raffia_data)data, result);
    if (failure == -ENOMEM) rb_memerror();
}

static void enlist(struct parking *parking)
{
    struct scheduler *scheduler = parking->scheduler;
    struct wait *wait = parking->wait;
    wait->outer = raffia_find_wait(scheduler, wait->fiber);
    st_insert(scheduler->parked, (st_data_t)wait->fiber, (st_data_t)wait);
}

static void raise_postponed(struct parking *parking)
{
    struct wait *wait = parking->wait;
    if (parking->scheduler->postponed_interrupts == 0 || parking->uninterruptible) return;
    VALUE error =
        rb_funcall(parking->scheduler->self, id_take_postponed, 2, wait->owner, wait->fiber);
    if (!NIL_P(error)) rb_exc_raise(error);
}

static VALUE suspend(VALUE pointer)
{
    struct parking *parking = (struct parking *)pointer;
    struct scheduler *scheduler = parking->scheduler;
    struct wait *wait = parking->wait;
    enlist(parking);
    raise_postponed(parking);
    if (parking->limit >= 0)
        raffia_check(raffia_loop_after(scheduler->loop, parking->limit, (raffia_data)wait->ticket,
                                       &parking->timer),
                     "after");
    if (parking->begin && parking->begin(parking)) return Qnil;

    while (!wait->settled)
        raffia_switch(scheduler);
    if (!NIL_P(wait->error)) rb_exc_raise(wait->error);
    parking->result = wait->result;
    return Qnil;
}

static VALUE switch_until_completed(VALUE pointer)
{
    struct parking *parking = (struct parking *)pointer;
    while (!parking->wait->op_completed)
        raffia_switch(parking->scheduler);
    return Qnil;
}

static VALUE raise_again(VALUE failure)
{
    rb_jump_tag((int)failure);
    return Qnil;
}

/* The kernel owns the caller's memory until the op has completed. Later exceptions are dropped,
 * because the one that ended the wait comes first. Thread#kill and Fiber#kill have a number in
 * place of an exception and cannot be raised again, so they are not dropped: the rest is done while
 * they unwind. */
static VALUE complete_op(VALUE pointer)
{
    struct parking *parking = (struct parking *)pointer;
    struct wait *wait = parking->wait;
    wait->uninterruptible = 1;
    while (!wait->op_completed && !parking->scheduler->closed) {
        int failure = 0;
        if (raffia_loop_disarm(parking->scheduler->loop, parking->op) == 1) break;
        rb_protect(switch_until_completed, pointer, &failure);
        if (failure == 0) break;
        raffia_restore_running(parking->scheduler, wait->owner);
        if (RB_FIXNUM_P(rb_errinfo())) rb_ensure(raise_again, (VALUE)failure, complete_op, pointer);
        rb_set_errinfo(Qnil);
    }
    return Qnil;
}

static void delist(struct scheduler *scheduler, struct wait *wait)
{
    st_data_t fiber = (st_data_t)wait->fiber;
    if (wait->outer)
        st_insert(scheduler->parked, fiber, (st_data_t)wait->outer);
    else
        st_delete(scheduler->parked, &fiber, NULL);
}

static VALUE release(VALUE pointer)
{
    struct parking *parking = (struct parking *)pointer;
    struct scheduler *scheduler = parking->scheduler;
    struct wait *wait = parking->wait;
    VALUE fiber = wait->fiber;
    if (wait->op_completed && wait->result >= 0) parking->result = wait->result;
    if (parking->timer) raffia_loop_disarm(scheduler->loop, parking->timer);
    if (parking->op) raffia_loop_disarm(scheduler->loop, parking->op);
    delist(scheduler, wait);
    scheduler->closes.unannounced -= wait->unannounced;
    parking->woken |= wait->woken;
    raffia_waits_release(&scheduler->waits, wait);
    scheduler->running = parking->running;
    if (parking->reason == FOR_UNBLOCK && !parking->woken)
        raffia_blocker_abandon(&scheduler->permits, fiber, parking->blocker);
    return Qnil;
}

static VALUE resume(VALUE pointer)
{
    struct parking *parking = (struct parking *)pointer;
    struct wait *wait = parking->wait;
    raffia_restore_running(parking->scheduler, wait->owner);
    if (wait->must_complete && parking->op && !wait->op_completed)
        return rb_ensure(complete_op, pointer, release, pointer);
    return release(pointer);
}

int64_t raffia_park(struct parking *parking)
{
    struct scheduler *scheduler = parking->scheduler;
    raffia_run_deferred(&scheduler->deferral);
    if (scheduler->rejects_waits) rb_funcall(scheduler->self, id_reject_wait, 0);
    struct wait *wait = raffia_waits_acquire(&scheduler->waits);
    if (!wait) rb_memerror();
    wait->fiber = rb_fiber_current();
    wait->owner = NIL_P(scheduler->running) ? wait->fiber : scheduler->running;
    wait->blocker = parking->blocker;
    wait->reason = (unsigned char)parking->reason;
    wait->wakeable = (unsigned char)parking->wakeable;
    wait->uninterruptible = (unsigned char)parking->uninterruptible;
    wait->must_complete = (unsigned char)parking->must_complete;
    wait->unannounced = parking->reason == FOR_IO && raffia_close_is_unannounced(parking->blocker);
    scheduler->closes.unannounced += wait->unannounced;
    wait->fd = parking->fd;
    wait->events = (unsigned char)parking->events;
    wait->limit = parking->limit;
    wait->since = raffia_coarse_now();
    parking->wait = wait;
    parking->running = scheduler->running;
    rb_ensure(suspend, (VALUE)parking, resume, (VALUE)parking);
    return parking->result;
}

/* For the hooks in Ruby */

static int yield_ticket(struct parking *parking)
{
    return RTEST(rb_yield(parking->wait->ticket));
}

/*
 * @overload park(uninterruptible = false, subject = nil)
 *   Suspends the running fiber until its wait is settled.
 *   @param uninterruptible [Boolean] whether {Hooks#fiber_interrupt} cannot end it
 *   @param subject [Object] what it waits for, to be shown
 *   @yieldparam wait [Integer] the data of the engine's operations that are to end it
 *   @yieldreturn [Boolean] whether waiting is unnecessary
 *   @return [Integer] the result of what ended it; 0 when waiting was unnecessary
 */
static VALUE park(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 0, 2);
    struct parking parking = {.scheduler = raffia_scheduler_attached(self),
                              .reason = FOR_WORK,
                              .blocker = argc == 2 ? argv[1] : Qnil,
                              .fd = -1,
                              .uninterruptible = argc > 0 && RTEST(argv[0]),
                              .limit = RAFFIA_NO_LIMIT,
                              .begin = yield_ticket};
    return LL2NUM(raffia_park(&parking));
}

struct search {
    VALUE owner;
    struct wait *found;
};

static void compare_owner(struct wait *wait, void *arg)
{
    struct search *search = arg;
    if (wait->owner == search->owner) search->found = wait;
}

/*
 * @overload fail_wait(fiber, error)
 *   Ends the wait of a fiber, or of the one that it is resuming, with an exception. A wait that has
 *   been woken is not failed, or the wake-up would be lost: Mutex#unlock wakes one fiber only.
 *   Idempotent for one error.
 *   @return [Integer, nil] the wait; nil when there is none that may be ended
 */
static VALUE fail_wait(VALUE self, VALUE fiber, VALUE error)
{
    struct scheduler *scheduler = raffia_scheduler_of(self);
    struct search search = {.owner = fiber, .found = raffia_find_wait(scheduler, fiber)};
    if (!search.found) raffia_waits_each(&scheduler->waits, compare_owner, &search);
    struct wait *wait = search.found;
    if (!wait) return Qnil;
    if (wait->error == error) return wait->ticket;
    if (wait->settled || wait->woken || wait->uninterruptible) return Qnil;
    wait->settled = 1;
    wait->error = error;
    return wait->ticket;
}

/* @overload deliver(data, result)
 *   Adds a completion, from any thread. */
static VALUE deliver(VALUE self, VALUE data, VALUE result)
{
    struct scheduler *scheduler = raffia_scheduler_of(self);
    if (!NIL_P(scheduler->engine)) raffia_deliver(scheduler, data, NUM2LL(result));
    return Qnil;
}

static VALUE set_postponed_interrupts(VALUE self, VALUE count)
{
    raffia_scheduler_of(self)->postponed_interrupts = NUM2SIZET(count);
    return count;
}

/* @overload rejects_waits=(whether)
 *   Whether no fiber may begin to wait any more. */
static VALUE set_rejects_waits(VALUE self, VALUE whether)
{
    raffia_scheduler_of(self)->rejects_waits = RTEST(whether);
    return whether;
}

void raffia_init_park(VALUE native)
{
    id_take_postponed = rb_intern("take_postponed");
    id_reject_wait = rb_intern("reject_wait");
    rb_define_method(native, "park", park, -1);
    rb_define_method(native, "fail_wait", fail_wait, 2);
    rb_define_method(native, "deliver", deliver, 2);
    rb_define_method(native, "postponed_interrupts=", set_postponed_interrupts, 1);
    rb_define_method(native, "rejects_waits=", set_rejects_waits, 1);
}
