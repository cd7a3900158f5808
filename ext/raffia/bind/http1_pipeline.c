/* Responses to pipelined requests are collected and sent together. They are sent before any fiber
 * waits, because the app of the next request may wait for long. */
#include "http1_response.h"

#ifdef HAVE_LLHTTP

/* Bytes of complete responses; one that has begun behind them may still be discarded. */
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

static VALUE ignore_error(VALUE unused, VALUE error)
{
    (void)unused, (void)error;
    return Qnil;
}

/* The connection's own fiber sends the rest, and reports errors, with its next response. */
static void send_collected(VALUE self)
{
    struct http1_response *response = raffia_http1_response_of(self);
    if (!response->output.deferred) return;
    response->output.deferred = 0;
    rb_rescue2(send_complete, (VALUE)response, ignore_error, Qnil, rb_eStandardError, (VALUE)0);
}

int raffia_http1_defer_output(struct http1_response *response)
{
    struct scheduler *scheduler = raffia_http_scheduler();
    if (!scheduler) return 0;
    if (!response->output.deferred)
        raffia_defer(&scheduler->deferral, send_collected, response->request.transport.self);
    response->output.deferred = 1;
    return 1;
}

#endif
