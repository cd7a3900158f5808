/* Descriptors that are closed while fibers wait for them. From Ruby 4.0 core names the closed one,
 * through fiber_interrupt. Ruby 3.4 announces only that a descriptor is closed, by a blocking
 * operation, and not of an IO that is only read. Ruby 3.3 announces nothing.
 *
 * So the waits are scanned: after an announcement, and after fibers have run while there are
 * unannounced IOs. A scan of thousands of waits takes time, so there is a period between two. */
#include "close_scan.h"

#include "park.h"
#include "scheduler.h"

#include <ruby/io.h>
#include <ruby/version.h>

/* Nanoseconds between two scans. One wait takes some 20, so scans cost one percent of the time at
 * most. */
enum { PERIOD = 5000000, PERIOD_PER_WAIT = 2000 };

int raffia_close_is_unannounced(VALUE io)
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

int64_t raffia_fail_closed_waits(struct scheduler *scheduler)
{
    struct close_scan *scan = &scheduler->closes;
    int suspected = scan->unannounced > 0 && scheduler->switches != scan->switches_at_scan;
    if (!scan->requested && !suspected) return -1;
    int64_t period = PERIOD + (int64_t)scheduler->waits.used * PERIOD_PER_WAIT;
    int64_t left = scan->scanned_at + period - raffia_coarse_now();
    if (left > 0) return left;
    raffia_waits_each(&scheduler->waits, fail_if_closed, scheduler);
    scan->requested = 0;
    scan->switches_at_scan = scheduler->switches;
    scan->scanned_at = raffia_coarse_now();
    return -1;
}

/* @overload io_closed
 *   An IO has been closed; Ruby does not say which. */
static VALUE io_closed(VALUE self)
{
    raffia_scheduler_of(self)->closes.requested = 1;
    return Qnil;
}

void raffia_init_close_scan(VALUE native)
{
    rb_define_private_method(native, "io_closed", io_closed, 0);
}
