/* Nothing here is on a hot path, and nothing changes what it reads. */
#include "inspect.h"

#include "scheduler.h"

static int knows_holders;

/* Objects */

/* Ruby has internal objects without a class, and of types that no program ever sees. A blocker may
 * be one (block.c): a method call on it would crash. */
static int is_visible(VALUE object)
{
    if (RB_SPECIAL_CONST_P(object)) return 1;
    switch (RB_BUILTIN_TYPE(object)) {
    case T_NONE:
    case T_IMEMO:
    case T_NODE:
    case T_ICLASS:
    case T_ZOMBIE:
    case T_MOVED: return 0;
    default: return RBASIC_CLASS(object) != 0;
    }
}

/*
 * @overload visible(objects)
 *   @param objects [Array]
 *   @return [Array] the same, with nil in the place of those on which no method may be called
 */
static VALUE visible(VALUE module, VALUE objects)
{
    VALUE list = rb_ary_new();
    (void)module;
    for (long i = 0; i < RARRAY_LEN(objects); i++) {
        VALUE object = RARRAY_AREF(objects, i);
        rb_ary_push(list, is_visible(object) ? object : Qnil);
    }
    return list;
}

/* The first word of a Mutex of Ruby 3.3 and 3.4 is the data pointer of the fiber that holds it. */
const void *raffia_mutex_holder(VALUE mutex)
{
    return *(const void **)RTYPEDDATA_GET_DATA(mutex);
}

/* Another Ruby may lay it out differently, so a Mutex is locked to try whether its holder can be
 * read. */
static int can_tell_holders(void)
{
    VALUE mutex = rb_mutex_new();
    if (!RB_TYPE_P(mutex, T_DATA) || !RTYPEDDATA_P(mutex)) return 0;
    if (raffia_mutex_holder(mutex)) return 0;
    rb_mutex_lock(mutex);
    int readable = raffia_mutex_holder(mutex) == RTYPEDDATA_GET_DATA(rb_fiber_current());
    rb_mutex_unlock(mutex);
    return readable && !raffia_mutex_holder(mutex);
}

int raffia_knows_mutex_holders(void)
{
    return knows_holders;
}

/*
 * @overload holder(mutex, fibers)
 *   @param mutex [Thread::Mutex]
 *   @param fibers [Array<Fiber>]
 *   @return [Fiber, nil] the one of the fibers that has locked it; nil also where this Ruby does
 *     not show that
 */
static VALUE holder(VALUE module, VALUE mutex, VALUE fibers)
{
    (void)module;
    if (!knows_holders || !RTEST(rb_obj_is_kind_of(mutex, rb_path2class("Thread::Mutex"))))
        return Qnil;
    const void *data = raffia_mutex_holder(mutex);
    for (long i = 0; data && i < RARRAY_LEN(fibers); i++) {
        VALUE fiber = RARRAY_AREF(fibers, i);
        if (RB_TYPE_P(fiber, T_DATA) && RTYPEDDATA_GET_DATA(fiber) == data) return fiber;
    }
    return Qnil;
}

/* Waits */

static const char *const reasons[] = {
    [FOR_IO] = "io",      [FOR_TIME] = "sleep", [FOR_UNBLOCK] = "block",
    [FOR_TURN] = "yield", [FOR_WORK] = "work",
};

static VALUE seconds(int64_t nanoseconds)
{
    return DBL2NUM((double)nanoseconds / 1e9);
}

static void describe_wait(struct wait *wait, void *list)
{
    rb_ary_push((VALUE)list,
                rb_ary_new_from_args(
                    8, wait->fiber, wait->owner, ID2SYM(rb_intern(reasons[wait->reason])),
                    wait->blocker, wait->fd < 0 ? Qnil : INT2FIX(wait->fd), INT2FIX(wait->events),
                    wait->limit < 0 ? Qnil : seconds(wait->limit), seconds(wait->since)));
}

/* @overload waits
 *   @return [Array<Array>] for each suspension: fiber, owner, reason, blocker, descriptor, events,
 *     limit (seconds), since (monotonic seconds) */
static VALUE waits(VALUE self)
{
    VALUE list = rb_ary_new();
    raffia_waits_each(&raffia_scheduler_of(self)->waits, describe_wait, (void *)list);
    return list;
}

/* Figures */

static void store(VALUE hash, const char *name, VALUE value)
{
    rb_hash_aset(hash, ID2SYM(rb_intern(name)), value);
}

static VALUE counts(VALUE self)
{
    const struct scheduler *scheduler = raffia_scheduler_of(self);
    VALUE counts = rb_hash_new();
    store(counts, "parked", SIZET2NUM(scheduler->waits.used));
    store(counts, "switches", ULL2NUM(scheduler->switches));
    store(counts, "started", ULL2NUM(scheduler->fibers.started));
    store(counts, "fresh", ULL2NUM(scheduler->fibers.created));
    store(counts, "live", SIZET2NUM(scheduler->fibers.live));
    store(counts, "idle", SIZET2NUM(scheduler->fibers.idle_count));
    store(counts, "turns", ULL2NUM(scheduler->turns.count));
    store(counts, "deepest", SIZET2NUM(scheduler->turns.most_ready));
    store(counts, "longest_turn", seconds(scheduler->turns.longest));
    return counts;
}

void raffia_init_inspect(VALUE raffia, VALUE scheduler)
{
    VALUE native = rb_define_module_under(raffia, "Native");
    knows_holders = can_tell_holders();
    rb_define_singleton_method(native, "visible", visible, 1);
    rb_define_singleton_method(native, "holder", holder, 2);
    rb_define_method(scheduler, "waits", waits, 0);
    rb_define_method(scheduler, "counts", counts, 0);
}
