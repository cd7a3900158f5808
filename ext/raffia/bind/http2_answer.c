/* Responses of streams: whole ones, and those in pieces. */
#include "http2_connection.h"

#if defined(HAVE_LLHTTP) && defined(HAVE_NGHTTP2)

#include <errno.h>
#include <string.h>

/* PIECE: bytes that are copied to the session at a time. PROGRESS: bytes that a client must take to
 * start its timeout anew. */
enum { PIECE = 64 * 1024, PROGRESS = 16 * 1024 };

/* The buffer limit of a response that is in memory already. */
static const size_t WHOLE = SIZE_MAX;

static int is_gone(const struct http2_stream *stream)
{
    return !stream->stream || stream->stream->closed || !stream->connection ||
           stream->connection->broken;
}

static void check_client(const struct http2_stream *stream)
{
    if (is_gone(stream)) raffia_http2_disconnected("the client has gone");
}

static void check(const struct http2_stream *stream, int result)
{
    if (result == -ENOMEM) rb_memerror();
    if (result < 0) raffia_http2_disconnected("the client has gone");
    raffia_http2_output_due(stream->connection);
}

/* Submitting */

enum kind { HEAD, INTERIM, TRAILERS };

static void submit_fields(struct http2_stream *stream, enum kind kind, int status,
                          const struct http2_fields *fields, int end)
{
    VALUE hold;
    struct raffia_http2_output_field *list =
        ALLOCV_N(struct raffia_http2_output_field, hold, fields->count + 1);
    for (uint32_t i = 0; i < fields->count; i++) {
        const struct http2_field *field = &fields->list[i];
        list[i] = (struct raffia_http2_output_field){fields->bytes + field->name,
                                                     fields->bytes + field->value, field->name_size,
                                                     field->value_size};
    }
    int result = kind == TRAILERS ? raffia_http2_finish(stream->stream, list, fields->count)
                 : kind == INTERIM
                     ? raffia_http2_send_interim(stream->stream, status, list, fields->count)
                     : raffia_http2_send_head(stream->stream, status, list, fields->count, end);
    ALLOCV_END(hold);
    stream->head_sent += fields->size + 9;
    check(stream, result);
}

static void submit_head(struct http2_stream *stream, int end)
{
    int status = stream->pending;
    if (status == 0) return;
    check_client(stream);
    stream->pending = 0;
    submit_fields(stream, HEAD, status, &stream->fields, end);
    stream->fields.size = stream->fields.count = 0;
}

static int has_trailers(const struct http2_stream *stream)
{
    return RB_TYPE_P(stream->response_trailers, T_HASH) &&
           RHASH_SIZE(stream->response_trailers) > 0;
}

static void submit_trailers(struct http2_stream *stream, VALUE trailers)
{
    struct http2_head head = {
        .stream = stream, .headers = trailers, .length = -1, .fields = &stream->fields};
    raffia_http2_build_head(&head);
    check_client(stream); /* to_s of a value may have waited */
    submit_fields(stream, TRAILERS, 0, &stream->fields, 1);
}

static void end_body(struct http2_stream *stream, VALUE trailers)
{
    if (NIL_P(trailers) && has_trailers(stream)) trailers = stream->response_trailers;
    if (stream->bodiless) {
        submit_head(stream, 1);
    } else if (!NIL_P(trailers)) {
        submit_head(stream, 0);
        submit_trailers(stream, trailers);
    } else if (stream->pending) {
        submit_head(stream, 1);
    } else {
        check_client(stream);
        check(stream, raffia_http2_finish(stream->stream, NULL, 0));
    }
}

/* Waiting for the client */

struct progress {
    int64_t deadline;
    uint64_t since;
};

/* Priorities may give all of the bandwidth to other streams, so these count as well. */
static int64_t write_deadline(const struct http2_stream *stream, struct progress *progress)
{
    const struct http2_connection *connection = stream->connection;
    uint64_t sent = connection->transport.sent;
    if (connection->write_timeout == RAFFIA_NO_LIMIT) return RAFFIA_FOREVER;
    if (progress->deadline == 0 || sent - progress->since >= PROGRESS) {
        progress->deadline = raffia_coarse_now() + connection->write_timeout;
        progress->since = sent;
    }
    return progress->deadline;
}

