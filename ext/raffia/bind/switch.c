/* All switches are transfers, straight from the fiber that waits to the next one; the loop has no
 * fiber of its own. The fiber in Scheduler#run sleeps in the kernel when no fiber is ready.
 *
 * When a fiber ends, Ruby itself switches to the thread's main fiber, or to the innermost one that
 * the main fiber is resuming, whatever that waits for. So each of our transfers may return too
 * early, and all of them check again. */
#include "switch.h"

#include "close_scan.h"
#include "fiber_start_lock.h"
#include "park.h"
#include "scheduler.h"

#include <ruby/thread.h>
#include <stdlib.h>

static ID id_complete, id_switch_to_main, id_raise_closed, id_check_deadlock;

int raffia_scheduler_is_idle(const struct scheduler *scheduler)
{
    return scheduler->parked->num_entries == 0 && scheduler->starts.count == 0;
}

static void transfer_to(VALUE fiber)
{
    if (fiber != rb_fiber_current()) rb_fiber_transfer(fiber, 0, NULL);
}

/* Starts */

/* By libc, because no garbage may be collected while the fiber start lock is held. */
static uint64_t push_start(struct scheduler *scheduler, VALUE fiber, VALUE running, int once)
{
    struct start_stack *starts = &scheduler->starts;
    if (starts->count == starts->capacity) {
        size_t capacity = starts->capacity ? starts->capacity * 2 : 8;
        struct start *entries = realloc(starts->entries, capacity * sizeof(*entries));
        if (!entries) {
            raffia_fiber_start_unlock(scheduler);
            rb_memerror();
        }
        starts->entries = entries;
        starts->capacity = capacity;
    }
    struct start start = {
        .fiber = fiber, .running = running, .number = ++starts->last_number, .once = once};
    starts->entries[starts->count++] = start;
    return start.number;
}

/* It is the last one, unless an exception passed through several fibers. */
static void remove_start(struct start_stack *starts, uint64_t number)
{
    for (size_t i = starts->count; i-- > 0;) {
        if (starts->entries[i].number != number) continue;
        MEMMOVE(starts->entries + i, starts->entries + i + 1, struct start, starts->count - i - 1);
        starts->count--;
        return;
    }
}

static int is_last_start(const struct start_stack *starts, uint64_t number)
{
    return starts->count > 0 && starts->entries[starts->count - 1].number == number;
}

struct beginning {
    struct scheduler *scheduler;
    VALUE child, argument, parent;
    uint64_t number;
    int locked;
};

static VALUE begin(VALUE pointer)
{
    struct beginning *beginning = (struct beginning *)pointer;
    struct scheduler *scheduler = beginning->scheduler;
    int fresh = beginning->argument != Qundef;
    if (!fresh) scheduler->running = beginning->child;
    rb_fiber_transfer(beginning->child, fresh, &beginning->argument);
    while (!is_last_start(&scheduler->starts, beginning->number))
        raffia_switch(scheduler);
    return Qnil;
}

static VALUE finish(VALUE pointer)
{
    struct beginning *beginning = (struct beginning *)pointer;
    if (beginning->locked) raffia_fiber_start_unlock(beginning->scheduler);
    remove_start(&beginning->scheduler->starts, beginning->number);
    raffia_restore_running(beginning->scheduler, beginning->parent);
    return Qnil;
}

void raffia_start_fiber(struct scheduler *scheduler, VALUE child, VALUE argument, int locked)
{
    struct beginning beginning = {.scheduler = scheduler,
                                  .child = child,
                                  .argument = argument,
                                  .parent = scheduler->running,
                                  .locked = locked};
    VALUE parent = rb_fiber_current();
    if (locked) raffia_fiber_start_lock(scheduler);
    beginning.number = push_start(scheduler, parent, scheduler->running, 0);
    rb_ensure(begin, (VALUE)&beginning, finish, (VALUE)&beginning);
}

void raffia_restore_running(struct scheduler *scheduler, VALUE owner)
{
    VALUE raiser = scheduler->running;
    scheduler->running = owner;
    if (raiser == owner || NIL_P(raiser) || !RTEST(rb_fiber_alive_p(raiser))) return;
    if (!raffia_find_wait(scheduler, raiser)) push_start(scheduler, raiser, raiser, 1);
}

/* A trap handler may wait in the middle of a start: then the fiber that started another one cannot
 * resume yet. */
static int can_resume(struct scheduler *scheduler, const struct start *start)
{
    return start->once ||
           (start->fiber != rb_fiber_current() && !raffia_find_wait(scheduler, start->fiber));
}

/* Returns whether there was a start to resume. */
static int resume_start(struct scheduler *scheduler)
{
    struct start start = scheduler->starts.entries[scheduler->starts.count - 1];
    if (!can_resume(scheduler, &start)) return 0;
    if (start.once) {
        scheduler->starts.count--;
        if (!RTEST(rb_fiber_alive_p(start.fiber)))
            return 1; /* another fiber has killed it in turn */
    }
    scheduler->running = start.running;
    transfer_to(start.fiber);
    return 1;
}

/* Ready fibers */

