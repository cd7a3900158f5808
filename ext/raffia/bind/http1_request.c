/* Requests, and the bytes that are left for another protocol. */
#include "http1_request.h"

#ifdef HAVE_LLHTTP

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Lifetime */

void raffia_http1_request_init(struct http1_request *request)
{
    request->transport.socket = request->template = request->movable.owner = Qnil;
    request->response_trailers = Qnil;
    raffia_parser_init(&request->input.parser, &raffia_parser_defaults);
    request->input.trailers = Qnil;
}

void raffia_http1_request_mark(const struct http1_request *request)
{
    rb_gc_mark_movable(request->transport.self);
    rb_gc_mark_movable(request->transport.socket);
    rb_gc_mark_movable(request->movable.owner);
    rb_gc_mark_movable(request->template);
    rb_gc_mark_movable(request->response_trailers);
    rb_gc_mark_movable(request->input.trailers);
}

void raffia_http1_request_compact(struct http1_request *request)
{
    request->transport.self = rb_gc_location(request->transport.self);
    request->transport.socket = rb_gc_location(request->transport.socket);
    request->movable.owner = rb_gc_location(request->movable.owner);
    request->template = rb_gc_location(request->template);
    request->response_trailers = rb_gc_location(request->response_trailers);
    request->input.trailers = rb_gc_location(request->input.trailers);
}

void raffia_http1_request_free(struct http1_request *request)
{
    free(request->input.bytes);
    free(request->input.head);
}

size_t raffia_http1_request_memsize(const struct http1_request *request)
{
    return request->input.capacity + (request->input.head ? sizeof(*request->input.head) : 0);
}

/* Interned once: seven look-ups cost more than the rest of a connection's start. */
static ID id_request_line, id_head, id_fields, id_name, id_extensions, id_trailers, id_body;

/* nil: none. */
static uint64_t limit_named(VALUE limits, ID name, uint64_t otherwise, uint64_t most)
{
    VALUE limit = rb_hash_lookup2(limits, ID2SYM(name), Qundef);
    if (limit == Qundef) return otherwise;
    uint64_t number = NIL_P(limit) ? most : NUM2ULL(limit);
    return number < most ? number : most;
}

void raffia_http1_request_limit(struct http1_request *request, VALUE limits)
{
    if (NIL_P(limits)) return;
    Check_Type(limits, T_HASH);
    const uint32_t most = UINT32_MAX / 4; /* offsets within a head fit */
    struct raffia_parser_limits all = raffia_parser_defaults;
    all.request_line = (uint32_t)limit_named(limits, id_request_line, all.request_line, most);
    all.head = (uint32_t)limit_named(limits, id_head, all.head, most);
    all.fields = (uint32_t)limit_named(limits, id_fields, all.fields, RAFFIA_MAX_FIELDS);
    all.name = (uint32_t)limit_named(limits, id_name, all.name, RAFFIA_MAX_NAME);
    all.extensions = (uint32_t)limit_named(limits, id_extensions, all.extensions, most);
    all.trailers = (uint32_t)limit_named(limits, id_trailers, all.trailers, most);
    all.body = limit_named(limits, id_body, all.body, UINT64_MAX);
    raffia_parser_init(&request->input.parser, &all);
}

/* Failures */

void raffia_http1_refuse(struct http1_request *request, int status, const char *reason)
{
    VALUE arguments[] = {INT2FIX(status), rb_str_new_cstr(reason)};
    request->input.broken = 1;
    request->input.shared = 0;
    request->keep_alive = 0;
    rb_exc_raise(rb_class_new_instance(2, arguments, rb_path2class("Raffia::Server::Refused")));
}

int64_t raffia_http1_check(struct http1_request *request, int64_t result)
{
    if (result < 0) raffia_http1_refuse(request, (int)-result, request->input.parser.reason);
    return result;
}

/* Shared input that is left here was abandoned by an exception: where the next request begins is
 * not known any more. */
struct http1_request *raffia_http1_reader(VALUE self)
{
    struct http1_request *request = raffia_http1_request_of(self);
    if (request->input.shared > 0) {
        request->input.shared = 0;
        request->input.broken = 1;
    }
    return request;
}

int64_t raffia_http1_deadline(VALUE seconds)
{
    if (NIL_P(seconds)) return RAFFIA_FOREVER;
    int64_t limit = raffia_nanoseconds(seconds), now = raffia_coarse_now();
    return limit < RAFFIA_FOREVER - now ? now + limit : RAFFIA_FOREVER;
}

/* Heads */

static VALUE begin_request(struct http1_request *request, const struct raffia_parser_head *head,
                           const char *bytes, size_t size)
{
    const struct raffia_parser *parser = &request->input.parser;
    request->response_trailers = Qnil;
    VALUE env = raffia_http1_env(request, head, bytes);
    raffia_http1_consume(request, size);
    raffia_http1_unshare(request);
    raffia_http1_free_head(request);
    request->finds_http2 = 0;
    request->keep_alive = parser->keep_alive;
    request->is_head = parser->method == HTTP_HEAD;
    request->http10 = parser->minor == 0;
    request->expects_continue = parser->expects;
    request->has_body = parser->phase != RAFFIA_AT_END;
    request->input.trailers = Qnil;
    return env;
}

