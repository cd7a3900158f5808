/* The input side of the wire: requests, their bodies, and what is left for another protocol. */
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

/* Interned once: looking seven names up for each connection took more than all else that a wire needs to begin. */
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
    all.fields = (uint32_t)limit_named(limits, id_fields, all.fields, RAFFIA_MOST_FIELDS);
    all.name = (uint32_t)limit_named(limits, id_name, all.name, RAFFIA_MOST_NAME);
    all.extensions = (uint32_t)limit_named(limits, id_extensions, all.extensions, most);
    all.trailers = (uint32_t)limit_named(limits, id_trailers, all.trailers, most);
    all.body = limit_named(limits, id_body, all.body, UINT64_MAX);
    raffia_parser_init(&input->parser, &all);
}

/* Failures */

NORETURN(static void refuse(struct http1 *wire, int status, const char *reason));
static void refuse(struct http1 *wire, int status, const char *reason)
{
    VALUE arguments[] = {INT2FIX(status), rb_str_new_cstr(reason)};
    wire->input.broken = 1;
    wire->input.shared = 0;
    wire->keep_alive = 0;
    rb_exc_raise(rb_class_new_instance(2, arguments, rb_path2class("Raffia::Server::Refused")));
}

static int64_t check(struct http1 *wire, int64_t result)
{
    if (result < 0) refuse(wire, (int)-result, wire->input.parser.reason);
    return result;
}

/* Something was raised between two lines of C, and where the next request begins is not known any more. */
static struct http1 *wire_of(VALUE self)
{
    struct http1 *wire = raffia_http1_of(self);
    if (wire->input.shared > 0) {
        wire->input.shared = 0;
        wire->input.broken = 1;
    }
    return wire;
}

static int64_t deadline_in(VALUE seconds)
{
    if (NIL_P(seconds)) return RAFFIA_FOREVER;
    int64_t limit = raffia_nanoseconds(seconds), now = raffia_about_now();
    return limit < RAFFIA_FOREVER - now ? now + limit : RAFFIA_FOREVER;
}

/* Heads */

static VALUE begin_request(struct http1 *wire, const struct raffia_parser_head *head, const char *bytes,
                           size_t size)
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
    int64_t taken = check(wire, raffia_parser_read_head(parser, head, bytes, size));
    if (taken > 0) return begin_request(wire, head, bytes, (size_t)taken);
    if (parser->fed > 0) raffia_http1_keep_head(wire);
    return Qnil;
}

static void note_arrival(struct http1 *wire)
{
    wire->input.arrived = wire->input.happened ? wire->input.happened : raffia_now();
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
    struct http1 *wire = wire_of(self);
    struct raffia_parser *parser = &wire->input.parser;
    if (wire->input.broken) return Qnil;
    if (parser->phase == RAFFIA_AT_END) raffia_parser_next(parser);
    if (parser->phase != RAFFIA_IN_HEAD)
        rb_raise(rb_eIOError, "the body of the request before has not been read");
    wire->keep_alive = wire->head = wire->http10 = 0; /* What is refused has an answer of its own. */
    /* What was pipelined, or came while we did something else for this client, has not waited for others. */
    if (wire->received > 0) wire->input.happened = 0;
    note_arrival(wire);
    VALUE env = parse(wire);
    int64_t deadline = deadline_in(has_begun(wire) ? head_timeout : idle_timeout);
    while (NIL_P(env)) {
        int begun = has_begun(wire);
        int64_t count = raffia_http1_take_in(wire, deadline);
        if (count == -ETIME && begun) refuse(wire, 408, "the head of the request did not come in time");
        if (count <= 0) return Qnil;
        env = parse(wire);
        if (begun || !(has_begun(wire) || RTEST(env))) continue;
        note_arrival(wire);
        deadline = deadline_in(head_timeout);
    }
    return env;
}

/* Bodies */

static VALUE append(VALUE piece, const char *bytes, size_t size)
{
    return NIL_P(piece) ? rb_str_new(bytes, (long)size) : rb_str_cat(piece, bytes, (long)size);
}

