/* The fibers that the scheduler starts, and their reuse. A fresh fiber costs a machine stack, whose
 * pages the kernel has to find and clear each time. A reused one costs a switch.
 *
 * A fiber is reused when no caller has a reference to it: its block ended before it waited, or it
 * was started by `launch`, which returns none. Fiber.schedule returns a Fiber of its own in any
 * case, which is dead when its block has ended. Between two blocks the fiber's storage, its locals
 * (Thread#[]) and its instance variables are cleared. */
#include "fiber_pool.h"

#include "fiber_start_lock.h"
#include "scheduler.h"

/* A thousand stacks of some 13 KB, as far as they were ever used. */
enum { MAX_IDLE = 1024 };

/* Fibers that are started at once where there are several Ractors, because each start may cost a
 * garbage collection. */
enum { MIN_BATCH = 8, MAX_BATCH = 128 };

struct pooled_fiber {
    struct scheduler *scheduler;
    VALUE fiber;
    VALUE block;   /* the next one, or Qnil */
    VALUE storage; /* that the next block inherits, or Qnil */
    uint64_t blocks_ended;
    int begun;  /* it has run */
    int locked; /* its first switch takes the fiber start lock */
    int watched,
        ended;      /* the caller that starts it still reads this record; it has ended meanwhile */
    int referenced; /* a caller was given the fiber */
    int killed;     /* by Thread#kill or Fiber#kill */
    struct pooled_fiber *next; /* of the idle ones */
};

static ID id_storage, id_store, id_keys, id_instance_variables, id_remove_instance_variable,
    id_kill, id_new, id_await_fiber_slot, id_fiber_ended, id_delete, id_let_kill_pass;
static VALUE fiber_class, fiber_error;

/* Reset */

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

void raffia_fiber_clear_locals(void)
{
    VALUE thread = rb_thread_current(), keys = rb_funcall(thread, id_keys, 0);
    for (long i = 0; i < RARRAY_LEN(keys); i++)
        rb_thread_local_aset(thread, rb_sym2id(RARRAY_AREF(keys, i)), Qnil);
}

void raffia_fiber_clear_variables(VALUE fiber)
{
    if (rb_ivar_count(fiber) == 0) return;
    VALUE names = rb_funcall(fiber, id_instance_variables, 0);
    for (long i = 0; i < RARRAY_LEN(names); i++)
        rb_funcall(fiber, id_remove_instance_variable, 1, RARRAY_AREF(names, i));
}

static void reset(struct scheduler *scheduler, VALUE fiber)
{
    VALUE storage = rb_funcall(fiber, id_storage, 0);
    if (!NIL_P(storage) && RHASH_SIZE(storage) > 0) rb_hash_foreach(storage, clear_storage, Qnil);
    raffia_fiber_clear_locals();
    raffia_fiber_clear_variables(fiber);
    raffia_permit_take(&scheduler->permits, fiber);
}

/* The body of a fiber */

/* A trap handler may wait in a fiber that has not come to its block yet, and the fiber that started
 * it resumes. So the scheduler has to keep the block and the storage alive. */
static void keep_pending_values(struct fiber_pool *pool, VALUE fiber, VALUE block, VALUE storage)
{
    if (NIL_P(pool->pending_values)) pool->pending_values = rb_hash_new();
    rb_hash_aset(pool->pending_values, fiber, rb_assoc_new(block, storage));
}

static void drop_pending_values(struct fiber_pool *pool, VALUE fiber)
{
    if (!NIL_P(pool->pending_values) && RHASH_SIZE(pool->pending_values) > 0)
        rb_hash_delete(pool->pending_values, fiber);
}

static VALUE run_block(VALUE pointer)
{
    struct pooled_fiber *pooled = (struct pooled_fiber *)pointer;
    VALUE block = pooled->block, storage = pooled->storage;
    pooled->block = pooled->storage = Qnil;
    drop_pending_values(&pooled->scheduler->fibers, pooled->fiber);
    if (!NIL_P(storage)) rb_hash_foreach(storage, set_storage, Qnil);
    rb_proc_call_with_block(block, 0, NULL, Qnil);
    RB_GC_GUARD(block);
    pooled->blocks_ended++;
    return Qtrue;
}

