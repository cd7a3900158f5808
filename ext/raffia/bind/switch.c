/* Who runs next. All switches are transfers, straight from the fiber that waits to the next one; there is no fiber of the loop's own. The
 * fiber in Scheduler#run sleeps when nobody is ready.
 *
 * When a fiber ends, Ruby itself goes to the thread's main fiber, or to the innermost one that the main fiber is resuming, whatever that
 * waits for. So each of our transfers may return too early, and all of them look again. */
#include "scheduler.h"

#include <ruby/thread.h>
#include <stdlib.h>

static ID id_complete, id_leave_to_main, id_refuse, id_look_for_deadlock;

int raffia_is_idle(const struct scheduler *scheduler)
{
    return scheduler->parked->num_entries == 0 && scheduler->start_count == 0;
}

static void go(VALUE fiber)
{
    if (fiber != rb_fiber_current()) rb_fiber_transfer(fiber, 0, NULL);
}

/* Starts */

/* By libc, because nothing may be collected where a fiber is about to be born. */
static uint64_t push_start(struct scheduler *scheduler, VALUE fiber, VALUE running, int once)
{
    if (scheduler->start_count == scheduler->start_capacity) {
        size_t capacity = scheduler->start_capacity ? scheduler->start_capacity * 2 : 8;
        struct start *starts = realloc(scheduler->starts, capacity * sizeof(*starts));
        if (!starts) {
            raffia_birth_end(scheduler);
            rb_memerror();
        }
        scheduler->starts = starts;
        scheduler->start_capacity = capacity;
    }
    struct start start = {
        .fiber = fiber, .running = running, .number = ++scheduler->start_number, .once = once};
    scheduler->starts[scheduler->start_count++] = start;
    return start.number;
}

/* It is the last one, but for exceptions that came through several fibers. */
static void remove_start(struct scheduler *scheduler, uint64_t number)
{
    for (size_t i = scheduler->start_count; i-- > 0;) {
        if (scheduler->starts[i].number != number) continue;
        MEMMOVE(scheduler->starts + i, scheduler->starts + i + 1, struct start,
                scheduler->start_count - i - 1);
        scheduler->start_count--;
        return;
    }
}

static int is_last_start(const struct scheduler *scheduler, uint64_t number)
{
    return scheduler->start_count > 0 && scheduler->starts[scheduler->start_count - 1].number == number;
}

struct beginning {
    struct scheduler *scheduler;
    VALUE child, argument, parent;
    uint64_t number;
    int guarded;
};

static VALUE begin(VALUE pointer)
{
    struct beginning *beginning = (struct beginning *)pointer;
    struct scheduler *scheduler = beginning->scheduler;
    int fresh = beginning->argument != Qundef;
    if (!fresh) scheduler->running = beginning->child;
    rb_fiber_transfer(beginning->child, fresh, &beginning->argument);
    while (!is_last_start(scheduler, beginning->number))
        raffia_switch(scheduler);
    return Qnil;
}

static VALUE begun(VALUE pointer)
{
    struct beginning *beginning = (struct beginning *)pointer;
    if (beginning->guarded) raffia_birth_end(beginning->scheduler);
    remove_start(beginning->scheduler, beginning->number);
    raffia_give_back(beginning->scheduler, beginning->parent);
    return Qnil;
}

void raffia_start(struct scheduler *scheduler, VALUE child, VALUE argument, int guarded)
{
    struct beginning beginning = {.scheduler = scheduler,
                                  .child = child,
                                  .argument = argument,
                                  .parent = scheduler->running,
                                  .guarded = guarded};
    VALUE parent = rb_fiber_current();
    if (guarded) raffia_birth_begin(scheduler);
    beginning.number = push_start(scheduler, parent, scheduler->running, 0);
    rb_ensure(begin, (VALUE)&beginning, begun, (VALUE)&beginning);
}

void raffia_give_back(struct scheduler *scheduler, VALUE owner)
{
    VALUE intruder = scheduler->running;
    scheduler->running = owner;
    if (intruder == owner || NIL_P(intruder) || !RTEST(rb_fiber_alive_p(intruder))) return;
    if (!raffia_wait_of(scheduler, intruder)) push_start(scheduler, intruder, intruder, 1);
}

/* A trap handler may wait in the middle of a start: then the fiber that started another one cannot go on with it now. */
static int goes_on(struct scheduler *scheduler, const struct start *start)
{
    return start->once || (start->fiber != rb_fiber_current() && !raffia_wait_of(scheduler, start->fiber));
}

/* Whether there was a start to go on with. */
static int go_to_start(struct scheduler *scheduler)
{
    struct start start = scheduler->starts[scheduler->start_count - 1];
    if (!goes_on(scheduler, &start)) return 0;
    if (start.once) {
        scheduler->start_count--;
        if (!RTEST(rb_fiber_alive_p(start.fiber))) return 1; /* somebody struck it in turn */
    }
    scheduler->running = start.running;
    go(start.fiber);
    return 1;
}

