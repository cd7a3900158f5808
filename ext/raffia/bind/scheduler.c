/* Raffia::Scheduler::Native as an object: allocation, marking, ownership. */
#include "scheduler.h"

#include "block.h"
#include "fiber_start_lock.h"
#include "inspect.h"
#include "park.h"
#include "raffia.h"
#include "readiness.h"

#include <ruby/thread.h>
#include <stdlib.h>

static ID id_attach;

/* Fibers are keys of tables, so they are marked where they are. */
static void mark_wait(struct wait *wait, void *unused)
{
    (void)unused;
    rb_gc_mark(wait->fiber);
    rb_gc_mark(wait->owner);
    rb_gc_mark(wait->blocker);
    rb_gc_mark(wait->error);
}

static void scheduler_mark(void *pointer)
{
    struct scheduler *scheduler = pointer;
    rb_gc_mark(scheduler->engine);
    rb_gc_mark(scheduler->thread);
    rb_gc_mark(scheduler->main);
    rb_gc_mark(scheduler->running);
    rb_gc_mark(scheduler->deferral.arg);
    raffia_permits_mark(&scheduler->permits);
    raffia_waits_each(&scheduler->waits, mark_wait, NULL);
    for (size_t i = 0; i < scheduler->starts.count; i++) {
        rb_gc_mark(scheduler->starts.entries[i].fiber);
        rb_gc_mark(scheduler->starts.entries[i].running);
    }
    for (size_t i = 0; i < scheduler->runners.count; i++) {
        rb_gc_mark(scheduler->runners.entries[i].fiber);
        rb_gc_mark(scheduler->runners.entries[i].running);
    }
    raffia_fiber_pool_mark(&scheduler->fibers);
}

static void scheduler_free(void *pointer)
{
    struct scheduler *scheduler = pointer;
    raffia_waits_free(&scheduler->waits);
    raffia_fiber_pool_free(&scheduler->fibers);
    if (scheduler->parked) st_free_table(scheduler->parked);
    ruby_xfree(scheduler->read_misses.counts);
    free(scheduler->starts.entries);
    ruby_xfree(scheduler->runners.entries);
    ruby_xfree(scheduler);
}

static size_t scheduler_memsize(const void *pointer)
{
    const struct scheduler *scheduler = pointer;
    return sizeof(*scheduler) + raffia_waits_memsize(&scheduler->waits) +
           (scheduler->parked ? st_memsize(scheduler->parked) : 0) + scheduler->read_misses.size +
           scheduler->starts.capacity * sizeof(*scheduler->starts.entries) +
           scheduler->runners.capacity * sizeof(*scheduler->runners.entries);
}

static const rb_data_type_t scheduler_type = {
    .wrap_struct_name = "Raffia::Scheduler::Native",
    .function = {.dmark = scheduler_mark, .dfree = scheduler_free, .dsize = scheduler_memsize},
    /* Without write barriers: nearly every wait would call one, and the scheduler be marked at the
     * next collection anyway. */
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static VALUE scheduler_allocate(VALUE class)
{
    struct scheduler *scheduler;
    VALUE self = TypedData_Make_Struct(class, struct scheduler, &scheduler_type, scheduler);
    scheduler->self = self;
    scheduler->engine = scheduler->thread = scheduler->main = scheduler->running = Qnil;
    scheduler->permits.given = scheduler->permits.abandoned_blockers = scheduler->deferral.arg =
        Qnil;
    raffia_fiber_pool_init(&scheduler->fibers);
    scheduler->parked = st_init_numtable();
    return self;
}

struct scheduler *raffia_scheduler_of(VALUE self)
{
    struct scheduler *scheduler;
    TypedData_Get_Struct(self, struct scheduler, &scheduler_type, scheduler);
    return scheduler;
}

int raffia_scheduler_is_native(VALUE scheduler)
{
    return rb_typeddata_is_kind_of(scheduler, &scheduler_type);
}

struct scheduler *raffia_scheduler_attached(VALUE self)
{
    struct scheduler *scheduler = raffia_scheduler_of(self);
    if (NIL_P(scheduler->engine) || scheduler->closed) rb_funcall(self, id_attach, 0);
    return scheduler;
}

int raffia_scheduler_is_own_thread(const struct scheduler *scheduler)
{
    return scheduler->thread == rb_thread_current();
}

/*
 * @overload prepare(interval, recycle)
 *   @param interval [Integer] switches between two polls of the engine
 *   @param recycle [Boolean] whether fibers may be reused
 */
static VALUE prepare(VALUE self, VALUE interval, VALUE recycle)
{
    struct scheduler *scheduler = raffia_scheduler_of(self);
    scheduler->turns.interval = NUM2UINT(interval);
    scheduler->fibers.recycle = RTEST(recycle);
    scheduler->main = rb_fiber_current();
    return self;
}

/* @overload engine=(engine)
 *   Attaches the engine. Both belong to the calling thread from now on. */
static VALUE set_engine(VALUE self, VALUE engine)
{
    struct scheduler *scheduler = raffia_scheduler_of(self);
    scheduler->loop = &raffia_engine_of(engine)->loop;
    scheduler->thread = rb_thread_current();
    scheduler->engine = engine;
    scheduler->turns.started = raffia_coarse_now();
    return engine;
}

static VALUE get_engine(VALUE self)
{
    return raffia_scheduler_of(self)->engine;
}

static VALUE get_thread(VALUE self)
{
    return raffia_scheduler_of(self)->thread;
}

static VALUE is_closed(VALUE self)
{
    return raffia_scheduler_of(self)->closed ? Qtrue : Qfalse;
}

/* The fibers that wait stay suspended, and their waits stay valid: a program may still resume one
 * by itself. */
static VALUE set_closed(VALUE self)
{
    struct scheduler *scheduler = raffia_scheduler_of(self);
    scheduler->closed = 1;
    scheduler->starts.count = 0;
    raffia_fiber_pool_clear(&scheduler->fibers);
    return Qnil;
}

void raffia_init_scheduler(VALUE raffia)
{
    VALUE scheduler = rb_define_class_under(raffia, "Scheduler", rb_cObject);
    VALUE native = rb_define_class_under(scheduler, "Native", scheduler);
    id_attach = rb_intern("attach");

    rb_define_alloc_func(native, scheduler_allocate);
    rb_define_private_method(native, "prepare", prepare, 2);
    rb_define_private_method(native, "engine=", set_engine, 1);
    rb_define_private_method(native, "open_engine", get_engine, 0);
    rb_define_method(native, "thread", get_thread, 0);
    rb_define_private_method(native, "mark_closed", set_closed, 0);
    rb_define_method(native, "closed?", is_closed, 0);

    raffia_init_fiber_start_lock();
    raffia_init_permits();
    raffia_init_switch(native);
    raffia_init_park(native);
    raffia_init_fiber_pool(native);
    raffia_init_block(native);
    raffia_init_readiness(native);
    raffia_init_read_write(native);
    raffia_init_close_scan(native);
    raffia_init_inspect(raffia, native);
}
