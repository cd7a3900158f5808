/* One suspension of one fiber, from the moment when it can be found to the moment when nothing can hit it any more. */
#include "scheduler.h"

static ID id_take_postponed, id_store, id_refuse_wait;

struct wait *raffia_wait_of(const struct scheduler *scheduler, VALUE fiber)
{
    st_data_t wait;
    return st_lookup(scheduler->parked, (st_data_t)fiber, &wait) ? (struct wait *)wait : NULL;
}

void raffia_deliver(struct scheduler *scheduler, VALUE word, int64_t result)
{
    struct engine *engine = raffia_engine_of(scheduler->engine);
    if (!raffia_engine_is_open(engine)) return;
    RB_OBJ_WRITTEN(scheduler->engine, Qundef, word);
    int failure = raffia_scheduler_is_own_thread(scheduler)
                      ? raffia_loop_push(scheduler->loop, (raffia_data)word, result)
                      : raffia_loop_inject(scheduler->loop, (raffia_data)word, result);
    if (failure == -ENOMEM) rb_memerror();
}

static void announce(struct parking *parking)
{
    struct scheduler *scheduler = parking->scheduler;
    struct wait *wait = parking->wait;
    wait->outer = raffia_wait_of(scheduler, wait->fiber);
    st_insert(scheduler->parked, (st_data_t)wait->fiber, (st_data_t)wait);
}

static void raise_postponed(struct parking *parking)
{
    struct wait *wait = parking->wait;
    if (parking->scheduler->postponed == 0 || parking->guarded) return;
    VALUE error = rb_funcall(parking->scheduler->self, id_take_postponed, 2, wait->owner, wait->fiber);
    if (!NIL_P(error)) rb_exc_raise(error);
}

static VALUE stay(VALUE pointer)
{
    struct parking *parking = (struct parking *)pointer;
    struct scheduler *scheduler = parking->scheduler;
    struct wait *wait = parking->wait;
    announce(parking);
    raise_postponed(parking);
    if (parking->limit >= 0)
        raffia_check(
            raffia_loop_after(scheduler->loop, parking->limit, (raffia_data)wait->ticket, &parking->timer),
            "after");
    if (parking->begin && parking->begin(parking)) return Qnil;

    while (!wait->settled)
        raffia_switch(scheduler);
    if (!NIL_P(wait->error)) rb_exc_raise(wait->error);
    parking->result = wait->result;
    return Qnil;
}

static VALUE switch_until_paid(VALUE pointer)
{
    struct parking *parking = (struct parking *)pointer;
    while (!parking->wait->paid)
        raffia_switch(parking->scheduler);
    return Qnil;
}

static VALUE go_on(VALUE failure)
{
    rb_jump_tag((int)failure);
    return Qnil;
}

/* The kernel has the caller's memory until the op has completed: whatever is raised meanwhile is dropped, as what ended the wait comes first;
 * but not Thread#kill and Fiber#kill, which have a number in the place of an exception: they cannot be said again, so the rest is done on
 * their way. */
static VALUE see_through(VALUE pointer)
{
    struct parking *parking = (struct parking *)pointer;
    struct wait *wait = parking->wait;
    wait->guarded = 1;
    while (!wait->paid && !parking->scheduler->closed) {
        int failure = 0;
        if (raffia_loop_disarm(parking->scheduler->loop, parking->op) == 1) break;
        rb_protect(switch_until_paid, pointer, &failure);
        if (failure == 0) break;
        raffia_give_back(parking->scheduler, wait->owner);
        if (RB_FIXNUM_P(rb_errinfo())) rb_ensure(go_on, (VALUE)failure, see_through, pointer);
        rb_set_errinfo(Qnil);
    }
    return Qnil;
}

static void conceal(struct scheduler *scheduler, struct wait *wait)
{
    st_data_t fiber = (st_data_t)wait->fiber;
    if (wait->outer)
        st_insert(scheduler->parked, fiber, (st_data_t)wait->outer);
    else
        st_delete(scheduler->parked, &fiber, NULL);
}

/* See block.c: an unblock that speaks of what the fiber has given up waiting for is late. */
static void give_up(struct scheduler *scheduler, VALUE fiber, VALUE blocker)
{
    if (NIL_P(scheduler->left))
        scheduler->left = rb_class_new_instance(0, NULL, rb_path2class("ObjectSpace::WeakKeyMap"));
    rb_funcall(scheduler->left, id_store, 2, fiber, blocker);
}

static VALUE let_go(VALUE pointer)
{
    struct parking *parking = (struct parking *)pointer;
    struct scheduler *scheduler = parking->scheduler;
    struct wait *wait = parking->wait;
    VALUE fiber = wait->fiber;
    if (wait->paid && wait->result >= 0) parking->result = wait->result;
    if (parking->timer) raffia_loop_disarm(scheduler->loop, parking->timer);
    if (parking->op) raffia_loop_disarm(scheduler->loop, parking->op);
    conceal(scheduler, wait);
    scheduler->unheard -= wait->unheard;
    parking->woken |= wait->woken;
    raffia_waits_release(&scheduler->waits, wait);
    scheduler->running = parking->running;
    if (parking->reason == FOR_UNBLOCK && !parking->woken) give_up(scheduler, fiber, parking->blocker);
    return Qnil;
}

