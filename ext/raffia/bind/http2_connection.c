/* Raffia::Native::HTTP2: one connection as an object. One fiber receives; streams send. */
#include "raffia.h"

#include "http2_connection.h"

#if defined(HAVE_LLHTTP) && defined(HAVE_NGHTTP2)

#include <errno.h>

static void http2_mark(void *pointer)
{
    const struct http2_connection *connection = pointer;
    rb_gc_mark_movable(connection->transport.self);
    rb_gc_mark_movable(connection->transport.socket);
    rb_gc_mark_movable(connection->stream_class);
    rb_gc_mark_movable(connection->template);
    rb_gc_mark_movable(connection->wakeups);
    rb_gc_mark_movable(connection->receiver_requests);
    rb_gc_mark_movable(connection->unsent);
    for (const struct http2_stream *one = connection->streams; one; one = one->next)
        rb_gc_mark_movable(one->self);
}

static void http2_compact(void *pointer)
{
    struct http2_connection *connection = pointer;
    connection->transport.self = rb_gc_location(connection->transport.self);
    connection->transport.socket = rb_gc_location(connection->transport.socket);
    connection->stream_class = rb_gc_location(connection->stream_class);
    connection->template = rb_gc_location(connection->template);
    connection->wakeups = rb_gc_location(connection->wakeups);
    connection->receiver_requests = rb_gc_location(connection->receiver_requests);
    connection->unsent = rb_gc_location(connection->unsent);
}

/* Streams may be freed after it. */
static void http2_free(void *pointer)
{
    struct http2_connection *connection = pointer;
    while (connection->streams) {
        struct http2_stream *stream = connection->streams;
        connection->streams = stream->next;
        stream->connection = NULL;
        stream->stream = NULL;
        stream->previous = stream->next = NULL;
    }
    if (connection->session) raffia_http2_free(connection->session);
    raffia_http2_free_fields(&connection->spare);
    ruby_xfree(connection);
}

static size_t http2_memsize(const void *pointer)
{
    const struct http2_connection *connection = pointer;
    return sizeof(*connection) + raffia_http2_fields_memsize(&connection->spare) +
           (connection->session ? raffia_http2_memsize(connection->session) : 0);
}

static const rb_data_type_t http2_type = {
    .wrap_struct_name = "Raffia::Native::HTTP2",
    .function = {.dmark = http2_mark,
                 .dfree = http2_free,
                 .dsize = http2_memsize,
                 .dcompact = http2_compact},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED,
};

static VALUE http2_allocate(VALUE class)
{
    struct http2_connection *connection;
    VALUE self = TypedData_Make_Struct(class, struct http2_connection, &http2_type, connection);
    connection->transport.self = self;
    connection->transport.socket = connection->stream_class = connection->template = Qnil;
    connection->wakeups = connection->receiver_requests = connection->unsent = Qnil;
    connection->last_request = &connection->requests;
    connection->write_timeout = RAFFIA_NO_LIMIT;
    return self;
}

static uint64_t limit_named(VALUE limits, const char *name, uint64_t otherwise, uint64_t most)
{
    VALUE limit = rb_hash_lookup2(limits, ID2SYM(rb_intern(name)), Qundef);
    if (limit == Qundef) return otherwise;
    uint64_t number = NIL_P(limit) ? most : NUM2ULL(limit);
    return number < most ? number : most;
}

static void read_limits(struct raffia_http2_limits *limits, VALUE given)
{
    const uint32_t most = UINT32_MAX / 4;
    Check_Type(given, T_HASH);
    limits->streams = (uint32_t)limit_named(given, "streams", limits->streams, 1 << 16);
    limits->window = (uint32_t)limit_named(given, "window", limits->window, INT32_MAX);
    limits->head = (uint32_t)limit_named(given, "head", limits->head, most);
    limits->fields = (uint32_t)limit_named(given, "fields", limits->fields, most);
    limits->name = (uint32_t)limit_named(given, "name", limits->name, RAFFIA_MAX_NAME);
    limits->trailers = (uint32_t)limit_named(given, "trailers", limits->trailers, most);
    limits->body = limit_named(given, "body", limits->body, UINT64_MAX);
    limits->connect = (uint8_t)limit_named(given, "connect", limits->connect, 1);
}

