/* Answers to pipelined requests are collected, to be sent together. But while they are, another
 * request's app may wait for whatever it likes, and they must not wait with it. */
#include "http1.h"

#ifdef HAVE_LLHTTP

/* Bytes of answers that are complete: what has begun behind them may still be taken back. */
static size_t complete(const struct http1_output *output)
{
    if (output->saying || output->torn) return 0;
    return (output->begun && output->whole ? output->mark : output->length) - output->start;
}

static VALUE send_complete(VALUE pointer)
{
    struct http1 *wire = (struct http1 *)pointer;
    unsigned char whole = wire->output.whole;
    size_t length = complete(&wire->output);
    if (length > 0) raffia_http1_try_to_send(wire, length);
    wire->output.whole = whole;
    return Qnil;
}

static VALUE leave_it(VALUE unused, VALUE error)
{
    (void)unused, (void)error;
    return Qnil;
}

/* What cannot be sent without a wait, or not at all, is the affair of the connection's own fiber,
 * with its next answer. */
static void send_collected(VALUE self)
{
    struct http1 *wire = raffia_http1_of(self);
    if (!wire->output.collected) return;
    wire->output.collected = 0;
    rb_rescue2(send_complete, (VALUE)wire, leave_it, Qnil, rb_eStandardError, (VALUE)0);
}

int raffia_http1_collect(struct http1 *wire)
{
    struct scheduler *scheduler = raffia_http1_scheduler();
    if (!scheduler) return 0;
    if (!wire->output.collected) raffia_defer(&scheduler->deferral, send_collected, wire->self);
    wire->output.collected = 1;
    return 1;
}

#endif
