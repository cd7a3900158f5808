/* Receives bytes for the session, and passes its events on. */
#include "http2_connection.h"

#if defined(HAVE_LLHTTP) && defined(HAVE_NGHTTP2)

#include <errno.h>
#include "transfer.h"

/* ROOM: the most that one receive takes, which is a stream's usual window with the heads of its
 * frames and of the request. TURN: receives in a row without a wait, before other fibers run. */
enum { ROOM = 68 << 10, TURN = 8 };

/* The session takes all bytes before another fiber runs. A Ractor may continue on another kernel
 * thread after a switch, so the address must not be kept. */
static _Thread_local char shared[ROOM];

static __attribute__((noinline)) char *shared_bytes(void)
{
    return shared;
}

void raffia_http2_dispatch(struct http2_connection *connection)
{
    unsigned events;
    struct raffia_http2_stream *stream;
    while ((stream = raffia_http2_next_event(connection->session, &events))) {
        if (events & RAFFIA_HTTP2_REQUEST) raffia_http2_add_stream(connection, stream);
        if (stream->owner) raffia_http2_wake(stream->owner, events);
    }
}

/* -EPROTO: the session is over, but has output. */
static int64_t feed(struct http2_connection *connection, const char *bytes, size_t size)
{
    int64_t now = connection->transport.occurred_after;
    if (now == 0) now = raffia_now();
    connection->transport.occurred_after = 0;
    connection->transport.received += size;
    connection->received_at = raffia_coarse_now();
    if (raffia_http2_receive(connection->session, bytes, size, now) < 0) connection->ended = 1;
    return (int64_t)size;
}

static int64_t receive_directly(struct http2_connection *connection)
{
    char *bytes = shared_bytes();
    int64_t count = raffia_try_receive(raffia_http_descriptor(&connection->transport), bytes, ROOM);
    connection->drained = count < ROOM;
    return count > 0 ? feed(connection, bytes, (size_t)count) : count;
}

static int64_t receive_by_methods(struct http2_connection *connection, uint32_t *events)
{
    VALUE bytes = raffia_http_read_record(&connection->transport, events);
    if (NIL_P(bytes)) return 0;
    if (bytes == Qundef) return -EAGAIN;
    int64_t count = feed(connection, RSTRING_PTR(bytes), (size_t)RSTRING_LEN(bytes));
    RB_GC_GUARD(bytes);
    return count;
}

static int64_t receive(struct http2_connection *connection, uint32_t *events)
{
    return connection->transport.native ? receive_directly(connection)
                                        : receive_by_methods(connection, events);
}

/* Input that TLS has read ahead is announced by no event, so there other fibers only get a turn. */
static int waits_first(struct http2_connection *connection)
{
    int turn = ++connection->streak >= TURN;
    if (turn) connection->streak = 0;
    if (connection->transport.native) return connection->drained || turn;
    if (turn) raffia_http_yield();
    return 0;
}

static int64_t time_left(int64_t deadline)
{
    if (deadline == RAFFIA_FOREVER) return RAFFIA_NO_LIMIT;
    int64_t left = deadline - raffia_coarse_now();
    return left > 0 ? left : 0;
}

static int is_gone(int64_t result)
{
    return result == -ECONNRESET || result == -EPIPE || result == -ETIMEDOUT ||
           result == -ENOTCONN || result == -EBADF;
}

/* Bytes received; 0 at the end, -ETIME. */
static int64_t receive_more(struct http2_connection *connection, int64_t deadline)
{
    uint32_t events = RAFFIA_READABLE;
    int64_t count = waits_first(connection) ? -EAGAIN : receive(connection, &events);
    while (count == -EAGAIN) {
        connection->streak = 0;
        if (!raffia_http_wait(&connection->transport, events, time_left(deadline))) return -ETIME;
        count = receive(connection, &events);
    }
    return is_gone(count) ? 0 : raffia_check(count, "recv");
}

static VALUE next_request(struct http2_connection *connection)
{
    struct http2_stream *stream = connection->requests;
    if (!stream) return Qnil;
    connection->requests = stream->next_request;
    if (!connection->requests) connection->last_request = &connection->requests;
    stream->next_request = NULL;
    return stream->self;
}

/* Streams that wait for more input wait in vain. */
static void end_input(struct http2_connection *connection)
{
    connection->ended = 1;
    for (struct http2_stream *one = connection->streams; one; one = one->next)
        raffia_http2_wake(one, RAFFIA_HTTP2_CLOSED);
}

