/* Sends the session's output: once for all that the fibers of a turn have written. */
#include "http2_connection.h"

#if defined(HAVE_LLHTTP) && defined(HAVE_NGHTTP2)

#include <errno.h>
#include <sys/socket.h>

/* The most that is sent before other fibers run. */
enum { BITE = 256 * 1024 };

static ID id_push;

void raffia_http2_break(struct http2_connection *connection)
{
    if (connection->broken) return;
    connection->broken = 1;
    connection->blocked = 0;
    for (struct http2_stream *one = connection->streams; one; one = one->next)
        raffia_http2_wake(one, RAFFIA_HTTP2_CLOSED);
}

static void count_sent(struct http2_connection *connection, size_t size)
{
    connection->transport.sent += size;
    connection->sends++;
    connection->sent_at = raffia_coarse_now();
}

static int send_natively(struct http2_connection *connection)
{
    const char *bytes;
    size_t size, done = 0;
    while ((size = raffia_http2_output(connection->session, &bytes)) > 0) {
        if (done >= BITE) return 0;
        ssize_t sent = send(raffia_http_descriptor(&connection->transport), bytes, size,
                            MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && errno == EAGAIN) return 0;
        if (sent < 0) {
            raffia_http2_break(connection);
            return 1;
        }
        count_sent(connection, (size_t)sent);
        raffia_http2_sent(connection->session, (size_t)sent);
        done += (size_t)sent;
    }
    return 1;
}

static void take_output(struct http2_connection *connection)
{
    const char *bytes;
    size_t size = raffia_http2_output(connection->session, &bytes);
    if (size == 0) return;
    if (size > BITE) size = BITE;
    RB_OBJ_WRITE(connection->transport.self, &connection->unsent, rb_str_new(bytes, (long)size));
    raffia_http2_sent(connection->session, size);
}

static int send_by_methods(struct http2_connection *connection)
{
    size_t done = 0;
    for (;;) {
        if (NIL_P(connection->unsent)) take_output(connection);
        VALUE string = connection->unsent;
        if (NIL_P(string)) return 1;
        if (done >= BITE) return 0;
        VALUE written = raffia_http_write_record(&connection->transport, string);
        if (!RB_INTEGER_TYPE_P(written)) return 0;
        long count = NUM2LONG(written), length = RSTRING_LEN(string);
        count_sent(connection, (size_t)count);
        done += (size_t)count;
        VALUE rest = count < length ? rb_str_subseq(string, count, length - count) : Qnil;
        RB_OBJ_WRITE(connection->transport.self, &connection->unsent, rest);
    }
}

static VALUE send_all(VALUE pointer)
{
    struct http2_connection *connection = (struct http2_connection *)pointer;
    int done =
        connection->transport.native ? send_natively(connection) : send_by_methods(connection);
    raffia_http2_dispatch(connection);
    return done ? Qtrue : Qfalse;
}

/* The socket was closed, or TLS has failed. */
static VALUE fail(VALUE pointer, VALUE error)
{
    (void)error;
    raffia_http2_break((struct http2_connection *)pointer);
    return Qtrue;
}

int raffia_http2_flush(struct http2_connection *connection)
{
    if (connection->broken || connection->sending) return 1;
    connection->sending = 1;
    VALUE done = rb_rescue2(send_all, (VALUE)connection, fail, (VALUE)connection, rb_eStandardError,
                            (VALUE)0);
    connection->sending = 0;
    return RTEST(done);
}

static void announce(struct http2_connection *connection)
{
    if (connection->announced || NIL_P(connection->wakeups)) return;
    connection->announced = 1;
    rb_funcall(connection->wakeups, id_push, 1, connection->transport.self);
}

/* A fiber waits for the kernel, and sends the rest. */
static void flush_now(struct http2_connection *connection)
{
    if (connection->blocked) return;
    if (raffia_http2_flush(connection)) return;
    connection->blocked = 1;
    announce(connection);
}

void raffia_http2_release_receiver(struct http2_connection *connection)
{
    if (!connection->receiver_serves) return;
    connection->receiver_serves = 0;
    connection->receiver_released = 1;
    rb_funcall(connection->receiver_requests, id_push, 1, Qtrue);
}

static void flush_deferred(VALUE self)
{
    struct http2_connection *connection = raffia_http2_connection_of(self);
    if (!connection->deferred) return;
    connection->deferred = 0;
    raffia_http2_release_receiver(connection);
    flush_now(connection);
}

/* An earlier call for this connection may be left, whose output was sent meanwhile. It runs now,
 * and finds that nothing is deferred. */
static void defer_flush(struct http2_connection *connection, struct scheduler *scheduler)
{
    raffia_defer(&scheduler->deferral, flush_deferred, connection->transport.self);
    connection->deferred = 1;
}

void raffia_http2_begin_serving(struct http2_connection *connection)
{
    if (!connection->deferred) defer_flush(connection, raffia_http_scheduler());
    connection->receiver_serves = 1;
}

/* An exception could end a thread of the application in the middle of a write. The fiber may not
 * have to wait after that, so it stays the one that receives. */
void raffia_http2_flush_deferred(struct http2_connection *connection)
{
    if (connection->deferred && connection->home == raffia_http_scheduler()) flush_now(connection);
}

void raffia_http2_output_due(struct http2_connection *connection)
{
    if (connection->deferred || connection->blocked || connection->broken) return;
    struct scheduler *scheduler = raffia_http_scheduler();
    if (scheduler && scheduler == connection->home) {
        defer_flush(connection, scheduler);
    } else if (!NIL_P(connection->wakeups)) {
        announce(connection);
    } else {
        flush_now(connection);
    }
}

/*
 * @overload send_output
 *   Sends all output, and waits while the client takes none. To be called by a fiber of the
 *   connection's loop, for what came out of the queue of wakeups.
 *   @return [Boolean] false: the client has taken nothing within the write timeout
 */
static VALUE http2_send_output(VALUE self)
{
    struct http2_connection *connection = raffia_http2_connection_of(self);
    connection->announced = 0;
    while (!raffia_http2_flush(connection)) {
        connection->blocked = 1;
        uint64_t sent = connection->transport.sent;
        if (raffia_http_wait(&connection->transport, RAFFIA_WRITABLE, connection->write_timeout))
            continue;
        if (connection->transport.sent > sent) continue;
        raffia_http2_break(connection);
        return Qfalse;
    }
    connection->blocked = 0;
    return Qtrue;
}

/* @overload flush
 *   Sends what can be sent without a wait.
 *   @return [Boolean] whether all of it was sent */
static VALUE http2_flush(VALUE self)
{
    struct http2_connection *connection = raffia_http2_connection_of(self);
    connection->announced = 0;
    if (connection->blocked) return Qfalse;
    return raffia_http2_flush(connection) ? Qtrue : Qfalse;
}

void raffia_init_http2_send(VALUE http2)
{
    id_push = rb_intern("push");
    rb_define_method(http2, "send_output", http2_send_output, 0);
    rb_define_method(http2, "flush", http2_flush, 0);
}

#endif