static void end_turn(struct poll_turns *turns)
{
    int64_t lasted = raffia_coarse_now() - turns->started;
    if (lasted > turns->longest) turns->longest = lasted;
    turns->count++;
    turns->switches = 0;
}

static void begin_turn(struct scheduler *scheduler, int ready)
{
    if ((size_t)ready > scheduler->turns.most_ready) scheduler->turns.most_ready = (size_t)ready;
    scheduler->turns.started = raffia_coarse_now();
    /* Events of the next poll may have occurred from now on. */
    scheduler->loop->ready.last_poll = raffia_now();
}

/* `limit`: nanoseconds to sleep at most when nothing is ready, RAFFIA_NO_LIMIT, or 0. Returns the
 * number of completions. */
static int poll_io(struct scheduler *scheduler, int64_t limit, int poll_locked)
{
    end_turn(&scheduler->turns);
    int64_t until_scan = raffia_fail_closed_waits(scheduler);
    if (until_scan >= 0 && (limit < 0 || until_scan < limit)) limit = until_scan;
    int ready = raffia_engine_turn(scheduler->engine, limit, poll_locked);
    begin_turn(scheduler, ready);
    return ready;
}

/* An object among the completions (a PendingInterrupt, an IOTransfer) returns the wait that it
 * ends, or nil. It is dropped afterwards: an interrupt may be raised in its code, and then it is
 * asked again. */
static VALUE complete_object(struct engine *engine, VALUE object, int64_t result)
{
    VALUE ticket = rb_funcall(object, id_complete, 1, LL2NUM(result));
    /* A trap handler may have waited here meanwhile, and have taken it. */
    if (engine->peeked && engine->next == object) raffia_engine_drop(engine);
    return ticket;
}

/* An op that must complete is noted even if something else has ended the wait already. A timer's
 * result is not its own. */
static int completes_op(const struct wait *wait, int64_t result, int is_object)
{
    return wait->must_complete && !is_object && result != -ETIME;
}

static VALUE settle(struct scheduler *scheduler, struct wait *wait, int64_t result,
                    int64_t occurred_after, int is_object)
{
    int op_completed = completes_op(wait, result, is_object);
    if (op_completed || !wait->settled) wait->result = result;
    wait->op_completed |= (unsigned char)op_completed;
    wait->settled = 1;
    scheduler->running = wait->owner;
    scheduler->occurred_after = occurred_after;
    return wait->fiber;
}

/* The next fiber that need not wait any more, or Qnil. The order in which fibers run is decided
 * here and nowhere else, so another order would be chosen here. (A fiber that has just started
 * another one has no rival: it resumes when that one waits.) */
static VALUE next_ready(struct scheduler *scheduler)
{
    struct engine *engine = raffia_engine_of(scheduler->engine);
    if (++scheduler->turns.switches > scheduler->turns.interval) poll_io(scheduler, 0, 1);
    while (raffia_engine_peek(scheduler->engine, engine)) {
        VALUE ticket = engine->next;
        int64_t result = engine->result, occurred_after = engine->occurred_after;
        int is_object = !FIXNUM_P(ticket);
        if (is_object)
            ticket = complete_object(engine, ticket, result);
        else
            raffia_engine_drop(engine);
        struct wait *wait = FIXNUM_P(ticket) ? raffia_waits_find(&scheduler->waits, ticket) : NULL;
        if (wait) return settle(scheduler, wait, result, occurred_after, is_object);
    }
    return Qnil;
}

/* The first to leave when no fiber waits any more: a fiber that called Scheduler#run; the main
 * fiber comes last. */
static const struct runner *last_runner(const struct scheduler *scheduler)
{
    const struct runner_stack *runners = &scheduler->runners;
    if (runners->count == 0) return NULL;
    for (size_t i = runners->count; i-- > 0;)
        if (runners->entries[i].fiber != scheduler->main) return &runners->entries[i];
    return &runners->entries[runners->count - 1];
}

static const struct runner *top_runner(const struct scheduler *scheduler)
{
    return scheduler->runners.count ? &scheduler->runners.entries[scheduler->runners.count - 1]
                                    : NULL;
}

static int switch_to_main(struct scheduler *scheduler)
{
    VALUE running = scheduler->running;
    scheduler->running = Qnil;
    if (RTEST(rb_funcall(scheduler->self, id_switch_to_main, 1, scheduler->main))) return 1;
    scheduler->running = running;
    return 0;
}

/* How long to sleep. Where no operation is under way, only other threads can end the sleep, and
 * Ruby checks whether there are any; it may raise. */
static int64_t longest_sleep(struct scheduler *scheduler)
{
    if (!scheduler->detects_deadlocks || raffia_loop_pending(scheduler->loop) > 0)
        return RAFFIA_NO_LIMIT;
    if (poll_io(scheduler, 0, 1) > 0) return 0;
    VALUE seconds = rb_funcall(scheduler->self, id_check_deadlock, 0);
    return NIL_P(seconds) ? RAFFIA_NO_LIMIT : raffia_nanoseconds(seconds);
}

