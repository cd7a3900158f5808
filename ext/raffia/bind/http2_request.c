/* Raffia::Native::HTTP2Stream: one request and its response as an object. This is the request's
 * side. */
#include "http2_connection.h"

#if defined(HAVE_LLHTTP) && defined(HAVE_NGHTTP2)

#include <errno.h>

static ID id_is_empty, id_new, id_pop, id_push, id_timeout;
static VALUE queue_class;

static void stream_mark(void *pointer)
{
    const struct http2_stream *stream = pointer;
    rb_gc_mark_movable(stream->self);
    rb_gc_mark_movable(stream->owner);
    rb_gc_mark_movable(stream->response_trailers);
    rb_gc_mark_movable(stream->request_trailers);
    rb_gc_mark_movable(stream->readable);
    rb_gc_mark_movable(stream->writable);
}

static void stream_compact(void *pointer)
{
    struct http2_stream *stream = pointer;
    stream->self = rb_gc_location(stream->self);
    stream->owner = rb_gc_location(stream->owner);
    stream->response_trailers = rb_gc_location(stream->response_trailers);
    stream->request_trailers = rb_gc_location(stream->request_trailers);
    stream->readable = rb_gc_location(stream->readable);
    stream->writable = rb_gc_location(stream->writable);
}

static void unlink_stream(struct http2_stream *stream)
{
    struct http2_connection *connection = stream->connection;
    if (!connection) return;
    if (stream->previous)
        stream->previous->next = stream->next;
    else if (connection->streams == stream)
        connection->streams = stream->next;
    if (stream->next) stream->next->previous = stream->previous;
    stream->previous = stream->next = NULL;
}

static void stream_free(void *pointer)
{
    struct http2_stream *stream = pointer;
    if (stream->stream) unlink_stream(stream); /* else its connection may have been freed */
    raffia_http2_free_fields(&stream->fields);
    ruby_xfree(stream);
}

static size_t stream_memsize(const void *pointer)
{
    const struct http2_stream *stream = pointer;
    return sizeof(*stream) + raffia_http2_fields_memsize(&stream->fields);
}

static const rb_data_type_t stream_type = {
    .wrap_struct_name = "Raffia::Native::HTTP2Stream",
    .function = {.dmark = stream_mark,
                 .dfree = stream_free,
                 .dsize = stream_memsize,
                 .dcompact = stream_compact},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED,
};

static VALUE stream_allocate(VALUE class)
{
    struct http2_stream *stream;
    VALUE self = TypedData_Make_Struct(class, struct http2_stream, &stream_type, stream);
    stream->self = self;
    stream->owner = stream->readable = stream->writable = Qnil;
    stream->response_trailers = stream->request_trailers = Qnil;
    stream->declared = -1;
    return self;
}

struct http2_stream *raffia_http2_stream_of(VALUE self)
{
    return RTYPEDDATA_GET_DATA(self);
}

void raffia_http2_add_stream(struct http2_connection *connection, struct raffia_http2_stream *of)
{
    VALUE self = stream_allocate(connection->stream_class);
    struct http2_stream *stream = RTYPEDDATA_GET_DATA(self);
    RB_OBJ_WRITE(self, &stream->owner, connection->transport.self);
    stream->connection = connection;
    stream->stream = of;
    of->owner = stream;
    stream->next = connection->streams;
    if (stream->next) stream->next->previous = stream;
    connection->streams = stream;
    RB_OBJ_WRITTEN(connection->transport.self, Qundef, self);
    *connection->last_request = stream;
    connection->last_request = &stream->next_request;
    stream->fields = connection->spare;
    connection->spare = (struct http2_fields){0};
    stream->has_body = !of->input_ended || raffia_http2_body_size(of) > 0;
}

/* Ends its use of the session. */
void raffia_http2_forget_stream(struct http2_stream *stream)
{
    if (!stream->stream) return;
    stream->stream->owner = NULL;
    raffia_http2_release(stream->stream);
    stream->stream = NULL;
    unlink_stream(stream);
}