/* The client has ended its side, so no window will be opened. */
static int will_not_open(const struct http2_stream *stream)
{
    const struct http2_connection *connection = stream->connection;
    return connection->ended && !connection->blocked &&
           raffia_http2_state(connection->session)->output_blocked;
}

/* Bytes that may be written at a time. 0: the writer waits. Other streams change it, so it is asked
 * again after each wait; the session reports what it has found to be full. A response in pieces
 * keeps to the session's limits on threads, too: a connection has many streams. */
static size_t room(const struct http2_stream *stream)
{
    if (stream->buffer_limit == WHOLE) return PIECE;
    size_t room = raffia_http2_room(stream->stream);
    return room < PIECE ? room : PIECE;
}

static int has_room(const struct http2_stream *stream)
{
    return is_gone(stream) || room(stream) > 0;
}

static int is_empty(const struct http2_stream *stream)
{
    return is_gone(stream) || raffia_http2_buffered(stream->stream) == 0;
}

static void await(struct http2_stream *stream, int (*is_done)(const struct http2_stream *),
                  struct progress *progress)
{
    while (!is_done(stream)) {
        raffia_http2_flush_deferred(stream->connection);
        if (is_done(stream)) return;
        if (will_not_open(stream)) raffia_http2_disconnected("the client has gone");
        if (raffia_http2_await(stream, RAFFIA_HTTP2_WRITABLE, write_deadline(stream, progress)))
            continue;
        if (raffia_coarse_now() < write_deadline(stream, progress)) continue;
        if (is_gone(stream)) break;
        raffia_http2_reset(stream->stream, 8); /* CANCEL */
        raffia_http2_output_due(stream->connection);
        raffia_http2_disconnected("the client takes nothing more: the write timeout has passed");
    }
}

/* The app may change the string while the fiber waits. */
static void write_string(struct http2_stream *stream, VALUE string)
{
    struct progress progress = {0};
    size_t size = (size_t)RSTRING_LEN(string), done = 0;
    int pinned = 0;
    while (done < size) {
        check_client(stream);
        size_t piece = room(stream);
        if (piece == 0) {
            if (!pinned) string = rb_str_new_frozen(string);
            pinned = 1;
            await(stream, has_room, &progress);
            continue;
        }
        if (piece > size - done) piece = size - done;
        check(stream, raffia_http2_write(stream->stream, RSTRING_PTR(string) + done, piece));
        done += piece;
    }
    RB_GC_GUARD(string);
}

/* Whole responses */

/* The app may change the array, and the strings in it, while the fiber waits. */
static void write_strings(struct http2_stream *stream, VALUE strings, int64_t size)
{
    for (long i = 0; i < RARRAY_LEN(strings); i++) {
        VALUE string = RARRAY_AREF(strings, i);
        if (!RB_TYPE_P(string, T_STRING) || stream->body + RSTRING_LEN(string) > size) break;
        stream->body += RSTRING_LEN(string);
        write_string(stream, string);
    }
    if (stream->body != size)
        raffia_http2_bad_response("the response's body has changed while it was sent");
}

static int begin(struct http2_stream *stream, struct http2_head *head)
{
    stream->begun = 0;
    stream->pending = 0;
    head->fields = &stream->fields;
    head->stream = stream;
    if (!raffia_http2_build_head(head)) return 0;
    stream->pending = stream->status = head->status;
    stream->declared = head->declared;
    stream->body = 0;
    stream->begun = 1;
    stream->bodiless = stream->is_head || head->status == 204 || head->status == 304;
    return 1;
}

static void discard(struct http2_stream *stream)
{
    stream->pending = stream->status = stream->begun = 0;
}