static int64_t read_trailers(struct http1 *wire)
{
    struct raffia_parser *parser = &wire->input.parser;
    size_t size;
    const char *bytes = raffia_http1_bytes(wire, &size);
    struct raffia_parser_head *trailers = raffia_http1_head(wire);
    int64_t taken = raffia_parser_read_trailers(parser, trailers, bytes, size);
    if (taken == 0 && parser->fed > 0) raffia_http1_keep_head(wire);
    if (taken <= 0) return taken;
    if (trailers->count > 0)
        RB_OBJ_WRITE(wire->self, &wire->input.trailers, raffia_http1_trailers(trailers, bytes));
    raffia_http1_consume(wire, (size_t)taken);
    raffia_http1_drop_head(wire);
    return taken;
}

/* Decodes what there is; up to `most` bytes of it, if `piece` is wanted. How many they were, or a refusal. */
static int64_t decode(struct http1 *wire, size_t most, VALUE *piece)
{
    struct raffia_parser *parser = &wire->input.parser;
    size_t done = 0;
    int64_t taken = 1;
    while (parser->phase == RAFFIA_IN_BODY && taken > 0) {
        struct raffia_slice data;
        size_t size;
        const char *bytes = raffia_http1_bytes(wire, &size);
        taken = raffia_parser_read_body(parser, bytes, size, most - done, &data);
        if (taken <= 0) break;
        if (piece && data.size > 0) *piece = append(*piece, bytes + data.start, data.size);
        done += data.size;
        raffia_http1_consume(wire, (size_t)taken);
    }
    if (parser->phase == RAFFIA_IN_TRAILERS && taken >= 0) taken = read_trailers(wire);
    raffia_http1_keep(wire);
    return taken < 0 ? taken : (int64_t)done;
}

static int is_over(const struct http1 *wire)
{
    return wire->input.parser.phase == RAFFIA_AT_END || wire->input.parser.phase == RAFFIA_IN_HEAD;
}

static void tell_to_continue(struct http1 *wire)
{
    static const char interim[] = "HTTP/1.1 100 Continue\r\n\r\n";
    if (!wire->expects_continue) return;
    wire->expects_continue = 0;
    if (wire->input.length > 0) return; /* It comes already. */
    raffia_http1_unsay(&wire->output);
    /* Who has seen the beginning of the response knows enough. */
    if (raffia_http1_interject(&wire->output, interim, sizeof(interim) - 1)) raffia_http1_flush(wire);
}

/* A long body of known length comes straight into the String, as far as it is here. */
static void fill_up(struct http1 *wire, VALUE piece, size_t most)
{
    struct raffia_parser *parser = &wire->input.parser;
    size_t length = (size_t)RSTRING_LEN(piece), room = most - length;
    if (parser->phase != RAFFIA_IN_BODY || parser->chunked || wire->input.length > 0 || room == 0) return;
    if (parser->left < room) room = (size_t)parser->left;
    rb_str_modify_expand(piece, (long)room);
    char *start = RSTRING_PTR(piece) + length;
    size_t count = raffia_http1_take_directly(wire, start, room);
    struct raffia_slice data;
    raffia_parser_read_body(parser, start, count, count, &data);
    rb_str_set_len(piece, (long)(length + count));
}

/*
 * @overload read_body(most = 65_536, timeout = nil)
 *   What there is of the body, at least one byte. Tells the client to go on if it waits for that.
 *   @param most [Integer] bytes
 *   @param timeout [Numeric, nil] seconds until something comes
 *   @return [String, nil] decoded, binary; nil at the end
 *   @raise [Server::Refused]
 *   @raise [Server::Disconnected] when it ends before its end
 */
static VALUE http1_read_body(int argc, VALUE *argv, VALUE self)
{
    struct http1 *wire = wire_of(self);
    rb_check_arity(argc, 0, 2);
    size_t most = argc > 0 && !NIL_P(argv[0]) ? NUM2SIZET(argv[0]) : 64 << 10;
    VALUE piece = Qnil;
    if (is_over(wire) || wire->input.broken) return Qnil;
    if (most == 0) return rb_str_new(NULL, 0);
    tell_to_continue(wire);
    int64_t deadline = deadline_in(argc > 1 ? argv[1] : Qnil);
    while (check(wire, decode(wire, most, &piece)) == 0 && !is_over(wire)) {
        int64_t count = raffia_http1_take_in(wire, deadline);
        if (count > 0) continue;
        if (count == -ETIME) refuse(wire, 408, "the body of the request did not come in time");
        wire->input.broken = 1;
        rb_raise(rb_path2class("Raffia::Server::Disconnected"),
                 "the client left in the middle of its request");
    }
    if (!NIL_P(piece)) fill_up(wire, piece, most);
    return piece;
}