/* One signal is enough: the fiber checks all that it waits for. */
static void push_signal(VALUE queue)
{
    if (!NIL_P(queue) && RTEST(rb_funcall(queue, id_is_empty, 0)))
        rb_funcall(queue, id_push, 1, Qtrue);
}

void raffia_http2_wake(struct http2_stream *stream, unsigned events)
{
    if (events & (RAFFIA_HTTP2_READABLE | RAFFIA_HTTP2_CLOSED)) push_signal(stream->readable);
    if (events & (RAFFIA_HTTP2_WRITABLE | RAFFIA_HTTP2_CLOSED)) push_signal(stream->writable);
}

int64_t raffia_http2_deadline(VALUE seconds)
{
    if (NIL_P(seconds)) return RAFFIA_FOREVER;
    int64_t limit = raffia_nanoseconds(seconds), now = raffia_coarse_now();
    return limit < RAFFIA_FOREVER - now ? now + limit : RAFFIA_FOREVER;
}

/* A queue, because threads of the application wait as well as fibers of the loop. A signal may be
 * of an earlier event, so callers check again what they wait for. The output is sent first: its
 * events must come before the fiber is parked. */
int raffia_http2_await(struct http2_stream *stream, enum raffia_http2_event event, int64_t deadline)
{
    VALUE *queue = event == RAFFIA_HTTP2_READABLE ? &stream->readable : &stream->writable;
    if (stream->connection) raffia_http2_flush_deferred(stream->connection);
    if (NIL_P(*queue)) RB_OBJ_WRITE(stream->self, queue, rb_funcall(queue_class, id_new, 0));
    if (deadline == RAFFIA_FOREVER) return RTEST(rb_funcall(*queue, id_pop, 0));
    int64_t left = deadline - raffia_coarse_now();
    VALUE options = rb_hash_new();
    rb_hash_aset(options, ID2SYM(id_timeout), DBL2NUM(left > 0 ? (double)left / 1e9 : 0.0));
    return RTEST(rb_funcallv_kw(*queue, id_pop, 1, &options, RB_PASS_KEYWORDS));
}

void raffia_http2_disconnected(const char *why)
{
    rb_raise(rb_path2class("Raffia::Server::Disconnected"), "%s", why);
}

void raffia_http2_refuse(int status, const char *reason)
{
    VALUE arguments[] = {INT2FIX(status), rb_str_new_cstr(reason)};
    rb_exc_raise(rb_class_new_instance(2, arguments, rb_path2class("Raffia::Server::Refused")));
}

struct http2_stream *raffia_http2_open_stream(VALUE self)
{
    struct http2_stream *stream = raffia_http2_stream_of(self);
    if (!stream->stream) raffia_http2_disconnected("the stream has ended");
    return stream;
}

static int is_gone(const struct http2_stream *stream)
{
    return !stream->stream || stream->stream->closed || !stream->connection ||
           stream->connection->broken;
}

/* @overload env
 *   @return [Hash] of the request
 *   @raise [Server::Refused] when it must be answered with that status */
static VALUE stream_env(VALUE self)
{
    struct http2_stream *stream = raffia_http2_open_stream(self);
    if (!stream->stream->head) rb_raise(rb_eIOError, "the env was taken before");
    stream->head_received = stream->stream->head->fields.size + 9;
    if (stream->stream->refusal)
        raffia_http2_refuse(stream->stream->refusal, stream->stream->reason);
    VALUE env = raffia_http2_env(stream);
    raffia_http2_release_head(stream->stream);
    return env;
}

/* The input has ended, or has been abandoned. */
static int is_input_over(const struct http2_stream *stream)
{
    return is_gone(stream) || stream->connection->ended || stream->stream->input_ended ||
           (stream->stream->refusal && !stream->stream->head);
}