static int respond_whole(struct http2_stream *stream, int status, VALUE headers, VALUE strings)
{
    int64_t size = raffia_http_size_of(strings);
    struct http2_head head = {.status = status, .headers = headers, .length = size};
    if (size < 0)
        raffia_http2_bad_response("the response's body has something else than Strings in it");
    if (!begin(stream, &head)) return 0;
    if (raffia_http_size_of(strings) != size) { /* to_s of header values may have changed it */
        discard(stream);
        raffia_http2_bad_response("the response's body has changed while its headers were read");
    }
    if (!stream->bodiless && stream->declared >= 0 && stream->declared != size) {
        discard(stream);
        raffia_http2_bad_response("the response's content-length is %" PRId64
                                  ", but its body has %" PRId64 " bytes",
                                  stream->declared, size);
    }
    if (stream->buffer_limit > 0) stream->buffer_limit = WHOLE;
    if (!stream->bodiless && size > 0) {
        submit_head(stream, 0);
        write_strings(stream, strings, size);
    }
    end_body(stream, Qnil);
    stream->begun = 0;
    return 1;
}

static int is_plain_array(VALUE body)
{
    return RB_TYPE_P(body, T_ARRAY) && RBASIC_CLASS(body) == rb_cArray;
}

/* See HTTP1#answer. */
static VALUE stream_answer(VALUE self, VALUE response)
{
    if (!RB_TYPE_P(response, T_ARRAY) || RARRAY_LEN(response) != 3) return Qfalse;
    VALUE status = RARRAY_AREF(response, 0), headers = RARRAY_AREF(response, 1),
          body = RARRAY_AREF(response, 2);
    if (!RB_FIXNUM_P(status) || !RB_TYPE_P(headers, T_HASH) || !is_plain_array(body)) return Qfalse;
    long number = FIX2LONG(status);
    if (number < 200 || number > 999) return Qfalse;
    struct http2_stream *stream = raffia_http2_open_stream(self);
    VALUE answered = respond_whole(stream, (int)number, headers, body) ? Qtrue : Qfalse;
    RB_GC_GUARD(response);
    return answered;
}

/* Responses in pieces */

/* See HTTP1#begin. */
static VALUE stream_begin(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 2, 3);
    struct http2_stream *stream = raffia_http2_open_stream(self);
    struct http2_head head = {.status = NUM2INT(argv[0]),
                              .headers = argv[1],
                              .length = argc == 3 && !NIL_P(argv[2]) ? NUM2LL(argv[2]) : -1};
    if (head.status < 200) raffia_http2_bad_response("%d is no status of a response", head.status);
    if (!begin(stream, &head)) rb_raise(rb_eArgError, "it is to be hijacked");
    return stream->bodiless ? Qfalse : Qtrue;
}

/*
 * @overload begin_raw(status, headers)
 *   Sends the head before another protocol on this stream.
 */
static VALUE stream_begin_raw(VALUE self, VALUE status, VALUE headers)
{
    struct http2_stream *stream = raffia_http2_open_stream(self);
    struct http2_head head = {
        .status = NUM2INT(status), .headers = headers, .length = -1, .raw = 1};
    begin(stream, &head);
    submit_head(stream, 0);
    return self;
}

/* See HTTP1#write. */
static VALUE stream_write(VALUE self, VALUE string)
{
    struct http2_stream *stream = raffia_http2_open_stream(self);
    StringValue(string);
    long length = RSTRING_LEN(string);
    if (!stream->begun) rb_raise(rb_eIOError, "the response has ended");
    if (length == 0 || stream->bodiless) return LONG2NUM(length);
    if (stream->declared >= 0 && stream->body + length > stream->declared)
        raffia_http2_bad_response(
            "the response's body is longer than its content-length of %" PRId64, stream->declared);
    submit_head(stream, 0);
    stream->body += length;
    write_string(stream, string);
    return LONG2NUM(length);
}

/* See HTTP1#finish. */
static VALUE stream_finish(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 0, 1);
    struct http2_stream *stream = raffia_http2_stream_of(self);
    if (!stream->begun) return Qnil;
    check_client(stream);
    if (!stream->bodiless && stream->declared >= 0 && stream->body < stream->declared)
        raffia_http2_bad_response("the response's body has %" PRId64
                                  " bytes, which is short of its content-length of %" PRId64,
                                  stream->body, stream->declared);
    end_body(stream, argc == 1 ? argv[0] : Qnil);
    stream->begun = 0; /* last: an error above must not be answered with another response */
    return Qnil;
}