/* Only two fibers sleep: the one in Scheduler#run, where interrupts of the thread are raised, and
 * one that has no fiber to switch to. Where other threads may want the GVL, the kernel is polled
 * before the GVL is released, which may cost a whole time slice; a single thread does both in one
 * call. */
static void sleep_until_ready(struct scheduler *scheduler)
{
    if (scheduler->deferral.run) { /* of a fiber that has ended since; it may make others ready */
        raffia_run_deferred(&scheduler->deferral);
        return;
    }
    if (scheduler->runners.count == 0 && switch_to_main(scheduler)) return;
    int64_t limit = longest_sleep(scheduler);
    if (limit != 0) poll_io(scheduler, limit, !rb_thread_alone());
    rb_thread_check_ints();
}

void raffia_switch(struct scheduler *scheduler)
{
    if (scheduler->closed) rb_funcall(scheduler->self, id_raise_closed, 0);
    scheduler->switches++;
    if (scheduler->starts.count > 0) {
        /* Starts count as switches: else an acceptor that starts a fiber for each of a thousand
         * clients would keep the kernel from being polled for as long. */
        scheduler->turns.switches++;
        if (resume_start(scheduler)) return;
    }
    VALUE fiber = next_ready(scheduler);
    if (!NIL_P(fiber)) {
        transfer_to(fiber);
        return;
    }
    const struct runner *runner =
        raffia_scheduler_is_idle(scheduler) ? last_runner(scheduler) : top_runner(scheduler);
    if (!runner || runner->fiber == rb_fiber_current()) {
        sleep_until_ready(scheduler);
        return;
    }
    scheduler->running = runner->running;
    rb_fiber_transfer(runner->fiber, 0, NULL);
}

/* Scheduler#run */

static void push_runner(struct scheduler *scheduler, VALUE fiber)
{
    struct runner_stack *runners = &scheduler->runners;
    if (runners->count == runners->capacity) {
        size_t capacity = runners->capacity ? runners->capacity * 2 : 4;
        REALLOC_N(runners->entries, struct runner, capacity);
        runners->capacity = capacity;
    }
    struct runner runner = {.fiber = fiber, .running = scheduler->running};
    runners->entries[runners->count++] = runner;
}

static VALUE remove_runner(VALUE self)
{
    struct scheduler *scheduler = raffia_scheduler_of(self);
    struct runner_stack *runners = &scheduler->runners;
    VALUE fiber = rb_fiber_current();
    for (size_t i = runners->count; i-- > 0;) {
        struct runner runner = runners->entries[i];
        if (runner.fiber != fiber) continue;
        MEMMOVE(runners->entries + i, runners->entries + i + 1, struct runner,
                runners->count - i - 1);
        runners->count--;
        raffia_restore_running(scheduler, runner.running);
        break;
    }
    return Qnil;
}

/* Whether the running fiber may leave Scheduler#run: no fiber waits outside of it. */
static int is_over(const struct scheduler *scheduler)
{
    return scheduler->closed || (raffia_scheduler_is_idle(scheduler) &&
                                 last_runner(scheduler)->fiber == rb_fiber_current());
}

static VALUE switch_until_over(VALUE self)
{
    struct scheduler *scheduler = raffia_scheduler_of(self);
    while (!is_over(scheduler))
        raffia_switch(scheduler);
    return Qnil;
}

/* @overload run_until_over
 *   Switches to ready fibers, and sleeps when there are none, until no fiber waits any more. */
static VALUE run_until_over(VALUE self)
{
    push_runner(raffia_scheduler_attached(self), rb_fiber_current());
    return rb_ensure(switch_until_over, self, remove_runner, self);
}

static VALUE scheduler_is_idle(VALUE self)
{
    return raffia_scheduler_is_idle(raffia_scheduler_of(self)) ? Qtrue : Qfalse;
}

static int push_ticket(struct parking *parking)
{
    raffia_deliver(parking->scheduler, parking->wait->ticket, 0);
    return 0;
}

static VALUE scheduler_yield(VALUE self)
{
    struct parking parking = {.scheduler = raffia_scheduler_attached(self),
                              .reason = FOR_TURN,
                              .blocker = Qnil,
                              .fd = -1,
                              .limit = RAFFIA_NO_LIMIT,
                              .begin = push_ticket};
    raffia_park(&parking);
    return Qnil;
}

/* @overload detects_deadlocks=(whether)
 *   Whether `check_deadlock` is called before a sleep that no operation of the loop will end. */
static VALUE set_detects_deadlocks(VALUE self, VALUE whether)
{
    raffia_scheduler_of(self)->detects_deadlocks = RTEST(whether);
    return whether;
}

void raffia_init_switch(VALUE native)
{
    id_complete = rb_intern("complete");
    id_switch_to_main = rb_intern("switch_to_main");
    id_raise_closed = rb_intern("raise_closed");
    id_check_deadlock = rb_intern("check_deadlock");
    rb_define_private_method(native, "run_until_over", run_until_over, 0);
    rb_define_method(native, "detects_deadlocks=", set_detects_deadlocks, 1);
    rb_define_method(native, "idle?", scheduler_is_idle, 0);
    rb_define_method(native, "yield", scheduler_yield, 0);
}