static VALUE leave(VALUE pointer)
{
    struct parking *parking = (struct parking *)pointer;
    struct wait *wait = parking->wait;
    raffia_give_back(parking->scheduler, wait->owner);
    if (wait->owed && parking->op && !wait->paid) return rb_ensure(see_through, pointer, let_go, pointer);
    return let_go(pointer);
}

static void catch_up(struct scheduler *scheduler)
{
    void (*todo)(VALUE of) = scheduler->put_off;
    if (!todo) return;
    VALUE of = scheduler->put_off_of;
    scheduler->put_off = NULL;
    scheduler->put_off_of = Qnil;
    todo(of);
    RB_GC_GUARD(of);
}

void raffia_put_off(struct scheduler *scheduler, void (*todo)(VALUE of), VALUE of)
{
    catch_up(scheduler);
    scheduler->put_off = todo;
    scheduler->put_off_of = of;
}

int64_t raffia_park(struct parking *parking)
{
    struct scheduler *scheduler = parking->scheduler;
    catch_up(scheduler);
    if (scheduler->refusing) rb_funcall(scheduler->self, id_refuse_wait, 0);
    struct wait *wait = raffia_waits_acquire(&scheduler->waits);
    if (!wait) rb_memerror();
    wait->fiber = rb_fiber_current();
    wait->owner = NIL_P(scheduler->running) ? wait->fiber : scheduler->running;
    wait->blocker = parking->blocker;
    wait->reason = (unsigned char)parking->reason;
    wait->wakeable = (unsigned char)parking->wakeable;
    wait->guarded = (unsigned char)parking->guarded;
    wait->owed = (unsigned char)parking->owed;
    wait->unheard = parking->reason == FOR_IO && raffia_closes_unheard(parking->blocker);
    scheduler->unheard += wait->unheard;
    wait->fd = parking->fd;
    wait->events = (unsigned char)parking->events;
    wait->limit = parking->limit;
    wait->since = raffia_about_now();
    parking->wait = wait;
    parking->running = scheduler->running;
    rb_ensure(stay, (VALUE)parking, leave, (VALUE)parking);
    return parking->result;
}

/* For the hooks in Ruby */

static int yield_ticket(struct parking *parking)
{
    return RTEST(rb_yield(parking->wait->ticket));
}

/*
 * @overload park(guarded = false, subject = nil)
 *   Suspends the running fiber until its wait is settled.
 *   @param guarded [Boolean] not to be ended by {Interrupt#fiber_interrupt}
 *   @param subject [Object] what it waits for, to be shown
 *   @yieldparam wait [Integer] the data for the engine's operations that are to end it
 *   @yieldreturn [Boolean] whether there is no need to wait
 *   @return [Integer] the result of what ended it; 0 when there was no need to wait
 */
static VALUE park(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 0, 2);
    struct parking parking = {.scheduler = raffia_scheduler_attached(self),
                              .reason = FOR_WORK,
                              .blocker = argc == 2 ? argv[1] : Qnil,
                              .fd = -1,
                              .guarded = argc > 0 && RTEST(argv[0]),
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
 *   Ends the wait of a fiber, or of the one that it is resuming, with an exception. One that has been woken is not failed any more, or
 *   the wake-up would be lost: whoever unlocks a Mutex wakes one fiber only. Asked again for the same error, it answers the same.
 *   @return [Integer, nil] the wait; nil when there is none that it may end
 */
static VALUE fail_wait(VALUE self, VALUE fiber, VALUE error)
{
    struct scheduler *scheduler = raffia_scheduler_of(self);
    struct search search = {.owner = fiber, .found = raffia_wait_of(scheduler, fiber)};
    if (!search.found) raffia_waits_each(&scheduler->waits, compare_owner, &search);
    struct wait *wait = search.found;
    if (!wait) return Qnil;
    if (wait->error == error) return wait->ticket;
    if (wait->settled || wait->woken || wait->guarded) return Qnil;
    wait->settled = 1;
    wait->error = error;
    return wait->ticket;
}

/* @overload deliver(completion, result)
 *   Tells the loop, from any thread. */
static VALUE deliver(VALUE self, VALUE completion, VALUE result)
{
    struct scheduler *scheduler = raffia_scheduler_of(self);
    if (!NIL_P(scheduler->engine)) raffia_deliver(scheduler, completion, NUM2LL(result));
    return Qnil;
}

static VALUE set_postponed(VALUE self, VALUE count)
{
    raffia_scheduler_of(self)->postponed = NUM2SIZET(count);
    return count;
}

/* @overload refusing=(whether)
 *   Whether nothing may begin to wait any more. */
static VALUE set_refusing(VALUE self, VALUE whether)
{
    raffia_scheduler_of(self)->refusing = RTEST(whether);
    return whether;
}

void raffia_init_park(VALUE native)
{
    id_take_postponed = rb_intern("take_postponed");
    id_store = rb_intern("[]=");
    id_refuse_wait = rb_intern("refuse_wait");
    rb_define_private_method(native, "park", park, -1);
    rb_define_private_method(native, "fail_wait", fail_wait, 2);
    rb_define_private_method(native, "deliver", deliver, 2);
    rb_define_private_method(native, "postponed=", set_postponed, 1);
    rb_define_private_method(native, "refusing=", set_refusing, 1);
}
