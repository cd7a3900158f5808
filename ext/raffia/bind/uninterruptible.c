/* Calls that interrupts must not end in the middle. */
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

/* rb_ensure keeps what was raised first. Later exceptions are dropped, except Thread#kill and
 * Fiber#kill: they have a number in place of an exception and cannot be raised again, so the rest
 * is done while they unwind. */
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
    /* Unlike rb_ensure, rb_protect keeps the frames of methods that C has called, so that the
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
 *   Calls the block until it returns something truthy. An exception meanwhile, in it or between two
 *   calls (Thread#raise, a signal), does not end that, and is raised afterwards: of several the
 *   first, but Thread#kill before all. For memory that the kernel or another thread still uses.
 *   Ruby code alone cannot promise as much, because interrupts are raised between its lines.
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
