/* The bodies of requests, and what comes behind them. Most of a long one is received into the
 * String that the app gets, and decoded there. */
#include "http1.h"

#ifdef HAVE_LLHTTP

#include <errno.h>
#include <string.h>

/* What chunks have beside their data: with so much more room than is wanted, the end of a body
 * comes with the last of its bytes. What one receive is given at most. */
enum { BESIDE = 1 << 10, AT_ONCE = 1 << 20 };

static size_t least(size_t one, size_t other)
{
    return one < other ? one : other;
}

/* A String that grows is copied, so it begins with room for all that is probably here: when the
 * last receive took all there was, that is what is held. */
static VALUE begin_piece(const struct http1 *wire, size_t found, size_t held, size_t most)
{
    const struct raffia_parser *parser = &wire->input.parser;
    size_t room = wire->input.drained ? least(held, most) : least(most, AT_ONCE) + BESIDE;
    return rb_str_buf_new((long)(parser->chunked ? room : least(room, found + parser->left)));
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

/* Decodes what there is; up to `most` bytes of it, if `piece` is wanted. How many they were, or a
 * refusal. */
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
        if (piece && data.size > 0) {
            if (NIL_P(*piece)) *piece = begin_piece(wire, data.size, size, most);
            rb_str_cat(*piece, bytes + data.start, data.size);
        }
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
    if (raffia_http1_interject(&wire->output, interim, sizeof(interim) - 1))
        raffia_http1_flush(wire);
}

/* Decodes `size` bytes of the wire's where they are: the data closes up. How much data there is, at
 * most `most` bytes, or a refusal. */
static int64_t decode_in_place(struct http1 *wire, char *bytes, size_t size, size_t most)
{
    struct raffia_parser *parser = &wire->input.parser;
    size_t done = 0, at = 0;
    int64_t taken = 1;
    while (parser->phase == RAFFIA_IN_BODY && taken > 0) {
        struct raffia_slice data;
        taken = raffia_parser_read_body(parser, bytes + at, size - at, most - done, &data);
        if (taken < 0) return taken;
        memmove(bytes + done, bytes + at + data.start, data.size);
        done += data.size;
        at += (size_t)taken;
    }
    raffia_http1_hold(wire, bytes + at, size - at);
    return (int64_t)done;
}

/* Room for so much more, and the bytes from there on. */
static char *expand(VALUE piece, size_t room)
{
    size_t length = (size_t)RSTRING_LEN(piece);
    if (rb_str_capacity(piece) < length + room) rb_str_modify_expand(piece, (long)room);
    return RSTRING_PTR(piece) + length;
}

/* What is here of a long body comes straight into the String. */
static void fill_up(struct http1 *wire, VALUE piece, size_t most)
{
    const struct raffia_parser *parser = &wire->input.parser;
    for (;;) {
        size_t length = (size_t)RSTRING_LEN(piece), wanted = least(most - length, AT_ONCE);
        if (wanted == 0 || parser->phase != RAFFIA_IN_BODY || wire->input.length > 0) return;
        size_t room = parser->chunked ? wanted + BESIDE : least(wanted, parser->left);
        char *start = expand(piece, room);
        size_t count = raffia_http1_take_directly(wire, start, room);
        if (count == 0) return;
        int64_t found = raffia_http1_check(wire, decode_in_place(wire, start, count, wanted));
        rb_str_set_len(piece, (long)length + found);
    }
}

/* The rest of the body's end, so that whoever asks for more need not wait for it. */
static VALUE complete(struct http1 *wire, VALUE piece, size_t most)
{
    if (wire->input.drained) return piece;
    fill_up(wire, piece, most);
    raffia_http1_check(wire, decode(wire, 0, NULL));
    return rb_str_resize(piece, RSTRING_LEN(piece)); /* Room that is not needed is given back. */
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
    struct http1 *wire = raffia_http1_reader(self);
    rb_check_arity(argc, 0, 2);
    size_t most = argc > 0 && !NIL_P(argv[0]) ? NUM2SIZET(argv[0]) : 64 << 10;
    VALUE piece = Qnil;
    if (is_over(wire) || wire->input.broken) return Qnil;
    if (most == 0) return rb_str_new(NULL, 0);
    tell_to_continue(wire);
    int64_t deadline = raffia_http1_deadline_in(argc > 1 ? argv[1] : Qnil);
    while (raffia_http1_check(wire, decode(wire, most, &piece)) == 0 && !is_over(wire)) {
        int64_t count = raffia_http1_take_in(wire, deadline);
        if (count > 0) continue;
        if (count == -ETIME)
            raffia_http1_refuse(wire, 408, "the body of the request did not come in time");
        wire->input.broken = 1;
        rb_raise(rb_path2class("Raffia::Server::Disconnected"),
                 "the client left in the middle of its request");
    }
    return NIL_P(piece) ? Qnil : complete(wire, piece, most);
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
    struct http1 *wire = raffia_http1_reader(self);
    rb_check_arity(argc, 1, 2);
    if (wire->input.broken) return Qfalse;
    if (is_over(wire)) return Qtrue;
    if (wire->expects_continue) return Qfalse; /* It may come, or not. */
    struct skipping skipping = {wire, NUM2ULL(argv[0]),
                                raffia_http1_deadline_in(argc > 1 ? argv[1] : INT2FIX(0))};
    return skip((VALUE)&skipping);
}

/* @overload trailers
 *   @return [Hash{String => String}, nil] names in small letters; nil: there were none, or the body
 *     has not been read to its end */
static VALUE http1_trailers(VALUE self)
{
    return raffia_http1_of(self)->input.trailers;
}

void raffia_init_http1_body(VALUE http1)
{
    rb_define_method(http1, "read_body", http1_read_body, -1);
    rb_define_method(http1, "skip_body", http1_skip_body, -1);
    rb_define_method(http1, "trailers", http1_trailers, 0);
}

#endif