/* What is ready */

static void end_turn(struct scheduler *scheduler)
{
    int64_t lasted = raffia_about_now() - scheduler->turn_begun;
    if (lasted > scheduler->longest_turn) scheduler->longest_turn = lasted;
    scheduler->turns++;
    scheduler->burst = 0;
}

static void begin_turn(struct scheduler *scheduler, int ready)
{
    if ((size_t)ready > scheduler->deepest) scheduler->deepest = (size_t)ready;
    scheduler->turn_begun = raffia_about_now();
    /* What the next look finds may have happened from now on. */
    scheduler->loop->ready.since = raffia_now();
}

/* `limit`: nanoseconds to sleep at most when nothing is ready, RAFFIA_NO_LIMIT, or 0. The number of completions. */
static int look_at_io(struct scheduler *scheduler, int64_t limit, int look_first)
{
    end_turn(scheduler);
    int64_t closes = raffia_look_for_closed(scheduler);
    if (closes >= 0 && (limit < 0 || closes < limit)) limit = closes;
    int ready = raffia_engine_turn(scheduler->engine, limit, look_first);
    begin_turn(scheduler, ready);
    return ready;
}

/* What an object (a Notice, a Passage) makes of its completion: a wait, or nil. It is dropped afterwards, because an interrupt may strike
 * in its code, and then it is asked again. */
static VALUE ask(struct engine *engine, VALUE object, int64_t result)
{
    VALUE ticket = rb_funcall(object, id_complete, 1, LL2NUM(result));
    /* A trap handler may have waited here meanwhile, and have taken it. */
    if (engine->peeked && engine->next == object) raffia_engine_drop(engine);
    return ticket;
}

/* An op that is owed is heard of even if something else has ended the wait already; a timer's result is not its own. */
static int pays(const struct wait *wait, int64_t result, int of_object)
{
    return wait->owed && !of_object && result != -ETIME;
}

static VALUE settle(struct scheduler *scheduler, struct wait *wait, int64_t result, int64_t happened,
                    int of_object)
{
    int paid = pays(wait, result, of_object);
    if (paid || !wait->settled) wait->result = result;
    wait->paid |= (unsigned char)paid;
    wait->settled = 1;
    scheduler->running = wait->owner;
    scheduler->happened = happened;
    return wait->fiber;
}

/* The next fiber that need not wait any more, or Qnil. This is where the order in which fibers run is decided, and nowhere else, so it is
 * here that another order would be chosen. (A fiber that has just started another one has no rival: it goes on when that one waits.) */
static VALUE next_ready(struct scheduler *scheduler)
{
    struct engine *engine = raffia_engine_of(scheduler->engine);
    if (++scheduler->burst > scheduler->turn) look_at_io(scheduler, 0, 1);
    while (raffia_engine_peek(scheduler->engine, engine)) {
        VALUE ticket = engine->next;
        int64_t result = engine->result, happened = engine->happened;
        int of_object = !FIXNUM_P(ticket);
        if (of_object)
            ticket = ask(engine, ticket, result);
        else
            raffia_engine_drop(engine);
        struct wait *wait = FIXNUM_P(ticket) ? raffia_waits_find(&scheduler->waits, ticket) : NULL;
        if (wait) return settle(scheduler, wait, result, happened, of_object);
    }
    return Qnil;
}

/* Who leaves first when nobody waits any more: a fiber that called Scheduler#run; the main fiber comes after all others. */
static const struct runner *last_runner(const struct scheduler *scheduler)
{
    if (scheduler->runner_count == 0) return NULL;
    for (size_t i = scheduler->runner_count; i-- > 0;)
        if (scheduler->runners[i].fiber != scheduler->main) return &scheduler->runners[i];
    return &scheduler->runners[scheduler->runner_count - 1];
}

static const struct runner *top_runner(const struct scheduler *scheduler)
{
    return scheduler->runner_count ? &scheduler->runners[scheduler->runner_count - 1] : NULL;
}

static int leave_to_main(struct scheduler *scheduler)
{
    VALUE running = scheduler->running;
    scheduler->running = Qnil;
    if (RTEST(rb_funcall(scheduler->self, id_leave_to_main, 1, scheduler->main))) return 1;
    scheduler->running = running;
    return 0;
}

/* How long to sleep. Where no operation is under way, only others can end the sleep, and Ruby looks whether there are any; it may raise. */
static int64_t longest_sleep(struct scheduler *scheduler)
{
    if (!scheduler->watchful || raffia_loop_pending(scheduler->loop) > 0) return RAFFIA_NO_LIMIT;
    if (look_at_io(scheduler, 0, 1) > 0) return 0;
    VALUE seconds = rb_funcall(scheduler->self, id_look_for_deadlock, 0);
    return NIL_P(seconds) ? RAFFIA_NO_LIMIT : raffia_nanoseconds(seconds);
}

