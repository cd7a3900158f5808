#include "raffia.h"
#include "timer.h"

/*
 * @overload simulate_clock(nanoseconds)
 *   Sets the monotonic clock that Raffia's C code reads on this thread. It stands still.
 *   @param nanoseconds [Integer] 0: the system's clock again
 *   @return [nil]
 */
static VALUE simulate_clock(VALUE self, VALUE nanoseconds)
{
    (void)self;
    raffia_simulate_clock(NUM2LL(nanoseconds));
    return Qnil;
}

void raffia_init_clock(VALUE raffia)
{
    rb_define_singleton_method(rb_define_module_under(raffia, "Native"), "simulate_clock",
                               simulate_clock, 1);
}