/*
 * @overload initialize(socket, stream_class, template, limits, wakeups = nil)
 *   @param socket [BasicSocket, OpenSSL::SSL::SSLSocket]
 *   @param stream_class [Class] subclass of HTTP2Stream
 *   @param template [Hash] entries of every env on this connection; see {HTTP2Stream.template}
 *   @param limits [Hash{Symbol => Integer, nil}] +streams+, +window+, +head+, +fields+, +name+,
 *     +trailers+, +body+, +connect+ (1: extended CONNECT is offered); others are ignored
 *   @param wakeups [Thread::Queue, nil] gets the connection when it has output that only its loop
 *     can send, see {#send_output}
 */
static VALUE http2_initialize(int argc, VALUE *argv, VALUE self)
{
    struct http2_connection *connection = raffia_http2_connection_of(self);
    struct raffia_http2_limits limits = raffia_http2_defaults;
    rb_check_arity(argc, 4, 5);
    if (connection->session) rb_raise(rb_eRuntimeError, "it is initialized already");
    Check_Type(argv[2], T_HASH);
    RB_OBJ_WRITE(self, &connection->stream_class, argv[1]);
    RB_OBJ_WRITE(self, &connection->template, argv[2]);
    RB_OBJ_WRITE(self, &connection->wakeups, argc == 5 ? argv[4] : Qnil);
    connection->https = raffia_http_env_is_https(argv[2]) != 0;
    read_limits(&limits, argv[3]);
    raffia_http_transport_open(&connection->transport, argv[0]);
    connection->home = raffia_http_scheduler();
    connection->received_at = connection->sent_at = raffia_coarse_now();
    if (raffia_http2_open(&connection->session, &limits) < 0) rb_memerror();
    return self;
}

static const struct raffia_http2_state *state_of(VALUE self)
{
    return raffia_http2_state(raffia_http2_connection_of(self)->session);
}

/* @overload announce_end
 *   Tells the client that the connection will end. Requests that come meanwhile are served. */
static VALUE http2_announce_end(VALUE self)
{
    struct http2_connection *connection = raffia_http2_connection_of(self);
    raffia_http2_announce_end(connection->session);
    raffia_http2_ping(connection->session);
    raffia_http2_output_due(connection);
    return Qnil;
}

/* @overload goaway(code = 0)
 *   Takes no further request. */
static VALUE http2_goaway(int argc, VALUE *argv, VALUE self)
{
    struct http2_connection *connection = raffia_http2_connection_of(self);
    rb_check_arity(argc, 0, 1);
    raffia_http2_goaway(connection->session, argc == 1 ? NUM2UINT(argv[0]) : 0);
    raffia_http2_output_due(connection);
    return Qnil;
}

/* @overload ping */
static VALUE http2_ping(VALUE self)
{
    struct http2_connection *connection = raffia_http2_connection_of(self);
    raffia_http2_ping(connection->session);
    raffia_http2_output_due(connection);
    return Qnil;
}

/* @overload stop_uploads
 *   Called again and again: stops requests whose response had ended at the last call. */
static VALUE http2_stop_uploads(VALUE self)
{
    struct http2_connection *connection = raffia_http2_connection_of(self);
    raffia_http2_stop_uploads(connection->session);
    if (raffia_http2_wants_write(connection->session)) raffia_http2_output_due(connection);
    return Qnil;
}

#define READER(name, expression)                                                                   \
    static VALUE http2_##name(VALUE self)                                                          \
    {                                                                                              \
        const struct http2_connection *connection = raffia_http2_connection_of(self);              \
        const struct raffia_http2_state *state = state_of(self);                                   \
        (void)connection, (void)state;                                                             \
        return expression;                                                                         \
    }