/* An interrupt that was sent to the fiber must not hit another block. */
static int is_interrupted(const struct pooled_fiber *pooled)
{
    VALUE interrupted = pooled->scheduler->fibers.interrupted;
    return !NIL_P(interrupted) && !NIL_P(rb_funcall(interrupted, id_delete, 1, pooled->fiber));
}

static int is_reusable(const struct pooled_fiber *pooled)
{
    const struct scheduler *scheduler = pooled->scheduler;
    return scheduler->fibers.recycle && !pooled->referenced && !scheduler->closed &&
           scheduler->fibers.idle_count < MAX_IDLE && !is_interrupted(pooled);
}

int raffia_fiber_pool_is_idle(const struct fiber_pool *pool, VALUE fiber)
{
    for (const struct pooled_fiber *pooled = pool->idle; pooled; pooled = pooled->next)
        if (pooled->fiber == fiber) return 1;
    return 0;
}

static void remove_idle(struct pooled_fiber *pooled)
{
    struct fiber_pool *pool = &pooled->scheduler->fibers;
    struct pooled_fiber **link = &pool->idle;
    while (*link && *link != pooled)
        link = &(*link)->next;
    if (!*link) return;
    *link = pooled->next;
    pool->idle_count--;
}

/* See lib/raffia/scheduler/fiber_limit.rb. */
static void notify_fiber_limit(struct scheduler *scheduler)
{
    if (scheduler->fibers.limit_reached && !scheduler->closed)
        rb_funcall(scheduler->self, id_fiber_ended, 0);
}

static VALUE await_block(VALUE pointer)
{
    struct pooled_fiber *pooled = (struct pooled_fiber *)pointer;
    struct scheduler *scheduler = pooled->scheduler;
    reset(scheduler, pooled->fiber);
    pooled->next = scheduler->fibers.idle;
    scheduler->fibers.idle = pooled;
    scheduler->fibers.idle_count++;
    notify_fiber_limit(scheduler);
    while (NIL_P(pooled->block))
        raffia_switch(scheduler);
    return Qtrue;
}

/* Returns whether the fiber has another block. A caller that kept Fiber.current from a block that
 * has ended, and raises in it or kills it, finds it dead: the exception is dropped, and that caller
 * resumes. An exception in the running fiber is an interrupt of the thread. */
static int await_next_block(struct pooled_fiber *pooled)
{
    int failure = 0;
    struct scheduler *scheduler = pooled->scheduler;
    rb_protect(await_block, (VALUE)pooled, &failure);
    if (failure == 0) return 1;
    remove_idle(pooled);
    if (scheduler->running == pooled->fiber) rb_jump_tag(failure);
    rb_set_errinfo(Qnil);
    raffia_restore_running(scheduler, pooled->fiber);
    return 0;
}

/* For the next fiber that is created. */
static void save_record(struct pooled_fiber *pooled)
{
    pooled->next = pooled->scheduler->fibers.spare;
    pooled->scheduler->fibers.spare = pooled;
}

static VALUE end_fiber(VALUE pointer)
{
    struct pooled_fiber *pooled = (struct pooled_fiber *)pointer;
    struct scheduler *scheduler = pooled->scheduler;
    int killed = pooled->killed;
    pooled->ended = 1;
    drop_pending_values(&scheduler->fibers, pooled->fiber);
    if (!pooled->watched) save_record(pooled);
    scheduler->fibers.live--;
    notify_fiber_limit(scheduler);
    if (killed) rb_funcall(scheduler->self, id_let_kill_pass, 0);
    return Qnil;
}

static VALUE run_blocks(VALUE pointer)
{
    struct pooled_fiber *pooled = (struct pooled_fiber *)pointer;
    if (NIL_P(pooled->block) && !await_next_block(pooled)) return Qnil;
    do
        run_block(pointer);
    while (is_reusable(pooled) && await_next_block(pooled));
    return Qnil;
}

