/* The fibers that the scheduler starts, and how they are used again. A fresh one costs a machine stack, whose pages the kernel has to find
 * and clean each time; one that is used again costs a switch.
 *
 * Used again is a fiber that nobody was given: its block ended before it waited, or it came by `launch`, which hands none out. Whoever calls
 * Fiber.schedule gets a Fiber of his own in any case, which is dead when its block has ended. Between two blocks the fiber's storage, its
 * locals (Thread#[]) and its instance variables are taken away. */
#include "scheduler.h"

/* A thousand stacks of some 13 KB, as far as they were ever used. */
enum { MOST_IDLE = 1024 };

/* Where there are several Ractors, fibers are born so many at once, because each time may cost a collection of garbage. */
enum { SMALLEST_LITTER = 8, LARGEST_LITTER = 128 };

struct carrier {
    struct scheduler *scheduler;
    VALUE fiber;
    VALUE block;          /* the next one, or Qnil */
    VALUE storage;        /* what the next block inherits, or Qnil */
    uint64_t lives;       /* blocks that ended */
    int begun;            /* it has run */
    int guarded;          /* see births.c */
    int watched, ended;   /* who starts it still looks at it; it has ended meanwhile */
    int exposed;          /* somebody has been given the fiber */
    struct carrier *next; /* of the idle ones */
};

static ID id_storage, id_store, id_keys, id_instance_variables, id_remove_instance_variable, id_kill, id_new,
    id_make_room, id_room_made, id_delete;
static VALUE fiber_class, fiber_error;

/* Clean hands */

static int set_storage(VALUE key, VALUE value, VALUE unused)
{
    (void)unused;
    rb_funcall(fiber_class, id_store, 2, key, value);
    return ST_CONTINUE;
}

static int clear_storage(VALUE key, VALUE value, VALUE unused)
{
    (void)value;
    return set_storage(key, Qnil, unused);
}

void raffia_clear_locals(void)
{
    VALUE thread = rb_thread_current(), keys = rb_funcall(thread, id_keys, 0);
    for (long i = 0; i < RARRAY_LEN(keys); i++)
        rb_thread_local_aset(thread, rb_sym2id(RARRAY_AREF(keys, i)), Qnil);
}

void raffia_clear_variables(VALUE fiber)
{
    if (rb_ivar_count(fiber) == 0) return;
    VALUE names = rb_funcall(fiber, id_instance_variables, 0);
    for (long i = 0; i < RARRAY_LEN(names); i++)
        rb_funcall(fiber, id_remove_instance_variable, 1, RARRAY_AREF(names, i));
}

static void clean(struct scheduler *scheduler, VALUE fiber)
{
    VALUE storage = rb_funcall(fiber, id_storage, 0);
    if (!NIL_P(storage) && RHASH_SIZE(storage) > 0) rb_hash_foreach(storage, clear_storage, Qnil);
    raffia_clear_locals();
    raffia_clear_variables(fiber);
    raffia_take_permit(scheduler, fiber);
}

/* The life of a fiber */

/* A trap handler waits in a fiber that has not come to its block yet, and the one who started it goes on, so somebody else has to hold
 * what it was given. */
static void hold(struct scheduler *scheduler, VALUE fiber, VALUE block, VALUE storage)
{
    if (NIL_P(scheduler->held)) scheduler->held = rb_hash_new();
    rb_hash_aset(scheduler->held, fiber, rb_assoc_new(block, storage));
}

static void let_go(struct scheduler *scheduler, VALUE fiber)
{
    if (!NIL_P(scheduler->held) && RHASH_SIZE(scheduler->held) > 0) rb_hash_delete(scheduler->held, fiber);
}

static VALUE run_block(VALUE pointer)
{
    struct carrier *carrier = (struct carrier *)pointer;
    VALUE block = carrier->block, storage = carrier->storage;
    carrier->block = carrier->storage = Qnil;
    let_go(carrier->scheduler, carrier->fiber);
    if (!NIL_P(storage)) rb_hash_foreach(storage, set_storage, Qnil);
    rb_proc_call_with_block(block, 0, NULL, Qnil);
    RB_GC_GUARD(block);
    carrier->lives++;
    return Qtrue;
}

/* Somebody has sent an interrupt to it, which must not meet another block. */
static int is_addressed(const struct carrier *carrier)
{
    VALUE addressed = carrier->scheduler->addressed;
    return !NIL_P(addressed) && !NIL_P(rb_funcall(addressed, id_delete, 1, carrier->fiber));
}

static int may_go_on(const struct carrier *carrier)
{
    const struct scheduler *scheduler = carrier->scheduler;
    return scheduler->recycle && !carrier->exposed && !scheduler->closed &&
           scheduler->idle_count < MOST_IDLE && !is_addressed(carrier);
}