struct skipping {
    struct http1 *wire;
    uint64_t limit;
    int64_t deadline;
};

static VALUE skip(VALUE pointer)
{
    struct skipping *skipping = (struct skipping *)pointer;
    struct http1 *wire = skipping->wire;
    const struct raffia_parser *parser = &wire->input.parser;
    for (uint64_t done = 0; done <= skipping->limit;) {
        int64_t count = decode(wire, SIZE_MAX, NULL);
        wire->input.broken = count < 0;
        if (count < 0) return Qfalse;
        done += (uint64_t)count;
        if (is_over(wire)) return done <= skipping->limit ? Qtrue : Qfalse;
        if (!parser->chunked && parser->left > skipping->limit - done) return Qfalse;
        if (raffia_http1_take_in(wire, skipping->deadline) <= 0) return Qfalse;
    }
    return Qfalse;
}

/*
 * @overload skip_body(limit, timeout = 0)
 *   Reads what is left of the body, for nobody, so that the next request can be read.
 *   @param limit [Integer] bytes
 *   @param timeout [Numeric, nil] seconds in all
 *   @return [Boolean] whether that has been done; the connection must be closed if not
 */
static VALUE http1_skip_body(int argc, VALUE *argv, VALUE self)
{
    struct http1 *wire = wire_of(self);
    rb_check_arity(argc, 1, 2);
    if (wire->input.broken) return Qfalse;
    if (is_over(wire)) return Qtrue;
    if (wire->expects_continue) return Qfalse; /* It may come, or not. */
    struct skipping skipping = {wire, NUM2ULL(argv[0]), deadline_in(argc > 1 ? argv[1] : INT2FIX(0))};
    return skip((VALUE)&skipping);
}

/* @overload trailers
 *   @return [Hash{String => String}, nil] names in small letters; nil: there were none, or the body has not been read to its end */
static VALUE http1_trailers(VALUE self)
{
    return raffia_http1_of(self)->input.trailers;
}

/* @overload unread
 *   @return [String] what came behind the request, or of the next one; it is forgotten here */
static VALUE http1_unread(VALUE self)
{
    struct http1 *wire = wire_of(self);
    size_t size;
    const char *bytes = raffia_http1_bytes(wire, &size);
    VALUE rest = rb_str_new(bytes, (long)size);
    if (size > 0) raffia_http1_consume(wire, size);
    return rest;
}

#define READER(name, expression)                                                                             \
    static VALUE http1_##name(VALUE self)                                                                    \
    {                                                                                                        \
        const struct http1 *wire = raffia_http1_of(self);                                                    \
        return (expression) ? Qtrue : Qfalse;                                                                \
    }

/* Of the request at hand. */
READER(is_keep_alive, wire->keep_alive)
READER(is_head, wire->head)
READER(is_http10, wire->http10)
READER(has_body, wire->has_body)
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
    rb_define_method(http1, "receive", http1_receive, 2);
    rb_define_method(http1, "read_body", http1_read_body, -1);
    rb_define_method(http1, "skip_body", http1_skip_body, -1);
    rb_define_method(http1, "trailers", http1_trailers, 0);
    rb_define_method(http1, "unread", http1_unread, 0);
    rb_define_method(http1, "keep_alive?", http1_is_keep_alive, 0);
    rb_define_method(http1, "head?", http1_is_head, 0);
    rb_define_method(http1, "http10?", http1_is_http10, 0);
    rb_define_method(http1, "body?", http1_has_body, 0);
    rb_define_method(http1, "upgrade?", http1_is_upgrade, 0);
    rb_define_method(http1, "pending?", http1_is_pending, 0);
}

#endif
