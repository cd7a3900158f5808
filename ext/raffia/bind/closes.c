/* Descriptors that are closed while fibers wait for them. From Ruby 4.0 core says which one is closed, through fiber_interrupt. Ruby 3.4 only
 * lets us know that something is, by a blocking operation, and not of an IO that is only read; Ruby 3.3 says nothing. So those that wait
 * are looked through: when something has been closed, and where nobody would say so, when fibers have run. That takes its time when there
 * are thousands, so it is done now and then. */
#include "scheduler.h"

#include <ruby/io.h>
#include <ruby/version.h>

/* Nanoseconds between two looks: a look at one wait takes some 20, so this is one percent of the time at the worst. */
enum { PERIOD = 5000000, PERIOD_FOR_EACH = 2000 };

int raffia_closes_unheard(VALUE io)
{
    if (!RB_TYPE_P(io, T_FILE)) return 0;
#if RUBY_API_VERSION_CODE < 30400
    return 1;
#else
    return !(rb_io_mode(io) & FMODE_WRITABLE);
#endif
}

static void fail_if_closed(struct wait *wait, void *pointer)
{
    struct scheduler *scheduler = pointer;
    if (wait->reason != FOR_IO || wait->settled || !RB_TYPE_P(wait->blocker, T_FILE)) return;
    if (!RTEST(rb_io_closed_p(wait->blocker))) return;
    wait->settled = 1;
    wait->error = rb_exc_new_cstr(rb_eIOError, "stream closed in another thread");
    raffia_deliver(scheduler, wait->ticket, 0);
}

int64_t raffia_look_for_closed(struct scheduler *scheduler)
{
    int unheard = scheduler->unheard > 0 && scheduler->switches != scheduler->looked_after;
    if (!scheduler->closes && !unheard) return -1;
    int64_t period = PERIOD + (int64_t)scheduler->waits.used * PERIOD_FOR_EACH;
    int64_t left = scheduler->looked + period - raffia_about_now();
    if (left > 0) return left;
    raffia_waits_each(&scheduler->waits, fail_if_closed, scheduler);
    scheduler->closes = 0;
    scheduler->looked_after = scheduler->switches;
    scheduler->looked = raffia_about_now();
    return -1;
}

/* @overload io_closed
 *   An IO has been closed, nobody says which. */
static VALUE io_closed(VALUE self)
{
    raffia_scheduler_of(self)->closes = 1;
    return Qnil;
}

void raffia_init_closes(VALUE native)
{
    rb_define_private_method(native, "io_closed", io_closed, 0);
}