/* A kill has a number in place of an exception, which rb_ensure hides from its second function. */
static VALUE run_until_killed(VALUE pointer)
{
    int failure = 0;
    rb_protect(run_blocks, pointer, &failure);
    if (failure == 0) return Qnil;
    ((struct pooled_fiber *)pointer)->killed = RB_FIXNUM_P(rb_errinfo());
    rb_jump_tag(failure);
}

/* One Proc serves all fibers, so the first switch passes each its record, as a Fixnum: an address
 * is even. */
static VALUE to_fixnum(const struct pooled_fiber *pooled)
{
    return (VALUE)pooled | RUBY_FIXNUM_FLAG;
}

static VALUE fiber_body(RB_BLOCK_CALL_FUNC_ARGLIST(fixnum, data))
{
    VALUE pointer = fixnum & ~(VALUE)RUBY_FIXNUM_FLAG;
    struct pooled_fiber *pooled = (struct pooled_fiber *)pointer;
    VALUE self = pooled->scheduler->self;
    (void)data, (void)argc, (void)argv, (void)blockarg;
    pooled->begun = 1;
    pooled->scheduler->running = pooled->fiber;
    if (pooled->locked) raffia_fiber_start_unlock(pooled->scheduler);
    rb_ensure(run_until_killed, pointer, end_fiber, pointer);
    RB_GC_GUARD(self);
    return Qnil;
}

/* Start */

static VALUE new_fiber(struct fiber_pool *pool, VALUE options)
{
    if (NIL_P(pool->body)) pool->body = rb_proc_new(fiber_body, Qnil);
    if (NIL_P(options)) return rb_funcall_with_block(fiber_class, id_new, 0, NULL, pool->body);
    return rb_funcall_with_block_kw(fiber_class, id_new, 1, &options, pool->body, RB_PASS_KEYWORDS);
}

/* A fiber with options has them for its lifetime, and is not reused. */
static struct pooled_fiber *create(struct scheduler *scheduler, VALUE options)
{
    struct fiber_pool *pool = &scheduler->fibers;
    VALUE fiber = new_fiber(pool, options);
    struct pooled_fiber *pooled = pool->spare;
    if (pooled)
        pool->spare = pooled->next;
    else
        pooled = ALLOC(struct pooled_fiber);
    *pooled = (struct pooled_fiber){.scheduler = scheduler,
                                    .fiber = fiber,
                                    .block = Qnil,
                                    .storage = Qnil,
                                    .referenced = !NIL_P(options)};
    pool->live++;
    pool->created++;
    return pooled;
}

static struct pooled_fiber *take_idle(struct fiber_pool *pool)
{
    struct pooled_fiber *pooled = pool->idle;
    if (!pooled) return NULL;
    pooled->storage = rb_funcall(rb_fiber_current(), id_storage, 0);
    /* A method of Ruby has been called. */
    if (pooled != pool->idle) return NULL;
    pool->idle = pooled->next;
    pool->idle_count--;
    return pooled;
}

static VALUE empty_body(RB_BLOCK_CALL_FUNC_ARGLIST(first, data))
{
    (void)first, (void)data, (void)argc, (void)argv, (void)blockarg;
    return Qnil;
}

/* Callers of Fiber.schedule get a fiber even if all they can see is that it has ended. It never had
 * a stack. */
static VALUE new_dead_fiber(struct fiber_pool *pool)
{
    if (NIL_P(pool->empty_body)) pool->empty_body = rb_proc_new(empty_body, Qnil);
    VALUE fiber = rb_funcall_with_block(fiber_class, id_new, 0, NULL, pool->empty_body);
    rb_funcall(fiber, id_kill, 0);
    return fiber;
}

static VALUE switch_to(VALUE pointer)
{
    struct pooled_fiber *pooled = (struct pooled_fiber *)pointer;
    VALUE argument = pooled->begun ? Qundef : to_fixnum(pooled);
    raffia_start_fiber(pooled->scheduler, pooled->fiber, argument,
                       pooled->locked && !pooled->begun);
    return Qnil;
}

