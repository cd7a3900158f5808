/* Answers to pipelined requests are collected, to be sent together. But while they are, another
 * request's app may wait for whatever it likes, and they must not wait with it. */
#include "http1_response.h"

#ifdef HAVE_LLHTTP

/* Bytes of answers that are complete: what has begun behind them may still be taken back. */
static size_t complete(const struct http1_output *output)
{
    if (output->writing || output->truncated) return 0;
    return (output->begun && output->whole ? output->mark : output->length) - output->start;
}

static VALUE send_complete(VALUE pointer)
{
    struct http1_response *response = (struct http1_response *)pointer;
    unsigned char whole = response->output.whole;
    size_t length = complete(&response->output);
    if (length > 0) raffia_http1_try_to_send(response, length);
    response->output.whole = whole;
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
    struct http1_response *response = raffia_http1_response_of(self);
    if (!response->output.deferred) return;
    response->output.deferred = 0;
    rb_rescue2(send_complete, (VALUE)response, leave_it, Qnil, rb_eStandardError, (VALUE)0);
}

int raffia_http1_defer_output(struct http1_response *response)
{
    struct scheduler *scheduler = raffia_http1_scheduler();
    if (!scheduler) return 0;
    if (!response->output.deferred)
        raffia_defer(&scheduler->deferral, send_collected, response->request.transport.self);
    response->output.deferred = 1;
    return 1;
}

#endif
