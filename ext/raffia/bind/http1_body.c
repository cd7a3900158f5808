/* Bodies of requests, and their trailers. Most of a long body is received into the String that the
 * app gets, and decoded there. */
#include "http1_request.h"

#ifdef HAVE_LLHTTP

#include <errno.h>
#include <string.h>

/* BESIDE: framing of chunks. With so much more room than is wanted, the end of a body arrives with
 * the last of its bytes. AT_ONCE: the most that one receive is given. */
enum { BESIDE = 1 << 10, AT_ONCE = 1 << 20 };

static size_t least(size_t one, size_t other)
{
    return one < other ? one : other;
}

/* A String is copied when it grows, so it begins with room for the bytes that have probably
 * arrived: all of the input, if the last receive took all there was. */
static VALUE begin_piece(const struct http1_request *request, size_t found, size_t held, size_t max)
{
    const struct raffia_parser *parser = &request->input.parser;
    size_t room = request->input.drained ? least(held, max) : least(max, AT_ONCE) + BESIDE;
    return rb_str_buf_new((long)(parser->chunked ? room : least(room, found + parser->left)));
}

static int64_t read_trailers(struct http1_request *request)
{
    struct raffia_parser *parser = &request->input.parser;
    size_t size;
    const char *bytes = raffia_http1_input_bytes(request, &size);
    struct raffia_parser_head *trailers = raffia_http1_head(request);
    int64_t taken = raffia_parser_read_trailers(parser, trailers, bytes, size);
    if (taken == 0 && parser->fed > 0) raffia_http1_unshare_head(request);
    if (taken <= 0) return taken;
    if (trailers->count > 0)
        RB_OBJ_WRITE(request->transport.self, &request->input.trailers,
                     raffia_http1_trailers(trailers, bytes));
    raffia_http1_consume(request, (size_t)taken);
    raffia_http1_free_head(request);
    return taken;
}

/* Decodes what there is; up to `max` bytes of it, if `piece` is wanted. How many they were, or a
 * refusal. */
int64_t raffia_http1_decode(struct http1_request *request, size_t max, VALUE *piece)
{
    struct raffia_parser *parser = &request->input.parser;
    size_t done = 0;
    int64_t taken = 1;
    while (parser->phase == RAFFIA_IN_BODY && taken > 0) {
        struct raffia_slice data;
        size_t size;
        const char *bytes = raffia_http1_input_bytes(request, &size);
        taken = raffia_parser_read_body(parser, bytes, size, max - done, &data);
        if (taken <= 0) break;
        if (piece && data.size > 0) {
            if (NIL_P(*piece)) *piece = begin_piece(request, data.size, size, max);
            rb_str_cat(*piece, bytes + data.start, data.size);
        }
        done += data.size;
        raffia_http1_consume(request, (size_t)taken);
    }
    if (parser->phase == RAFFIA_IN_TRAILERS && taken >= 0) taken = read_trailers(request);
    raffia_http1_unshare(request);
    return taken < 0 ? taken : (int64_t)done;
}

/* Decodes `size` bytes in place. Returns the number of data bytes, `max` at most, or a refusal. */
static int64_t decode_in_place(struct http1_request *request, char *bytes, size_t size, size_t max)
{
    struct raffia_parser *parser = &request->input.parser;
    size_t done = 0, at = 0;
    int64_t taken = 1;
    while (parser->phase == RAFFIA_IN_BODY && taken > 0) {
        struct raffia_slice data;
        taken = raffia_parser_read_body(parser, bytes + at, size - at, max - done, &data);
        if (taken < 0) return taken;
        memmove(bytes + done, bytes + at + data.start, data.size);
        done += data.size;
        at += (size_t)taken;
    }
    raffia_http1_keep_bytes(request, bytes + at, size - at);
    return (int64_t)done;
}

/* Makes room for so much more; returns where it begins. */
static char *expand(VALUE piece, size_t room)
{
    size_t length = (size_t)RSTRING_LEN(piece);
    if (rb_str_capacity(piece) < length + room) rb_str_modify_expand(piece, (long)room);
    return RSTRING_PTR(piece) + length;
}

/* Receives what has arrived of a long body straight into the String. */
static void fill_up(struct http1_request *request, VALUE piece, size_t max)
{
    const struct raffia_parser *parser = &request->input.parser;
    for (;;) {
        size_t length = (size_t)RSTRING_LEN(piece), wanted = least(max - length, AT_ONCE);
        if (wanted == 0 || parser->phase != RAFFIA_IN_BODY || request->input.length > 0) return;
        size_t room = parser->chunked ? wanted + BESIDE : least(wanted, parser->left);
        char *start = expand(piece, room);
        size_t count = raffia_http1_receive_into(request, start, room);
        if (count == 0) return;
        int64_t found = raffia_http1_check(request, decode_in_place(request, start, count, wanted));
        rb_str_set_len(piece, (long)length + found);
    }
}

VALUE raffia_http1_complete_piece(struct http1_request *request, VALUE piece, size_t max)
{
    if (request->input.drained) return piece;
    fill_up(request, piece, max);
    raffia_http1_check(request, raffia_http1_decode(request, 0, NULL));
    return rb_str_resize(piece, RSTRING_LEN(piece)); /* frees unused room */
}

/* @overload trailers
 *   @return [Hash{String => String}, nil] names in lower case; nil: there are none, or the body has
 *     not been read to its end */
static VALUE http1_trailers(VALUE self)
{
    return raffia_http1_request_of(self)->input.trailers;
}

void raffia_init_http1_body(VALUE http1)
{
    rb_define_method(http1, "trailers", http1_trailers, 0);
}

#endif
