/* What must not be broken off in the middle. */
#include "raffia.h"

struct call {
    int (*function)(VALUE of);
    VALUE of;
    int done;
};

static VALUE call_function(VALUE pointer)
{
    struct call *call = (struct call *)pointer;
    call->done = call->function(call->of);
    return Qnil;
}

static VALUE attempt(VALUE pointer)
{
    while (!((struct call *)pointer)->done)
        call_function(pointer);
    return Qnil;
}

static VALUE raise_again(VALUE failure)
{
    rb_jump_tag((int)failure);
    return Qnil;
}

/* What was raised first is kept by rb_ensure. What comes later is dropped, but for Thread#kill and
 * Fiber#kill, which have a number in the place of an exception: they cannot be said again, so the
 * rest is done on their way. */
static VALUE attempt_again(VALUE pointer)
{
    int failure = 0;
    while (!((struct call *)pointer)->done) {
        rb_protect(call_function, pointer, &failure);
        if (failure == 0) continue;
        if (RB_FIXNUM_P(rb_errinfo()))
            rb_ensure(raise_again, (VALUE)failure, attempt_again, pointer);
        else
            rb_set_errinfo(Qnil);
    }
    return Qnil;
}

void raffia_uninterruptible(int (*function)(VALUE of), VALUE of)
{
    int failure = 0;
    struct call call = {.function = function, .of = of};
    /* Unlike rb_ensure, rb_protect leaves the frames of methods that C has called, so that the
     * function finds its block again. */
    rb_protect(attempt, (VALUE)&call, &failure);
    if (failure) rb_ensure(raise_again, (VALUE)failure, attempt_again, (VALUE)&call);
}

static int yield(VALUE unused)
{
    (void)unused;
    return RTEST(rb_yield_values(0));
}

/*
 * @overload uninterruptible
 *   Calls the block until it returns something truthy. What is raised meanwhile, in it or between
 *   two calls (Thread#raise, a signal), does not keep it from being called again, and is raised
 *   when it is done: of several the first, but before all Thread#kill. For memory that somebody
 *   else still uses: code in Ruby alone cannot promise as much, as interrupts strike between its
 *   lines.
 *   @yieldreturn [Boolean] whether it is done
 *   @return [nil]
 */
static VALUE uninterruptible(VALUE module)
{
    (void)module;
    rb_need_block();
    raffia_uninterruptible(yield, Qnil);
    return Qnil;
}

void raffia_init_uninterruptible(VALUE raffia)
{
    VALUE native = rb_define_module_under(raffia, "Native");
    rb_define_singleton_method(native, "uninterruptible", uninterruptible, 0);
}