/* Waits for more of the body. */
static int await_body(struct http2_stream *stream, int64_t deadline)
{
    if (stream->expects_continue && !stream->begun && stream->status == 0) {
        stream->expects_continue = 0;
        if (raffia_http2_send_interim(stream->stream, 100, NULL, 0) == -ENOMEM) rb_memerror();
        raffia_http2_output_due(stream->connection);
    }
    return raffia_http2_await(stream, RAFFIA_HTTP2_READABLE, deadline);
}

static VALUE take_body(struct http2_stream *stream, size_t most)
{
    size_t size = raffia_http2_body_size(stream->stream);
    if (size > most) size = most;
    VALUE piece = rb_str_buf_new((long)size);
    size = raffia_http2_read(stream->stream, RSTRING_PTR(piece), size);
    rb_str_set_len(piece, (long)size);
    raffia_http2_output_due(stream->connection); /* WINDOW_UPDATE */
    return piece;
}

/*
 * @overload read_body(max = 65_536, timeout = nil)
 *   Reads what there is of the body, at least one byte.
 *   @return [String, nil] binary; nil at the end
 *   @raise [Server::Refused]
 *   @raise [Server::Disconnected] when the client has reset the stream, or left
 */
static VALUE stream_read_body(int argc, VALUE *argv, VALUE self)
{
    struct http2_stream *stream = raffia_http2_open_stream(self);
    rb_check_arity(argc, 0, 2);
    size_t most = argc > 0 && !NIL_P(argv[0]) ? NUM2SIZET(argv[0]) : 64 << 10;
    if (most == 0) return rb_str_new(NULL, 0);
    int64_t deadline = raffia_http2_deadline(argc > 1 ? argv[1] : Qnil);
    int timely = 1;
    for (;;) {
        if (stream->stream && raffia_http2_body_size(stream->stream) > 0)
            return take_body(stream, most);
        if (stream->stream && stream->stream->refusal)
            raffia_http2_refuse(stream->stream->refusal, stream->stream->reason);
        if (stream->stream && stream->stream->input_ended) return Qnil;
        if (is_gone(stream) || stream->connection->ended)
            raffia_http2_disconnected("the client left in the middle of its request");
        if (!timely) raffia_http2_refuse(408, "the body of the request did not come in time");
        timely = await_body(stream, deadline);
    }
}

static VALUE stream_has_body(VALUE self)
{
    return raffia_http2_stream_of(self)->has_body ? Qtrue : Qfalse;
}

/* @overload body_ready?
 *   @return [Boolean] whether read_body returns without waiting */
static VALUE stream_is_body_ready(VALUE self)
{
    const struct http2_stream *stream = raffia_http2_stream_of(self);
    return !stream->stream || raffia_http2_body_size(stream->stream) > 0 || is_input_over(stream)
               ? Qtrue
               : Qfalse;
}

/* @overload wait_readable(timeout) */
static VALUE stream_wait_readable(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 0, 1);
    struct http2_stream *stream = raffia_http2_open_stream(self);
    int64_t deadline = raffia_http2_deadline(argc == 1 ? argv[0] : Qnil);
    while (!RTEST(stream_is_body_ready(self)))
        if (!await_body(stream, deadline)) return Qnil;
    return self;
}

/* @overload trailers
 *   @return [Hash{String => String}, nil] of the request; nil: there are none, or the body has not
 *     come to its end */
static VALUE stream_trailers(VALUE self)
{
    struct http2_stream *stream = raffia_http2_stream_of(self);
    if (NIL_P(stream->request_trailers) && stream->stream && stream->stream->trailers)
        RB_OBJ_WRITE(self, &stream->request_trailers,
                     raffia_http2_trailers(stream->stream->trailers));
    return stream->request_trailers;
}

/* @overload queued
 *   @return [Integer] microseconds since its head came */
static VALUE stream_queued(VALUE self)
{
    const struct http2_stream *stream = raffia_http2_stream_of(self);
    if (!stream->stream || stream->stream->arrived == 0) return INT2FIX(-1);
    int64_t waited = raffia_now() - stream->stream->arrived;
    return LL2NUM(waited > 0 ? waited / 1000 : 0);
}