static void discard(struct pooled_fiber *pooled)
{
    pooled->scheduler->fibers.live--;
    pooled->scheduler->fibers.created--;
    save_record(pooled);
}

/* Returns the error when there was no stack for the fiber: then it has not begun, and is
 * discarded. */
static VALUE try_to_begin(struct pooled_fiber *pooled)
{
    int failure = 0;
    if (pooled->begun) return switch_to((VALUE)pooled);
    pooled->watched = 1;
    rb_protect(switch_to, (VALUE)pooled, &failure);
    pooled->watched = 0;
    int begun = pooled->begun;
    if (pooled->ended) save_record(pooled);
    if (failure == 0) return Qnil;
    if (begun) rb_jump_tag(failure);
    discard(pooled);
    VALUE error = rb_errinfo();
    if (!RTEST(rb_obj_is_kind_of(error, fiber_error))) rb_jump_tag(failure);
    rb_set_errinfo(Qnil);
    return error;
}

/* Where no further fiber can be had, lib/raffia/scheduler/fiber_limit.rb waits for one to end, or
 * raises. */
static int begin(struct pooled_fiber *pooled)
{
    struct scheduler *scheduler = pooled->scheduler;
    VALUE error = try_to_begin(pooled);
    if (NIL_P(error)) return 1;
    rb_funcall(scheduler->self, id_await_fiber_slot, 1, error);
    return 0;
}

/* Starts fibers without a block, which are idle at once. At the limit one will do. */
static void start_batch(struct scheduler *scheduler)
{
    size_t count = scheduler->fibers.live;
    if (count < MIN_BATCH) count = MIN_BATCH;
    if (count > MAX_BATCH) count = MAX_BATCH;
    while (count-- > 0) {
        struct pooled_fiber *pooled = create(scheduler, Qnil);
        pooled->locked = 1;
        VALUE error = try_to_begin(pooled);
        if (NIL_P(error)) continue;
        if (!scheduler->fibers.idle) rb_funcall(scheduler->self, id_await_fiber_slot, 1, error);
        return;
    }
}

static struct pooled_fiber *acquire(struct scheduler *scheduler, VALUE options)
{
    struct pooled_fiber *pooled;
    if (!NIL_P(options)) return create(scheduler, options);
    while (!(pooled = take_idle(&scheduler->fibers))) {
        if (!raffia_fiber_start_is_contended()) return create(scheduler, Qnil);
        if (!scheduler->fibers.idle) start_batch(scheduler);
    }
    return pooled;
}

/* Returns the fiber, or Qnil when it has ended its block and is idle. A storage of Qundef is the
 * caller's. */
static VALUE start(struct scheduler *scheduler, VALUE block, VALUE options, VALUE storage,
                   int reference)
{
    struct pooled_fiber *pooled;
    VALUE fiber;
    uint64_t blocks_ended;
    scheduler->fibers.started++;
    do {
        pooled = acquire(scheduler, options);
        if (!RB_UNDEF_P(storage)) pooled->storage = storage;
        blocks_ended = pooled->blocks_ended;
        fiber = pooled->fiber;
        storage = pooled->storage;
        pooled->block = block;
    } while (!begin(pooled));
    if (pooled->fiber == fiber && pooled->block == block)
        keep_pending_values(&scheduler->fibers, fiber, block, storage);
    RB_GC_GUARD(block);
    RB_GC_GUARD(storage);
    if (!RTEST(rb_fiber_alive_p(fiber)))
        return fiber; /* its record may be another fiber's by now */
    if (pooled->blocks_ended != blocks_ended) return Qnil;
    pooled->referenced |= reference;
    return fiber;
}

/* A fiber with options is not reused. Where there are several Ractors, an idle fiber runs the block
 * and gets the storage; the new one only checks the options. */
