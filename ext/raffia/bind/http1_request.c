/* The input side of the wire: requests, and what is left for another protocol. */
#include "http1.h"

#ifdef HAVE_LLHTTP

#include <errno.h>
#include <stdlib.h>

/* Life */

void raffia_http1_input_init(struct http1_input *input)
{
    raffia_parser_init(&input->parser, &raffia_parser_defaults);
    input->trailers = Qnil;
}

void raffia_http1_input_mark(const struct http1_input *input)
{
    rb_gc_mark_movable(input->trailers);
}

void raffia_http1_input_compact(struct http1_input *input)
{
    input->trailers = rb_gc_location(input->trailers);
}

void raffia_http1_input_free(struct http1_input *input)
{
    free(input->bytes);
    free(input->head);
}

size_t raffia_http1_input_memsize(const struct http1_input *input)
{
    return input->capacity + (input->head ? sizeof(*input->head) : 0);
}

/* Interned once: looking seven names up for each connection took more than all else that a wire
 * needs to begin. */
static ID id_request_line, id_head, id_fields, id_name, id_extensions, id_trailers, id_body;

/* nil: none. */
static uint64_t limit_named(VALUE limits, ID name, uint64_t otherwise, uint64_t most)
{
    VALUE limit = rb_hash_lookup2(limits, ID2SYM(name), Qundef);
    if (limit == Qundef) return otherwise;
    uint64_t number = NIL_P(limit) ? most : NUM2ULL(limit);
    return number < most ? number : most;
}

void raffia_http1_input_limit(struct http1_input *input, VALUE limits)
{
    if (NIL_P(limits)) return;
    Check_Type(limits, T_HASH);
    const uint32_t most = UINT32_MAX / 4; /* Distances within a head fit. */
    struct raffia_parser_limits all = raffia_parser_defaults;
    all.request_line = (uint32_t)limit_named(limits, id_request_line, all.request_line, most);
    all.head = (uint32_t)limit_named(limits, id_head, all.head, most);
    all.fields = (uint32_t)limit_named(limits, id_fields, all.fields, RAFFIA_MAX_FIELDS);
    all.name = (uint32_t)limit_named(limits, id_name, all.name, RAFFIA_MAX_NAME);
    all.extensions = (uint32_t)limit_named(limits, id_extensions, all.extensions, most);
    all.trailers = (uint32_t)limit_named(limits, id_trailers, all.trailers, most);
    all.body = limit_named(limits, id_body, all.body, UINT64_MAX);
    raffia_parser_init(&input->parser, &all);
}

/* Failures */

void raffia_http1_refuse(struct http1 *wire, int status, const char *reason)
{
    VALUE arguments[] = {INT2FIX(status), rb_str_new_cstr(reason)};
    wire->input.broken = 1;
    wire->input.shared = 0;
    wire->keep_alive = 0;
    rb_exc_raise(rb_class_new_instance(2, arguments, rb_path2class("Raffia::Server::Refused")));
}

int64_t raffia_http1_check(struct http1 *wire, int64_t result)
{
    if (result < 0) raffia_http1_refuse(wire, (int)-result, wire->input.parser.reason);
    return result;
}

/* Something was raised between two lines of C, and where the next request begins is not known any
 * more. */
struct http1 *raffia_http1_reader(VALUE self)
{
    struct http1 *wire = raffia_http1_of(self);
    if (wire->input.shared > 0) {
        wire->input.shared = 0;
        wire->input.broken = 1;
    }
    return wire;
}

int64_t raffia_http1_deadline_in(VALUE seconds)
{
    if (NIL_P(seconds)) return RAFFIA_FOREVER;
    int64_t limit = raffia_nanoseconds(seconds), now = raffia_coarse_now();
    return limit < RAFFIA_FOREVER - now ? now + limit : RAFFIA_FOREVER;
}

/* Heads */

static VALUE begin_request(struct http1 *wire, const struct raffia_parser_head *head,
                           const char *bytes, size_t size)
{
    const struct raffia_parser *parser = &wire->input.parser;
    VALUE env = raffia_http1_env(wire, head, bytes);
    raffia_http1_consume(wire, size);
    raffia_http1_keep(wire);
    raffia_http1_drop_head(wire);
    wire->keep_alive = parser->keep_alive;
    wire->head = parser->method == HTTP_HEAD;
    wire->http10 = parser->minor == 0;
    wire->expects_continue = parser->expects;
    wire->has_body = parser->phase != RAFFIA_AT_END;
    wire->input.trailers = Qnil;
    wire->output.status = 0;
    wire->output.body = 0;
    return env;
}