/*
 * @overload receive(timeout = nil)
 *   Waits for the next request, and wakes streams. One fiber calls it, which sends output that is
 *   left before it waits.
 *   @param timeout [Numeric, nil] seconds
 *   @return [HTTP2Stream, nil, false] false: none came in time; nil: no more will come
 */
static VALUE http2_receive(int argc, VALUE *argv, VALUE self)
{
    struct http2_connection *connection = raffia_http2_connection_of(self);
    rb_check_arity(argc, 0, 1);
    int64_t deadline = raffia_http2_deadline(argc == 1 ? argv[0] : Qnil);
    connection->receiver_serves = 0;
    for (;;) {
        raffia_http2_dispatch(connection);
        VALUE request = next_request(connection);
        if (!NIL_P(request)) {
            if (!NIL_P(connection->receiver_requests)) raffia_http2_begin_serving(connection);
            return request;
        }
        connection->deferred = 0; /* what was deferred is done now */
        if (!connection->blocked && !raffia_http2_flush(connection))
            raffia_http2_output_due(connection);
        if (connection->requests) continue;
        if (connection->ended || connection->broken ||
            raffia_http2_state(connection->session)->over)
            return Qnil;
        int64_t count = receive_more(connection, deadline);
        if (count == -ETIME) return Qfalse;
        if (count == 0) end_input(connection);
    }
}

/*
 * @overload receiver_requests=(queue)
 *   The fiber that receives will serve requests itself. When it has waited in one, another fiber
 *   has to receive, and the queue gets true. Without a native scheduler it does not: {#inline?}.
 *   @param queue [Thread::Queue]
 */
static VALUE http2_set_receiver_requests(VALUE self, VALUE queue)
{
    struct http2_connection *connection = raffia_http2_connection_of(self);
    if (connection->home) RB_OBJ_WRITE(self, &connection->receiver_requests, queue);
    return queue;
}

static VALUE http2_is_inline(VALUE self)
{
    return NIL_P(raffia_http2_connection_of(self)->receiver_requests) ? Qfalse : Qtrue;
}

/* @overload resume_receiving
 *   @return [Boolean] whether the fiber that has served a request has to go on to receive */
static VALUE http2_resume_receiving(VALUE self)
{
    struct http2_connection *connection = raffia_http2_connection_of(self);
    if (connection->receiver_released) connection->receiver_serves = 1;
    connection->receiver_released = 0;
    return connection->receiver_serves ? Qtrue : Qfalse;
}

/* @overload take_receiver_request
 *   @return [Boolean] whether a fiber has to be started that receives. True only once. */
static VALUE http2_take_receiver_request(VALUE self)
{
    struct http2_connection *connection = raffia_http2_connection_of(self);
    VALUE released = connection->receiver_released ? Qtrue : Qfalse;
    connection->receiver_released = 0;
    return released;
}

/* @overload release_receiver
 *   The fiber that receives ends with its request. Another one has to, if none does yet. */
static VALUE http2_release_receiver(VALUE self)
{
    raffia_http2_release_receiver(raffia_http2_connection_of(self));
    return Qnil;
}

/* @overload receiver_cancelled
 *   The fiber that receives was cancelled. */
static VALUE http2_receiver_cancelled(VALUE self)
{
    raffia_http2_connection_of(self)->receiver_serves = 1;
    return http2_release_receiver(self);
}

/* @overload next_request
 *   @return [HTTP2Stream, nil] a request that has come already */
static VALUE http2_next_request(VALUE self)
{
    return next_request(raffia_http2_connection_of(self));
}

/*
 * @overload feed(bytes)
 *   Input that another protocol has read, such as the preface.
 */
static VALUE http2_feed(VALUE self, VALUE bytes)
{
    StringValue(bytes);
    feed(raffia_http2_connection_of(self), RSTRING_PTR(bytes), (size_t)RSTRING_LEN(bytes));
    RB_GC_GUARD(bytes);
    return self;
}

void raffia_init_http2_receive(VALUE http2)
{
    rb_define_method(http2, "receive", http2_receive, -1);
    rb_define_method(http2, "next_request", http2_next_request, 0);
    rb_define_method(http2, "receiver_requests=", http2_set_receiver_requests, 1);
    rb_define_method(http2, "inline?", http2_is_inline, 0);
    rb_define_method(http2, "resume_receiving", http2_resume_receiving, 0);
    rb_define_method(http2, "take_receiver_request", http2_take_receiver_request, 0);
    rb_define_method(http2, "release_receiver", http2_release_receiver, 0);
    rb_define_method(http2, "receiver_cancelled", http2_receiver_cancelled, 0);
    rb_define_method(http2, "feed", http2_feed, 1);
}

#endif