static VALUE start_with_options(struct scheduler *scheduler, VALUE options, VALUE block)
{
    VALUE all = rb_hash_dup(options);
    rb_hash_aset(all, ID2SYM(rb_intern("blocking")), Qfalse);
    if (!raffia_fiber_start_is_contended()) return start(scheduler, block, all, Qundef, 1);

    rb_funcall_with_block_kw(fiber_class, id_new, 1, &all, block, RB_PASS_KEYWORDS);
    VALUE storage = rb_hash_lookup2(all, ID2SYM(id_storage), Qtrue);
    if (!scheduler->fibers.idle) start_batch(scheduler);
    return start(scheduler, block, Qnil, storage == Qtrue ? Qundef : storage, 1);
}

/*
 * @overload fiber(**options)
 *   Hook of Fiber.schedule: starts the fiber at once; the caller resumes when it waits or ends.
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
    VALUE fiber = !NIL_P(options) && RHASH_SIZE(options) > 0
                      ? start_with_options(scheduler, options, block)
                      : start(scheduler, block, Qnil, Qundef, 1);
    return NIL_P(fiber) ? new_dead_fiber(&scheduler->fibers) : fiber;
}

/*
 * @overload launch
 *   Starts a block whose Fiber the caller does not need, so that the fiber can be reused. The block
 *   must not keep Fiber.current for longer than it runs.
 *   @return [void]
 *   @raise [Closed]
 */
static VALUE scheduler_launch(VALUE self)
{
    start(raffia_scheduler_attached(self), rb_block_proc(), Qnil, Qundef, 0);
    return Qnil;
}

/* @overload mark_interrupted(fiber)
 *   Keeps a fiber from being reused, because it is about to be sent an interrupt.
 *   @return [Boolean] false when its block has ended, and nothing may be sent */
static VALUE mark_interrupted(VALUE self, VALUE fiber)
{
    struct fiber_pool *pool = &raffia_scheduler_of(self)->fibers;
    if (raffia_fiber_pool_is_idle(pool, fiber)) return Qfalse;
    if (NIL_P(pool->interrupted))
        pool->interrupted =
            rb_class_new_instance(0, NULL, rb_path2class("ObjectSpace::WeakKeyMap"));
    rb_funcall(pool->interrupted, id_store, 2, fiber, Qtrue);
    return Qtrue;
}

/* Whether fibers wait for another one to end. */
static VALUE set_limit_reached(VALUE self, VALUE reached)
{
    raffia_scheduler_of(self)->fibers.limit_reached = RTEST(reached);
    return reached;
}

void raffia_fiber_pool_init(struct fiber_pool *pool)
{
    pool->body = pool->empty_body = pool->interrupted = pool->pending_values = Qnil;
}

void raffia_fiber_pool_free(struct fiber_pool *pool)
{
    while (pool->spare) {
        struct pooled_fiber *pooled = pool->spare;
        pool->spare = pooled->next;
        ruby_xfree(pooled);
    }
}

void raffia_fiber_pool_mark(const struct fiber_pool *pool)
{
    rb_gc_mark(pool->body);
    rb_gc_mark(pool->empty_body);
    rb_gc_mark(pool->interrupted);
    rb_gc_mark(pool->pending_values);
    for (struct pooled_fiber *pooled = pool->idle; pooled; pooled = pooled->next)
        rb_gc_mark(pooled->fiber);
}

/* Their stacks are freed with the fibers, which wait for a block that will not come. */
void raffia_fiber_pool_clear(struct fiber_pool *pool)
{
    pool->idle = NULL;
    pool->idle_count = 0;
}

void raffia_init_fiber_pool(VALUE native)
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
    id_await_fiber_slot = rb_intern("await_fiber_slot");
    id_fiber_ended = rb_intern("fiber_ended");
    id_delete = rb_intern("delete");
    id_let_kill_pass = rb_intern("let_kill_pass");
    rb_define_method(native, "mark_interrupted", mark_interrupted, 1);
    rb_define_method(native, "fiber", scheduler_fiber, -1);
    rb_define_method(native, "launch", scheduler_launch, 0);
    rb_define_method(native, "fiber_limit_reached=", set_limit_reached, 1);
}