static VALUE stream_received(VALUE self)
{
    const struct http2_stream *stream = raffia_http2_stream_of(self);
    return ULL2NUM(stream->head_received + (stream->stream ? stream->stream->received : 0));
}

static VALUE stream_connects(VALUE self)
{
    return raffia_http2_stream_of(self)->connects ? Qtrue : Qfalse;
}

static VALUE stream_is_grpc(VALUE self)
{
    return raffia_http2_stream_of(self)->grpc ? Qtrue : Qfalse;
}

/* @overload gone?
 *   @return [Boolean] whether the client has reset the stream, or left */
static VALUE stream_is_gone(VALUE self)
{
    return is_gone(raffia_http2_stream_of(self)) ? Qtrue : Qfalse;
}

/* @overload session
 *   @return [HTTP2] */
static VALUE stream_session(VALUE self)
{
    return raffia_http2_stream_of(self)->owner;
}

/* @overload reset(code)
 *   Ends the stream with RST_STREAM. */
static VALUE stream_reset(VALUE self, VALUE code)
{
    struct http2_stream *stream = raffia_http2_stream_of(self);
    if (is_gone(stream)) return Qnil;
    raffia_http2_reset(stream->stream, NUM2UINT(code));
    raffia_http2_output_due(stream->connection);
    return Qnil;
}

/* For the next stream, unless there are some. */
static void keep_fields(struct http2_stream *stream)
{
    enum { KEPT = 4096 };
    struct http2_fields *spare = &stream->connection->spare;
    if (spare->bytes || raffia_http2_fields_memsize(&stream->fields) > KEPT) {
        raffia_http2_free_fields(&stream->fields);
        return;
    }
    raffia_http2_free_fields(spare);
    *spare = stream->fields;
    spare->size = spare->count = 0;
    stream->fields = (struct http2_fields){0};
}

/* @overload release
 *   Its use has ended: another request may take its place. Resets a response that is not whole. */
static VALUE stream_release(VALUE self)
{
    struct http2_stream *stream = raffia_http2_stream_of(self);
    if (!stream->stream) return Qnil;
    stream->head_received += stream->stream->received;
    raffia_http2_forget_stream(stream);
    keep_fields(stream);
    raffia_http2_wake(stream, RAFFIA_HTTP2_CLOSED); /* threads that the application has left */
    raffia_http2_output_due(stream->connection);
    return Qnil;
}

void raffia_init_http2_request(VALUE native)
{
    id_is_empty = rb_intern("empty?");
    id_new = rb_intern("new");
    id_pop = rb_intern("pop");
    id_push = rb_intern("push");
    id_timeout = rb_intern("timeout");
    queue_class = rb_path2class("Thread::Queue");
    VALUE class = rb_define_class_under(native, "HTTP2Stream", rb_cObject);
    rb_define_alloc_func(class, stream_allocate);
    rb_undef_method(CLASS_OF(class), "new");
    rb_define_method(class, "env", stream_env, 0);
    rb_define_method(class, "read_body", stream_read_body, -1);
    rb_define_method(class, "body?", stream_has_body, 0);
    rb_define_method(class, "body_ready?", stream_is_body_ready, 0);
    rb_define_method(class, "wait_readable", stream_wait_readable, -1);
    rb_define_method(class, "trailers", stream_trailers, 0);
    rb_define_method(class, "queued", stream_queued, 0);
    rb_define_method(class, "received", stream_received, 0);
    rb_define_method(class, "connects?", stream_connects, 0);
    rb_define_method(class, "grpc?", stream_is_grpc, 0);
    rb_define_method(class, "gone?", stream_is_gone, 0);
    rb_define_method(class, "session", stream_session, 0);
    rb_define_method(class, "reset", stream_reset, 1);
    rb_define_method(class, "release", stream_release, 0);
    raffia_init_http2_env(class);
    raffia_init_http2_answer(class);
}

#endif