static int is_preface(const struct http1_request *request, const char *bytes, size_t size)
{
    static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    return request->finds_http2 && request->input.parser.is_http2 && size >= sizeof(preface) - 1 &&
           memcmp(bytes, preface, sizeof(preface) - 1) == 0;
}

VALUE raffia_http1_parse(struct http1_request *request)
{
    struct raffia_parser *parser = &request->input.parser;
    size_t size;
    const char *bytes = raffia_http1_input_bytes(request, &size);
    if (size == 0) return Qnil;
    struct raffia_parser_head *head = raffia_http1_head(request);
    int64_t taken = raffia_parser_read_head(parser, head, bytes, size);
    if (taken < 0 && is_preface(request, bytes, size)) return Qfalse;
    raffia_http1_check(request, taken);
    if (taken > 0) return begin_request(request, head, bytes, (size_t)taken);
    if (parser->fed > 0) raffia_http1_unshare_head(request);
    return Qnil;
}

void raffia_http1_note_arrival(struct http1_request *request)
{
    request->input.arrived =
        request->transport.occurred_after ? request->transport.occurred_after : raffia_now();
}

void raffia_http1_next_request(struct http1_request *request)
{
    struct raffia_parser *parser = &request->input.parser;
    if (parser->phase == RAFFIA_AT_END) raffia_parser_next(parser);
    if (parser->phase != RAFFIA_IN_HEAD)
        rb_raise(rb_eIOError, "the body of the request before has not been read");
    /* A request that is refused gets a response of its own. */
    request->keep_alive = request->is_head = request->http10 = 0;
    /* Input that was pipelined, or came while we worked for this client, has not waited for
     * others. */
    if (request->transport.received > 0) request->transport.occurred_after = 0;
    raffia_http1_note_arrival(request);
}

/* @overload unread
 *   Takes the input behind the request: of another protocol, or of the next request.
 *   @return [String] */
static VALUE http1_unread(VALUE self)
{
    struct http1_request *request = raffia_http1_reader(self);
    size_t size;
    const char *bytes = raffia_http1_input_bytes(request, &size);
    VALUE rest = rb_str_new(bytes, (long)size);
    if (size > 0) raffia_http1_consume(request, size);
    return rest;
}

/* @overload find_http2
 *   {receive} returns false when the connection begins with the preface of HTTP/2, which is then in
 *   {unread}. */
static VALUE http1_find_http2(VALUE self)
{
    raffia_http1_request_of(self)->finds_http2 = 1;
    return Qnil;
}

#define READER(name, expression)                                                                   \
    static VALUE http1_##name(VALUE self)                                                          \
    {                                                                                              \
        const struct http1_request *request = raffia_http1_request_of(self);                       \
        return (expression) ? Qtrue : Qfalse;                                                      \
    }

/* The current request. */
READER(is_keep_alive, request->keep_alive)
READER(is_head, request->is_head)
READER(is_http10, request->http10)
READER(has_body, request->has_body)
READER(is_body_read, raffia_http1_body_is_over(request))
READER(is_upgrade, request->input.parser.upgrades)
/* Whether more input has come already. */
READER(is_pending, raffia_http1_has_input(request))

/* @overload queued
 *   @return [Integer] microseconds that the last request may have waited since its first byte came;
 *     negative when that is not known */
static VALUE http1_queued(VALUE self)
{
    int64_t arrived = raffia_http1_request_of(self)->input.arrived;
    if (arrived == 0) return INT2FIX(-1);
    int64_t waited = raffia_now() - arrived;
    return LL2NUM(waited > 0 ? waited / 1000 : 0);
}

void raffia_init_http1_request(VALUE http1)
{
    id_request_line = rb_intern("request_line");
    id_head = rb_intern("head");
    id_fields = rb_intern("fields");
    id_name = rb_intern("name");
    id_extensions = rb_intern("extensions");
    id_trailers = rb_intern("trailers");
    id_body = rb_intern("body");
    raffia_init_http_env_keys();
    raffia_init_http_env_fields();
    raffia_init_http_env_template();
    raffia_init_http1_env(http1);
    raffia_init_http1_body(http1);
    rb_define_method(http1, "queued", http1_queued, 0);
    rb_define_method(http1, "unread", http1_unread, 0);
    rb_define_method(http1, "find_http2", http1_find_http2, 0);
    rb_define_method(http1, "keep_alive?", http1_is_keep_alive, 0);
    rb_define_method(http1, "head?", http1_is_head, 0);
    rb_define_method(http1, "http10?", http1_is_http10, 0);
    rb_define_method(http1, "body?", http1_has_body, 0);
    rb_define_method(http1, "body_read?", http1_is_body_read, 0);
    rb_define_method(http1, "upgrade?", http1_is_upgrade, 0);
    rb_define_method(http1, "pending?", http1_is_pending, 0);
}

#endif