/* See HTTP1#send_interim. */
static VALUE stream_send_interim(VALUE self, VALUE status, VALUE headers)
{
    struct http2_stream *stream = raffia_http2_open_stream(self);
    if (stream->begun || stream->status || is_gone(stream)) return Qnil;
    struct http2_head head = {.status = NUM2INT(status),
                              .headers = headers,
                              .length = -1,
                              .stream = stream,
                              .fields = &stream->fields};
    raffia_http2_build_head(&head);
    if (is_gone(stream)) return Qnil; /* to_s of a value may have waited */
    submit_fields(stream, INTERIM, head.status, &stream->fields, 0);
    stream->fields.size = stream->fields.count = 0;
    return Qnil;
}

/* @overload flush
 *   Waits until the client has taken what was written. */
static VALUE stream_flush(VALUE self)
{
    struct http2_stream *stream = raffia_http2_stream_of(self);
    struct progress progress = {0};
    if (!stream->stream || stream->buffer_limit > 0) return self;
    submit_head(stream, 0);
    raffia_http2_output_due(stream->connection);
    /* The session does not report that the output of a stream that goes on is empty. */
    if (stream->stream->finished) await(stream, is_empty, &progress);
    return self;
}

/* @overload wait_writable(timeout = nil)
 *   @return [self, nil] nil: the client has not taken enough in time */
static VALUE stream_wait_writable(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 0, 1);
    struct http2_stream *stream = raffia_http2_open_stream(self);
    int64_t deadline = raffia_http2_deadline(argc == 1 ? argv[0] : Qnil);
    while (!has_room(stream))
        if (!raffia_http2_await(stream, RAFFIA_HTTP2_WRITABLE, deadline)) return Qnil;
    return self;
}

static VALUE stream_is_writable(VALUE self)
{
    return has_room(raffia_http2_stream_of(self)) ? Qtrue : Qfalse;
}

/* See HTTP1#write_buffer_limit=. Only a whole response is kept whatever its size. */
static VALUE stream_set_write_buffer_limit(VALUE self, VALUE bytes)
{
    raffia_http2_stream_of(self)->buffer_limit = NUM2SIZET(bytes);
    return bytes;
}

/* @overload reset_response
 *   Discards the response that has begun, if nothing of it has been submitted.
 *   @return [Boolean] whether there is none now, or it has ended */
static VALUE stream_reset_response(VALUE self)
{
    struct http2_stream *stream = raffia_http2_stream_of(self);
    if (!stream->begun) return Qtrue;
    if (!stream->pending) return Qfalse;
    discard(stream);
    return Qtrue;
}

static VALUE stream_has_begun(VALUE self)
{
    return raffia_http2_stream_of(self)->begun ? Qtrue : Qfalse;
}

static VALUE stream_status(VALUE self)
{
    return INT2FIX(raffia_http2_stream_of(self)->status);
}

static VALUE stream_body_sent(VALUE self)
{
    return LL2NUM(raffia_http2_stream_of(self)->body);
}

/* Bytes of its head and body, before compression and framing. */
static VALUE stream_sent(VALUE self)
{
    const struct http2_stream *stream = raffia_http2_stream_of(self);
    return ULL2NUM(stream->head_sent + (uint64_t)stream->body);
}

void raffia_init_http2_answer(VALUE class)
{
    rb_define_method(class, "answer", stream_answer, 1);
    rb_define_method(class, "begin", stream_begin, -1);
    rb_define_method(class, "begin_raw", stream_begin_raw, 2);
    rb_define_method(class, "write", stream_write, 1);
    rb_define_method(class, "finish", stream_finish, -1);
    rb_define_method(class, "send_interim", stream_send_interim, 2);
    rb_define_method(class, "flush", stream_flush, 0);
    rb_define_method(class, "wait_writable", stream_wait_writable, -1);
    rb_define_method(class, "writable?", stream_is_writable, 0);
    rb_define_method(class, "write_buffer_limit=", stream_set_write_buffer_limit, 1);
    rb_define_method(class, "reset_response", stream_reset_response, 0);
    rb_define_method(class, "begun?", stream_has_begun, 0);
    rb_define_method(class, "status", stream_status, 0);
    rb_define_method(class, "body_sent", stream_body_sent, 0);
    rb_define_method(class, "sent", stream_sent, 0);
}

#endif
