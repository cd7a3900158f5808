#include "clock.h"

#include "timer.h"

/* Hosts of a simulation have wall clocks of their own, so Ruby is asked. */
static time_t simulated_wall_clock(void)
{
    return NUM2TIMET(rb_funcall(rb_mProcess, rb_intern("clock_gettime"), 2, INT2FIX(CLOCK_REALTIME),
                                ID2SYM(rb_intern("second"))));
}

time_t raffia_wall_clock(void)
{
    if (raffia_clock_is_simulated()) return simulated_wall_clock();
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return now.tv_sec;
}

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
