/* The unblock hook. Any thread calls it, often with an interrupt of its own pending. Ruby before
 * 4.0 raises that interrupt in the hook, or right after it. Neither the wake-up may get lost, nor
 * what the caller had to do next. */
#include <ruby.h>
#include <ruby/thread.h>
#include <ruby/version.h>
#include <string.h>
#include "inspect.h"
#include "raffia.h"
#include "unblock.h"

static ID id_is_blocking;

/* IO#close and the threads that read the IO
 *
 * The closing fiber sleeps until each of these threads has called unblock. Such a thread holds a
 * Mutex meanwhile, which belongs to this close alone, and which the closing fiber needs to resume.
 * It also has an interrupt pending: the IOError of the closed stream. When the hook raises that,
 * Ruby does not unlock the Mutex before the thread ends, so this does. The hook does not get the
 * Mutex: it is found on the stack of the closing fiber. */

#if defined(HAVE_RB_OBJSPACE_REACHABLE_OBJECTS_FROM) && RUBY_API_VERSION_CODE < 40000

void rb_objspace_reachable_objects_from(VALUE object, void (*each)(VALUE, void *), void *data);

struct search {
    const void *holder;
    VALUE found;
};

/* This Mutex has no class, so no program sees it. */
static void compare(VALUE object, void *pointer)
{
    struct search *search = pointer;
    if (RB_SPECIAL_CONST_P(object) || RB_BUILTIN_TYPE(object) != T_DATA || RBASIC_CLASS(object))
        return;
    if (!RTYPEDDATA_P(object) || strcmp(RTYPEDDATA_TYPE(object)->wrap_struct_name, "mutex") != 0)
        return;
    if (raffia_mutex_holder(object) == search->holder) search->found = object;
}

static void unlock_close(VALUE closer)
{
    VALUE current = rb_fiber_current();
    struct search search = {.holder = RTYPEDDATA_GET_DATA(current), .found = Qnil};
    if (!raffia_knows_mutex_holders()) return;
    rb_objspace_reachable_objects_from(closer, compare, &search);
    if (!NIL_P(search.found)) rb_mutex_unlock(search.found);
    RB_GC_GUARD(current);
}

#else

static void unlock_close(VALUE closer)
{
    (void)closer;
}

#endif

/* The hook */

static void wake(struct raffia_unblocking *unblocking)
{
    /* A blocking fiber sleeps with its whole thread, where no scheduler can wake it. */
    if (unblocking->closing && RTEST(rb_funcall(unblocking->fiber, id_is_blocking, 0)))
        rb_thread_wakeup_alive(unblocking->blocker);
    else
        unblocking->wake(unblocking);
    unblocking->woken = 1;
}

/* The first attempt raises a pending interrupt; the others are made while it unwinds. */
static int attempt(VALUE pointer)
{
    struct raffia_unblocking *unblocking = (struct raffia_unblocking *)pointer;
    int interrupted = unblocking->attempted;
    unblocking->attempted = 1;
    if (!unblocking->woken) wake(unblocking);
    if (!unblocking->closing) return 1;
    if (interrupted)
        unlock_close(unblocking->fiber);
    else
        rb_thread_check_ints();
    return 1;
}

/* IO#close names its own thread as the blocker; Thread#join names the calling one. Other blockers
 * may have no class (block.c). */
static int is_closing(VALUE blocker)
{
    if (RB_SPECIAL_CONST_P(blocker) || !RBASIC_CLASS(blocker)) return 0;
    return RTEST(rb_obj_is_kind_of(blocker, rb_cThread)) && blocker != rb_thread_current();
}

void raffia_unblock(struct raffia_unblocking *unblocking)
{
    unblocking->closing = is_closing(unblocking->blocker);
    raffia_uninterruptible(attempt, (VALUE)unblocking);
}

/* For the scheduler in Ruby */

static void yield(struct raffia_unblocking *unblocking)
{
    (void)unblocking;
    rb_yield_values(0);
}

/*
 * @overload wake_fiber(blocker, fiber)
 *   Calls the block, which wakes the fiber, until it has returned; then raises an interrupt of the
 *   calling thread.
 *   @param blocker [Object] the hook's argument
 *   @return [nil]
 */
static VALUE wake_fiber(VALUE module, VALUE blocker, VALUE fiber)
{
    struct raffia_unblocking unblocking = {.wake = yield, .blocker = blocker, .fiber = fiber};
    (void)module;
    rb_need_block();
    raffia_unblock(&unblocking);
    return Qnil;
}

void raffia_init_unblock(VALUE raffia)
{
    VALUE native = rb_define_module_under(raffia, "Native");
    id_is_blocking = rb_intern("blocking?");
    rb_define_singleton_method(native, "wake_fiber", wake_fiber, 2);
}