int raffia_fibers_is_idle(const struct scheduler *scheduler, VALUE fiber)
{
    for (const struct carrier *carrier = scheduler->idle; carrier; carrier = carrier->next)
        if (carrier->fiber == fiber) return 1;
    return 0;
}

static void remove_idle(struct carrier *carrier)
{
    struct carrier **link = &carrier->scheduler->idle;
    while (*link && *link != carrier)
        link = &(*link)->next;
    if (!*link) return;
    *link = carrier->next;
    carrier->scheduler->idle_count--;
}

/* Some wait for a fiber, because there are so many: see lib/raffia/scheduler/room.rb. */
static void tell_crowd(struct scheduler *scheduler)
{
    if (scheduler->crowded && !scheduler->closed) rb_funcall(scheduler->self, id_room_made, 0);
}

static VALUE await_block(VALUE pointer)
{
    struct carrier *carrier = (struct carrier *)pointer;
    struct scheduler *scheduler = carrier->scheduler;
    clean(scheduler, carrier->fiber);
    carrier->next = scheduler->idle;
    scheduler->idle = carrier;
    scheduler->idle_count++;
    tell_crowd(scheduler);
    while (NIL_P(carrier->block))
        raffia_switch(scheduler);
    return Qtrue;
}

/* Whoever kept Fiber.current from a block that has ended, and raises something in it or kills it, finds it dead: nobody hears of that, and
 * the one who did it goes on. But what strikes a fiber that runs is an interrupt of the thread. */
static int rest(struct carrier *carrier)
{
    int failure = 0;
    struct scheduler *scheduler = carrier->scheduler;
    rb_protect(await_block, (VALUE)carrier, &failure);
    if (failure == 0) return 1;
    remove_idle(carrier);
    if (scheduler->running == carrier->fiber) rb_jump_tag(failure);
    rb_set_errinfo(Qnil);
    raffia_give_back(scheduler, carrier->fiber);
    return 0;
}

/* For the next fresh fiber. */
static void put_by(struct carrier *carrier)
{
    carrier->next = carrier->scheduler->spare;
    carrier->scheduler->spare = carrier;
}

static VALUE end_carrier(VALUE pointer)
{
    struct carrier *carrier = (struct carrier *)pointer;
    struct scheduler *scheduler = carrier->scheduler;
    carrier->ended = 1;
    let_go(scheduler, carrier->fiber);
    if (!carrier->watched) put_by(carrier);
    scheduler->live--;
    tell_crowd(scheduler);
    return Qnil;
}

static VALUE carry_blocks(VALUE pointer)
{
    struct carrier *carrier = (struct carrier *)pointer;
    if (NIL_P(carrier->block) && !rest(carrier)) return Qnil;
    do
        run_block(pointer);
    while (may_go_on(carrier) && rest(carrier));
    return Qnil;
}

/* One Proc serves all fibers, so each is handed its carrier by the switch to it: an address is even, and so half of a Fixnum. */
static VALUE wrap(const struct carrier *carrier)
{
    return (VALUE)carrier | RUBY_FIXNUM_FLAG;
}

static VALUE live(RB_BLOCK_CALL_FUNC_ARGLIST(wrapped, data))
{
    VALUE pointer = wrapped & ~(VALUE)RUBY_FIXNUM_FLAG;
    struct carrier *carrier = (struct carrier *)pointer;
    VALUE self = carrier->scheduler->self;
    (void)data, (void)argc, (void)argv, (void)blockarg;
    carrier->begun = 1;
    carrier->scheduler->running = carrier->fiber;
    if (carrier->guarded) raffia_birth_end(carrier->scheduler);
    rb_ensure(carry_blocks, pointer, end_carrier, pointer);
    RB_GC_GUARD(self);
    return Qnil;
}

/* Starting one */

static VALUE new_fiber(struct scheduler *scheduler, VALUE options)
{
    if (NIL_P(scheduler->living)) scheduler->living = rb_proc_new(live, Qnil);
    if (NIL_P(options)) return rb_funcall_with_block(fiber_class, id_new, 0, NULL, scheduler->living);
    return rb_funcall_with_block_kw(fiber_class, id_new, 1, &options, scheduler->living, RB_PASS_KEYWORDS);
}

/* One with options has them for life, and is not used again. */
static struct carrier *fresh(struct scheduler *scheduler, VALUE options)
{
    VALUE fiber = new_fiber(scheduler, options);
    struct carrier *carrier = scheduler->spare;
    if (carrier)
        scheduler->spare = carrier->next;
    else
        carrier = ALLOC(struct carrier);
    *carrier = (struct carrier){
        .scheduler = scheduler, .fiber = fiber, .block = Qnil, .storage = Qnil, .exposed = !NIL_P(options)};
    scheduler->live++;
    scheduler->fresh++;
    return carrier;
}

