/* What must not be broken off in the middle. */
#include "raffia.h"

static VALUE call_block(VALUE done)
{
    *(int *)done = RTEST(rb_yield_values(0));
    return Qnil;
}

static VALUE attempt(VALUE done)
{
    while (!*(int *)done)
        call_block(done);
    return Qnil;
}

static VALUE go_on(VALUE failure)
{
    rb_jump_tag((int)failure);
    return Qnil;
}

/* What was raised first is kept by rb_ensure. What comes later is dropped, but for Thread#kill and Fiber#kill, which have a number
 * in the place of an exception: they cannot be said again, so the rest is done on their way. */
static VALUE attempt_again(VALUE done)
{
    int failure = 0;
    while (!*(int *)done) {
        rb_protect(call_block, done, &failure);
        if (failure == 0) continue;
        if (RB_FIXNUM_P(rb_errinfo()))
            rb_ensure(go_on, (VALUE)failure, attempt_again, done);
        else
            rb_set_errinfo(Qnil);
    }
    return Qnil;
}

/*
 * @overload see_through
 *   Calls the block until it returns something truthy. What is raised meanwhile, in it or between two calls (Thread#raise, a signal),
 *   does not keep it from being called again, and is raised when it is done: of several the first, but before all Thread#kill.
 *   For memory that somebody else still uses: code in Ruby alone cannot promise as much, as interrupts strike between its lines.
 *   @yieldreturn [Boolean] whether it is done
 *   @return [nil]
 */
static VALUE see_through(VALUE module)
{
    int done = 0;
    (void)module;
    rb_need_block();
    return rb_ensure(attempt, (VALUE)&done, attempt_again, (VALUE)&done);
}

void raffia_init_see_through(VALUE raffia)
{
    VALUE native = rb_define_module_under(raffia, "Native");
    rb_define_singleton_method(native, "see_through", see_through, 0);
}