READER(streams, UINT2NUM(state->streams))
READER(requests, ULL2NUM(state->requests))
READER(is_settings_acked, state->settings_acked ? Qtrue : Qfalse)
READER(is_in_head, state->in_head ? Qtrue : Qfalse)
READER(is_ping_unanswered, state->ping_unanswered ? Qtrue : Qfalse)
READER(is_client_going_away, state->client_going_away ? Qtrue : Qfalse)
READER(is_output_blocked, state->output_blocked || connection->blocked ? Qtrue : Qfalse)
READER(is_over, state->over || connection->broken ? Qtrue : Qfalse)
READER(is_broken, connection->broken ? Qtrue : Qfalse)
READER(abuse, state->abuse ? rb_str_new_cstr(state->abuse) : Qnil)
READER(resets_received, ULL2NUM(state->resets_received))
READER(resets_sent, ULL2NUM(state->resets_sent))
READER(sends, ULL2NUM(connection->sends))

/* @overload silence
 *   @return [Float] seconds since bytes came */
static VALUE http2_silence(VALUE self)
{
    int64_t at = raffia_http2_connection_of(self)->received_at;
    return DBL2NUM((double)(raffia_coarse_now() - at) / 1e9);
}

/* @overload write_timeout=(seconds)
 *   For the client to take some of a response. */
static VALUE http2_set_write_timeout(VALUE self, VALUE seconds)
{
    raffia_http2_connection_of(self)->write_timeout =
        NIL_P(seconds) ? RAFFIA_NO_LIMIT : raffia_nanoseconds(seconds);
    return seconds;
}

/* @overload abort
 *   Nothing more is sent: streams that wait get Disconnected. */
static VALUE http2_abort(VALUE self)
{
    raffia_http2_break(raffia_http2_connection_of(self));
    return Qnil;
}

void raffia_init_http2(VALUE raffia)
{
    VALUE native = rb_define_module_under(raffia, "Native");
    VALUE http2 = rb_define_class_under(native, "HTTP2", rb_cObject);
    rb_define_alloc_func(http2, http2_allocate);
    rb_define_method(http2, "initialize", http2_initialize, -1);
    rb_define_method(http2, "announce_end", http2_announce_end, 0);
    rb_define_method(http2, "goaway", http2_goaway, -1);
    rb_define_method(http2, "ping", http2_ping, 0);
    rb_define_method(http2, "stop_uploads", http2_stop_uploads, 0);
    rb_define_method(http2, "streams", http2_streams, 0);
    rb_define_method(http2, "requests", http2_requests, 0);
    rb_define_method(http2, "settings_acked?", http2_is_settings_acked, 0);
    rb_define_method(http2, "in_head?", http2_is_in_head, 0);
    rb_define_method(http2, "ping_unanswered?", http2_is_ping_unanswered, 0);
    rb_define_method(http2, "client_going_away?", http2_is_client_going_away, 0);
    rb_define_method(http2, "output_blocked?", http2_is_output_blocked, 0);
    rb_define_method(http2, "over?", http2_is_over, 0);
    rb_define_method(http2, "broken?", http2_is_broken, 0);
    rb_define_method(http2, "abuse", http2_abuse, 0);
    rb_define_method(http2, "resets_received", http2_resets_received, 0);
    rb_define_method(http2, "resets_sent", http2_resets_sent, 0);
    rb_define_method(http2, "sends", http2_sends, 0);
    rb_define_method(http2, "silence", http2_silence, 0);
    rb_define_method(http2, "write_timeout=", http2_set_write_timeout, 1);
    rb_define_method(http2, "abort", http2_abort, 0);
    raffia_init_http_transport(http2);
    raffia_init_http2_receive(http2);
    raffia_init_http2_send(http2);
    raffia_init_http2_request(native);
}

#else

void raffia_init_http2(VALUE raffia)
{
    (void)raffia;
}

#endif