static struct carrier *used(struct scheduler *scheduler)
{
    struct carrier *carrier = scheduler->idle;
    if (!carrier) return NULL;
    carrier->storage = rb_funcall(rb_fiber_current(), id_storage, 0);
    /* Only now: a method of Ruby has been called. */
    if (carrier != scheduler->idle) return NULL;
    scheduler->idle = carrier->next;
    scheduler->idle_count--;
    return carrier;
}

static VALUE nothing(RB_BLOCK_CALL_FUNC_ARGLIST(first, data))
{
    (void)first, (void)data, (void)argc, (void)argv, (void)blockarg;
    return Qnil;
}

/* Whoever asked for a fiber gets one, be it only to see that it has ended. It never had a stack. */
static VALUE a_dead_fiber(struct scheduler *scheduler)
{
    if (NIL_P(scheduler->nothing)) scheduler->nothing = rb_proc_new(nothing, Qnil);
    VALUE fiber = rb_funcall_with_block(fiber_class, id_new, 0, NULL, scheduler->nothing);
    rb_funcall(fiber, id_kill, 0);
    return fiber;
}

static VALUE start_carrier(VALUE pointer)
{
    struct carrier *carrier = (struct carrier *)pointer;
    VALUE argument = carrier->begun ? Qundef : wrap(carrier);
    raffia_start(carrier->scheduler, carrier->fiber, argument, carrier->guarded && !carrier->begun);
    return Qnil;
}

static void discard(struct carrier *carrier)
{
    carrier->scheduler->live--;
    carrier->scheduler->fresh--;
    put_by(carrier);
}

/* Returns the error when no stack could be had for the fiber: it has not begun then, and is thrown away. */
static VALUE try_to_begin(struct carrier *carrier)
{
    int failure = 0;
    if (carrier->begun) return start_carrier((VALUE)carrier);
    carrier->watched = 1;
    rb_protect(start_carrier, (VALUE)carrier, &failure);
    carrier->watched = 0;
    int begun = carrier->begun;
    if (carrier->ended) put_by(carrier);
    if (failure == 0) return Qnil;
    if (begun) rb_jump_tag(failure);
    discard(carrier);
    VALUE error = rb_errinfo();
    if (!RTEST(rb_obj_is_kind_of(error, fiber_error))) rb_jump_tag(failure);
    rb_set_errinfo(Qnil);
    return error;
}

/* lib/raffia/scheduler/room.rb decides what next when there is no room for another fiber. */
static int begin(struct carrier *carrier)
{
    struct scheduler *scheduler = carrier->scheduler;
    VALUE error = try_to_begin(carrier);
    if (NIL_P(error)) return 1;
    rb_funcall(scheduler->self, id_make_room, 1, error);
    return 0;
}

/* Those that come without a block are idle at once. One will do, where there is no room for more. */
static void bear_litter(struct scheduler *scheduler)
{
    size_t count = scheduler->live;
    if (count < SMALLEST_LITTER) count = SMALLEST_LITTER;
    if (count > LARGEST_LITTER) count = LARGEST_LITTER;
    while (count-- > 0) {
        struct carrier *carrier = fresh(scheduler, Qnil);
        carrier->guarded = 1;
        VALUE error = try_to_begin(carrier);
        if (NIL_P(error)) continue;
        if (!scheduler->idle) rb_funcall(scheduler->self, id_make_room, 1, error);
        return;
    }
}

static struct carrier *find(struct scheduler *scheduler, VALUE options)
{
    struct carrier *carrier;
    if (!NIL_P(options)) return fresh(scheduler, options);
    while (!(carrier = used(scheduler))) {
        if (!raffia_births_shared()) return fresh(scheduler, Qnil);
        if (!scheduler->idle) bear_litter(scheduler);
    }
    return carrier;
}

/* Returns the fiber, or Qnil when it has ended its block and been put aside. A storage of Qundef is the caller's. */
static VALUE start(struct scheduler *scheduler, VALUE block, VALUE options, VALUE storage, int expose)
{
    struct carrier *carrier;
    VALUE fiber;
    uint64_t lives;
    scheduler->started++;
    do {
        carrier = find(scheduler, options);
        if (!RB_UNDEF_P(storage)) carrier->storage = storage;
        lives = carrier->lives;
        fiber = carrier->fiber;
        storage = carrier->storage;
        carrier->block = block;
    } while (!begin(carrier));
    if (carrier->fiber == fiber && carrier->block == block) hold(scheduler, fiber, block, storage);
    RB_GC_GUARD(block);
    RB_GC_GUARD(storage);
    if (!RTEST(rb_fiber_alive_p(fiber))) return fiber; /* and so the carrier is gone */
    if (carrier->lives != lives) return Qnil;
    carrier->exposed |= expose;
    return fiber;
}