/* Only the fiber in Scheduler#run sleeps, where interrupts of the thread are raised, and one that cannot get rid of the thread. Where other
 * threads may want Ruby's lock, the kernel is asked before it is given away, which may cost a whole time slice; alone, one call does both. */
static void rest(struct scheduler *scheduler)
{
    if (scheduler->runner_count == 0 && leave_to_main(scheduler)) return;
    int64_t limit = longest_sleep(scheduler);
    if (limit != 0) look_at_io(scheduler, limit, !rb_thread_alone());
    rb_thread_check_ints();
}

void raffia_switch(struct scheduler *scheduler)
{
    if (scheduler->closed) rb_funcall(scheduler->self, id_refuse, 0);
    scheduler->switches++;
    if (scheduler->start_count > 0) {
        /* What is started counts, too: an acceptor that starts a fiber for each client would else keep those that are
         * there from the kernel's news for a thousand clients. */
        scheduler->burst++;
        if (go_to_start(scheduler)) return;
    }
    VALUE fiber = next_ready(scheduler);
    if (!NIL_P(fiber)) {
        go(fiber);
        return;
    }
    const struct runner *runner = raffia_is_idle(scheduler) ? last_runner(scheduler) : top_runner(scheduler);
    if (!runner || runner->fiber == rb_fiber_current()) {
        rest(scheduler);
        return;
    }
    scheduler->running = runner->running;
    rb_fiber_transfer(runner->fiber, 0, NULL);
}

/* Scheduler#run */

static void push_runner(struct scheduler *scheduler, VALUE fiber)
{
    if (scheduler->runner_count == scheduler->runner_capacity) {
        size_t capacity = scheduler->runner_capacity ? scheduler->runner_capacity * 2 : 4;
        REALLOC_N(scheduler->runners, struct runner, capacity);
        scheduler->runner_capacity = capacity;
    }
    struct runner runner = {.fiber = fiber, .running = scheduler->running};
    scheduler->runners[scheduler->runner_count++] = runner;
}

static VALUE remove_runner(VALUE self)
{
    struct scheduler *scheduler = raffia_scheduler_of(self);
    VALUE fiber = rb_fiber_current();
    for (size_t i = scheduler->runner_count; i-- > 0;) {
        struct runner runner = scheduler->runners[i];
        if (runner.fiber != fiber) continue;
        MEMMOVE(scheduler->runners + i, scheduler->runners + i + 1, struct runner,
                scheduler->runner_count - i - 1);
        scheduler->runner_count--;
        raffia_give_back(scheduler, runner.running);
        break;
    }
    return Qnil;
}

/* Whether the running fiber may leave Scheduler#run: nobody waits any more but in there. */
static int is_over(const struct scheduler *scheduler)
{
    return scheduler->closed ||
           (raffia_is_idle(scheduler) && last_runner(scheduler)->fiber == rb_fiber_current());
}

static VALUE turn(VALUE self)
{
    struct scheduler *scheduler = raffia_scheduler_of(self);
    while (!is_over(scheduler))
        raffia_switch(scheduler);
    return Qnil;
}

/* @overload run_until_over
 *   The calling fiber switches to those that are ready, and sleeps when there is none, until nobody waits any more. */
static VALUE run_until_over(VALUE self)
{
    push_runner(raffia_scheduler_attached(self), rb_fiber_current());
    return rb_ensure(turn, self, remove_runner, self);
}

static VALUE scheduler_is_idle(VALUE self)
{
    return raffia_is_idle(raffia_scheduler_of(self)) ? Qtrue : Qfalse;
}

static int push_itself(struct parking *parking)
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
                              .begin = push_itself};
    raffia_park(&parking);
    return Qnil;
}

/* @overload watchful=(whether)
 *   Whether `look_for_deadlock` is to be asked before a sleep that nothing of the loop's own will end. */
static VALUE set_watchful(VALUE self, VALUE whether)
{
    raffia_scheduler_of(self)->watchful = RTEST(whether);
    return whether;
}

void raffia_init_switch(VALUE native)
{
    id_complete = rb_intern("complete");
    id_leave_to_main = rb_intern("leave_to_main");
    id_refuse = rb_intern("refuse");
    id_look_for_deadlock = rb_intern("look_for_deadlock");
    rb_define_private_method(native, "run_until_over", run_until_over, 0);
    rb_define_private_method(native, "watchful=", set_watchful, 1);
    rb_define_method(native, "idle?", scheduler_is_idle, 0);
    rb_define_method(native, "yield", scheduler_yield, 0);
}