/* Qnil: more is needed. */
static VALUE parse(struct http1 *wire)
{
    struct raffia_parser *parser = &wire->input.parser;
    size_t size;
    const char *bytes = raffia_http1_bytes(wire, &size);
    if (size == 0) return Qnil;
    struct raffia_parser_head *head = raffia_http1_head(wire);
    int64_t taken = raffia_http1_check(wire, raffia_parser_read_head(parser, head, bytes, size));
    if (taken > 0) return begin_request(wire, head, bytes, (size_t)taken);
    if (parser->fed > 0) raffia_http1_keep_head(wire);
    return Qnil;
}

static void note_arrival(struct http1 *wire)
{
    wire->input.arrived = wire->input.occurred_after ? wire->input.occurred_after : raffia_now();
}

static int has_begun(const struct http1 *wire)
{
    return wire->input.parser.fed > 0;
}

/*
 * @overload receive(idle_timeout, head_timeout)
 *   The next request. What was left of the body of the one before must have been read.
 *   @param idle_timeout [Numeric, nil] seconds until its first byte comes
 *   @param head_timeout [Numeric, nil] seconds from then on until its head is complete
 *   @return [Hash, nil] its env; nil: the client is gone, or nothing came in time
 *   @raise [Server::Refused] when it must be answered by that status, and the connection be closed
 */
static VALUE http1_receive(VALUE self, VALUE idle_timeout, VALUE head_timeout)
{
    struct http1 *wire = raffia_http1_reader(self);
    struct raffia_parser *parser = &wire->input.parser;
    if (wire->input.broken) return Qnil;
    if (parser->phase == RAFFIA_AT_END) raffia_parser_next(parser);
    if (parser->phase != RAFFIA_IN_HEAD)
        rb_raise(rb_eIOError, "the body of the request before has not been read");
    wire->keep_alive = wire->head = wire->http10 =
        0; /* What is refused has an answer of its own. */
    /* What was pipelined, or came while we did something else for this client, has not waited for
     * others. */
    if (wire->received > 0) wire->input.occurred_after = 0;
    note_arrival(wire);
    VALUE env = parse(wire);
    int64_t deadline = raffia_http1_deadline_in(has_begun(wire) ? head_timeout : idle_timeout);
    while (NIL_P(env)) {
        int begun = has_begun(wire);
        int64_t count = raffia_http1_take_in(wire, deadline);
        if (count == -ETIME && begun)
            raffia_http1_refuse(wire, 408, "the head of the request did not come in time");
        if (count <= 0) return Qnil;
        env = parse(wire);
        if (begun || !(has_begun(wire) || RTEST(env))) continue;
        note_arrival(wire);
        deadline = raffia_http1_deadline_in(head_timeout);
    }
    return env;
}

/* @overload unread
 *   @return [String] what came behind the request, or of the next one; it is forgotten here */
static VALUE http1_unread(VALUE self)
{
    struct http1 *wire = raffia_http1_reader(self);
    size_t size;
    const char *bytes = raffia_http1_bytes(wire, &size);
    VALUE rest = rb_str_new(bytes, (long)size);
    if (size > 0) raffia_http1_consume(wire, size);
    return rest;
}

#define READER(name, expression)                                                                   \
    static VALUE http1_##name(VALUE self)                                                          \
    {                                                                                              \
        const struct http1 *wire = raffia_http1_of(self);                                          \
        return (expression) ? Qtrue : Qfalse;                                                      \
    }

/* Of the request at hand. */
READER(is_keep_alive, wire->keep_alive)
READER(is_head, wire->head)
READER(is_http10, wire->http10)
READER(has_body, wire->has_body)
READER(is_body_read,
       wire->input.parser.phase == RAFFIA_AT_END || wire->input.parser.phase == RAFFIA_IN_HEAD)
READER(is_upgrade, wire->input.parser.upgrades)
/* Whether more input has come already. */
READER(is_pending, raffia_http1_pending(wire))

void raffia_init_http1_request(VALUE http1)
{
    id_request_line = rb_intern("request_line");
    id_head = rb_intern("head");
    id_fields = rb_intern("fields");
    id_name = rb_intern("name");
    id_extensions = rb_intern("extensions");
    id_trailers = rb_intern("trailers");
    id_body = rb_intern("body");
    raffia_init_http1_intake();
    raffia_init_http1_names();
    raffia_init_http1_env();
    raffia_init_http1_host(http1);
    raffia_init_http1_body(http1);
    rb_define_method(http1, "receive", http1_receive, 2);
    rb_define_method(http1, "unread", http1_unread, 0);
    rb_define_method(http1, "keep_alive?", http1_is_keep_alive, 0);
    rb_define_method(http1, "head?", http1_is_head, 0);
    rb_define_method(http1, "http10?", http1_is_http10, 0);
    rb_define_method(http1, "body?", http1_has_body, 0);
    rb_define_method(http1, "body_read?", http1_is_body_read, 0);
    rb_define_method(http1, "upgrade?", http1_is_upgrade, 0);
    rb_define_method(http1, "pending?", http1_is_pending, 0);
}

#endif
