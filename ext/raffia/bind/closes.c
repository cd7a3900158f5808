/* Descriptors that are closed while fibers wait for them. From Ruby 4.0 core says which one is closed, through fiber_interrupt. Ruby 3.4 only
 * lets us know that something is, by a blocking operation; so then those that wait are looked through. That takes its time when there
 * are thousands, and a busy server closes all the time: it is done now and then. Ruby 3.3 says nothing. */
#include "scheduler.h"

#include <ruby/io.h>

/* Nanoseconds between two looks: thousands of waits take some hundred microseconds. */
enum { PERIOD = 5000000 };

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
    if (!scheduler->closes) return -1;
    int64_t left = scheduler->looked + PERIOD - raffia_about_now();
    if (left > 0) return left;
    scheduler->closes = 0;
    raffia_waits_each(&scheduler->waits, fail_if_closed, scheduler);
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
