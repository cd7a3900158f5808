/* The hook that Net::HTTP, OpenSSL, pg and redis go through. */
#include "readiness.h"

#include <ruby/io.h>
#include "park.h"
#include "poll_once.h"
#include "scheduler.h"

static ID id_wait, id_is_closed, id_io_timed_out;

static VALUE raise_failure(VALUE io, int64_t result)
{
    if (result == -EBADF && RB_TYPE_P(io, T_FILE) && RTEST(rb_funcall(io, id_is_closed, 0)))
        rb_raise(rb_eIOError, "stream closed in another thread");
    rb_syserr_fail((int)-result, NULL);
}

static VALUE poll_once(VALUE io, int fd, uint32_t events)
{
    int found = raffia_poll_once(fd, events);
    if (found < 0) return raise_failure(io, found);
    return found > 0 ? INT2FIX(found) : Qfalse;
}

static int arm(struct parking *parking)
{
    raffia_check(raffia_loop_arm(parking->scheduler->loop, parking->fd, parking->events,
                                 (raffia_data)parking->wait->ticket, &parking->op),
                 "arm");
    return 0;
}

VALUE raffia_wait_until_ready(struct scheduler *scheduler, VALUE io, uint32_t events, int64_t limit)
{
    int fd = raffia_descriptor_of(io);
    if (limit == 0) return poll_once(io, fd, events);

    struct parking parking = {.scheduler = scheduler,
                              .reason = FOR_IO,
                              .blocker = io,
                              .fd = fd,
                              .events = events,
                              .limit = limit,
                              .begin = arm};
    int64_t result = raffia_park(&parking);
    /* The loop may have been late for both: then what is there now decides. */
    if (result == -ETIME) return poll_once(io, raffia_descriptor_of(io), events);
    return result < 0 ? raise_failure(io, result) : INT2FIX((int)result);
}

/* IO#timeout, for callers without a timeout. */
static VALUE time_limit(VALUE io)
{
    return RB_TYPE_P(io, T_FILE) ? rb_io_timeout(io) : Qnil;
}

/*
 * @overload io_wait(io, events, timeout = nil)
 *   Hook of IO#wait and of all that would block on a descriptor.
 *   @param io [IO]
 *   @param events [Integer] IO::READABLE | IO::PRIORITY | IO::WRITABLE
 *   @param timeout [Numeric, nil] seconds; 0: polls once; nil: IO#timeout
 *   @return [Integer, false] the events that came; false when the time was up
 */
static VALUE scheduler_io_wait(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 2, 3);
    struct scheduler *scheduler = raffia_scheduler_attached(self);
    VALUE io = argv[0], timeout = argc == 3 ? argv[2] : Qnil;
    /* Ruby 3.4 calls this from the offload pool's thread too, where IO.copy_stream runs. */
    if (!raffia_scheduler_is_own_thread(scheduler)) {
        VALUE ready = rb_funcall(io, id_wait, 2, argv[1], timeout);
        return NIL_P(ready) ? Qfalse : ready;
    }
    uint32_t events = NUM2UINT(argv[1]);
    if (!NIL_P(timeout))
        return raffia_wait_until_ready(scheduler, io, events, raffia_nanoseconds(timeout));

    VALUE limit = time_limit(io);
    if (NIL_P(limit)) return raffia_wait_until_ready(scheduler, io, events, RAFFIA_NO_LIMIT);
    VALUE ready = raffia_wait_until_ready(scheduler, io, events, raffia_nanoseconds(limit));
    return RTEST(ready) ? ready : rb_funcall(self, id_io_timed_out, 1, limit);
}

void raffia_init_readiness(VALUE native)
{
    id_wait = rb_intern("wait");
    id_is_closed = rb_intern("closed?");
    id_io_timed_out = rb_intern("io_timed_out");
    rb_define_method(native, "io_wait", scheduler_io_wait, -1);
}