/* With options there is nothing to use again. Where there are several Ractors it is one that has been born already, which gets its storage
 * here; the new one is only asked what it thinks of the options. */
static VALUE start_with_options(struct scheduler *scheduler, VALUE options, VALUE block)
{
    VALUE all = rb_hash_dup(options);
    rb_hash_aset(all, ID2SYM(rb_intern("blocking")), Qfalse);
    if (!raffia_births_shared()) return start(scheduler, block, all, Qundef, 1);

    rb_funcall_with_block_kw(fiber_class, id_new, 1, &all, block, RB_PASS_KEYWORDS);
    VALUE storage = rb_hash_lookup2(all, ID2SYM(id_storage), Qtrue);
    if (!scheduler->idle) bear_litter(scheduler);
    return start(scheduler, block, Qnil, storage == Qtrue ? Qundef : storage, 1);
}

/*
 * @overload fiber(**options)
 *   Hook of Fiber.schedule: starts the fiber at once; the caller goes on when it waits or ends.
 *   @param options [Hash] for Fiber.new, such as storage:
 *   @return [Fiber]
 *   @raise [Closed]
 */
static VALUE scheduler_fiber(int argc, VALUE *argv, VALUE self)
{
    VALUE options;
    rb_scan_args(argc, argv, ":", &options);
    VALUE block = rb_block_proc();
    struct scheduler *scheduler = raffia_scheduler_attached(self);
    VALUE fiber = !NIL_P(options) && RHASH_SIZE(options) > 0 ? start_with_options(scheduler, options, block)
                                                             : start(scheduler, block, Qnil, Qundef, 1);
    return NIL_P(fiber) ? a_dead_fiber(scheduler) : fiber;
}

/*
 * @overload launch
 *   The same for a caller who needs no Fiber: it may then be used again for another block. Inside of the block, Fiber.current must not be
 *   kept for longer than the block runs.
 *   @return [void]
 *   @raise [Closed]
 */
static VALUE scheduler_launch(VALUE self)
{
    start(raffia_scheduler_attached(self), rb_block_proc(), Qnil, Qundef, 0);
    return Qnil;
}

/* @overload address(fiber)
 *   An interrupt is going to be sent to it.
 *   @return [Boolean] whether it may be: not when the fiber's block has ended */
static VALUE address(VALUE self, VALUE fiber)
{
    struct scheduler *scheduler = raffia_scheduler_of(self);
    if (raffia_fibers_is_idle(scheduler, fiber)) return Qfalse;
    if (NIL_P(scheduler->addressed))
        scheduler->addressed = rb_class_new_instance(0, NULL, rb_path2class("ObjectSpace::WeakKeyMap"));
    rb_funcall(scheduler->addressed, id_store, 2, fiber, Qtrue);
    return Qtrue;
}

/* Whether somebody waits for a fiber to end. */
static VALUE set_crowded(VALUE self, VALUE crowded)
{
    raffia_scheduler_of(self)->crowded = RTEST(crowded);
    return crowded;
}

void raffia_fibers_free(struct scheduler *scheduler)
{
    while (scheduler->spare) {
        struct carrier *carrier = scheduler->spare;
        scheduler->spare = carrier->next;
        ruby_xfree(carrier);
    }
}

void raffia_fibers_mark(struct scheduler *scheduler)
{
    for (struct carrier *carrier = scheduler->idle; carrier; carrier = carrier->next)
        rb_gc_mark(carrier->fiber);
}

/* Their stacks go with the fibers. They wait for a block that will not come. */
void raffia_fibers_release(struct scheduler *scheduler)
{
    scheduler->idle = NULL;
    scheduler->idle_count = 0;
}

void raffia_init_fibers(VALUE native)
{
    /* Core has no C names for them. Constants of core hold them, so they are never collected. */
    fiber_class = rb_path2class("Fiber");
    fiber_error = rb_path2class("FiberError");
    id_storage = rb_intern("storage");
    id_store = rb_intern("[]=");
    id_keys = rb_intern("keys");
    id_instance_variables = rb_intern("instance_variables");
    id_remove_instance_variable = rb_intern("remove_instance_variable");
    id_kill = rb_intern("kill");
    id_new = rb_intern("new");
    id_make_room = rb_intern("make_room");
    id_room_made = rb_intern("room_made");
    id_delete = rb_intern("delete");
    rb_define_private_method(native, "address", address, 1);
    rb_define_method(native, "fiber", scheduler_fiber, -1);
    rb_define_method(native, "launch", scheduler_launch, 0);
    rb_define_private_method(native, "crowded=", set_crowded, 1);
}
