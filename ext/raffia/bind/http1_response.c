/* Responses: whole ones, and those in pieces. */
#include "http1_response.h"

#ifdef HAVE_LLHTTP

#include <stdio.h>
#include <string.h>

enum {
    BIG = 8 * 1024,    /* longer Strings are sent without a copy */
    BATCH = 64 * 1024, /* responses to pipelined requests that are sent together */
};

static struct http1_output *output_of(VALUE self)
{
    return &raffia_http1_response_of(self)->output;
}

/* While more requests have arrived, their responses are sent together. */
static void send_or_collect(struct http1_response *response)
{
    if (response->output.length < BATCH && response->request.keep_alive &&
        raffia_http1_has_input(&response->request) && raffia_http1_defer_output(response))
        return;
    raffia_http1_flush(response);
}

/* Whole responses */

static void send_body(struct http1_response *response, VALUE strings, int64_t size)
{
    /* The body is in memory already, so its size does not matter. */
    if (response->output.buffer_limit > 0) response->output.buffer_limit = SIZE_MAX;
    if (response->output.framing == BODY_NONE) {
        send_or_collect(response);
    } else if (size >= BIG) {
        raffia_http1_send(response, strings);
    } else {
        for (long i = 0; i < RARRAY_LEN(strings); i++) {
            VALUE string = RARRAY_AREF(strings, i);
            raffia_http1_append(&response->output, RSTRING_PTR(string),
                                (size_t)RSTRING_LEN(string));
            RB_GC_GUARD(string);
        }
        send_or_collect(response);
    }
}

static int respond_whole(struct http1_response *response, int status, VALUE headers, VALUE strings)
{
    struct http1_output *output = &response->output;
    int64_t size = raffia_http_size_of(strings);
    size_t mark = output->length;
    struct head head = {.response = response,
                        .status = status,
                        .headers = headers,
                        .length = size,
                        .upgrade = Qnil};
    if (size < 0)
        raffia_http1_bad_response(response, mark,
                                  "the response's body has something else than Strings in it");
    if (!raffia_http1_append_head(&head)) return 0;
    if (raffia_http_size_of(strings) != size) { /* to_s of header values may have changed it */
        output->begun = 0;
        raffia_http1_bad_response(response, mark,
                                  "the response's body has changed while its headers were read");
    }
    if (output->framing == BODY_LENGTH && output->declared != size) {
        output->begun = 0;
        raffia_http1_bad_response(response, mark,
                                  "the response's content-length is %" PRId64
                                  ", but its body has %" PRId64 " bytes",
                                  output->declared, size);
    }
    output->body = output->framing == BODY_NONE ? 0 : size;
    send_body(response, strings, size);
    output->begun = 0;
    return 1;
}

/* A body of another class may have to be closed. */
static int is_plain_array(VALUE body)
{
    return RB_TYPE_P(body, T_ARRAY) && RBASIC_CLASS(body) == rb_cArray;
}

/*
 * @overload answer(response)
 *   Sends a whole response, if its body is an Array: the path of nearly all responses.
 *   @param response [Object] that the app returned
 *   @return [Boolean] false: it is of another kind, and nothing has been written
 *   @raise [Server::BadResponse] nothing has been written
 *   @raise [Server::Disconnected]
 */
static VALUE http1_answer(VALUE self, VALUE response)
{
    if (!RB_TYPE_P(response, T_ARRAY) || RARRAY_LEN(response) != 3) return Qfalse;
    VALUE status = RARRAY_AREF(response, 0), headers = RARRAY_AREF(response, 1),
          body = RARRAY_AREF(response, 2);
    if (!RB_FIXNUM_P(status) || !RB_TYPE_P(headers, T_HASH) || !is_plain_array(body)) return Qfalse;
    long number = FIX2LONG(status);
    if (number < 200 || number > 999) return Qfalse;
    VALUE answered =
        respond_whole(raffia_http1_response_of(self), (int)number, headers, body) ? Qtrue : Qfalse;
    RB_GC_GUARD(response);
    return answered;
}

/*
 * @overload respond(status, headers, strings)
 *   Sends a whole response of checked parts.
 *   @return [Boolean] false: it is to be hijacked
 */
static VALUE http1_respond(VALUE self, VALUE status, VALUE headers, VALUE strings)
{
    Check_Type(strings, T_ARRAY);
    return respond_whole(raffia_http1_response_of(self), NUM2INT(status), headers, strings)
               ? Qtrue
               : Qfalse;
}

/* Responses in pieces */

/*
 * @overload begin(status, headers, length = nil)
 *   Writes the head, which is sent with the first piece of the body.
 *   @param length [Integer, nil] bytes of the body; nil: as the headers say, or unknown
 *   @return [Boolean] whether a body may follow
 */
static VALUE http1_begin(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 2, 3);
    struct http1_response *response = raffia_http1_response_of(self);
    int64_t length = argc == 3 && !NIL_P(argv[2]) ? NUM2LL(argv[2]) : -1;
    struct head head = {.response = response,
                        .status = NUM2INT(argv[0]),
                        .headers = argv[1],
                        .length = length,
                        .upgrade = Qnil};
    if (!raffia_http1_append_head(&head)) rb_raise(rb_eArgError, "it is to be hijacked");
    return response->output.framing == BODY_NONE ? Qfalse : Qtrue;
}

/*
 * @overload begin_raw(status, headers, protocol = nil)
 *   Sends the head before another protocol.
 *   @param protocol [String, nil] that is switched to
 */
static VALUE http1_begin_raw(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 2, 3);
    struct http1_response *response = raffia_http1_response_of(self);
    struct head head = {.response = response,
                        .status = NUM2INT(argv[0]),
                        .headers = argv[1],
                        .length = -1,
                        .raw = 1,
                        .upgrade = argc == 3 ? argv[2] : Qnil};
    raffia_http1_append_head(&head);
    raffia_http1_flush(response);
    return self;
}

static void check_room(struct http1_response *response, int64_t length)
{
    const struct http1_output *output = &response->output;
    if (!output->begun) rb_raise(rb_eIOError, "the response has ended");
    if (output->framing != BODY_LENGTH || output->body + length <= output->declared) return;
    rb_raise(rb_path2class("Raffia::Server::BadResponse"),
             "the response's body is longer than its content-length of %" PRId64, output->declared);
}

static void write_pieces(struct http1_response *response, VALUE string)
{
    size_t length = (size_t)RSTRING_LEN(string);
    int chunked = response->output.framing == BODY_CHUNKED;
    if (chunked) {
        char size[24];
        raffia_http1_append(&response->output, size,
                            (size_t)snprintf(size, sizeof(size), "%zx\r\n", length));
    }
    response->output.body += (int64_t)length;
    if (length < BIG) {
        raffia_http1_append(&response->output, RSTRING_PTR(string), length);
        if (chunked) raffia_http1_append(&response->output, "\r\n", 2);
        raffia_http1_flush(response);
    } else {
        raffia_http1_send(response,
                          chunked ? rb_ary_new_from_args(2, string, rb_str_new_static("\r\n", 2))
                                  : rb_ary_new_from_args(1, string));
    }
}

/*
 * @overload write(string)
 *   Sends a piece of the body.
 *   @return [Integer] its bytes
 *   @raise [IOError] when no response has begun, or it has ended
 *   @raise [Server::BadResponse] beyond the content-length
 *   @raise [Server::Disconnected]
 */
static VALUE http1_write(VALUE self, VALUE string)
{
    struct http1_response *response = raffia_http1_response_of(self);
    StringValue(string);
    long length = RSTRING_LEN(string);
    if (length == 0 || response->output.framing == BODY_NONE) return LONG2NUM(length);
    check_room(response, length);
    write_pieces(response, string);
    RB_GC_GUARD(string);
    return LONG2NUM(length);
}

/*
 * @overload send_file(io, from, length)
 *   Sends a piece of the body from a file.
 */
static VALUE http1_send_file(VALUE self, VALUE io, VALUE from, VALUE length)
{
    struct http1_response *response = raffia_http1_response_of(self);
    if (response->output.framing == BODY_NONE) return Qnil;
    check_room(response, NUM2LL(length));
    raffia_http1_send_file(response, io, NUM2LL(from), NUM2LL(length));
    return Qnil;
}

/*
 * @overload finish(trailers = nil)
 *   Ends the body.
 *   @raise [Server::BadResponse] when it is shorter than its content-length
 */
static VALUE http1_finish(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 0, 1);
    struct http1_response *response = raffia_http1_response_of(self);
    struct http1_output *output = &response->output;
    if (!output->begun) return Qnil;
    if (output->framing == BODY_LENGTH && output->body < output->declared)
        rb_raise(rb_path2class("Raffia::Server::BadResponse"),
                 "the response's body has %" PRId64
                 " bytes, which is short of its content-length of %" PRId64,
                 output->body, output->declared);
    if (output->framing == BODY_CHUNKED) {
        VALUE trailers = argc == 1 ? argv[0] : Qnil;
        if (NIL_P(trailers)) trailers = response->request.response_trailers;
        raffia_http1_append(output, "0\r\n", 3);
        if (!NIL_P(trailers)) raffia_http1_append_trailers(response, trailers);
        raffia_http1_append(output, "\r\n", 2);
    }
    send_or_collect(response);
    output->begun = 0; /* last: an error above must not be answered with another response */
    return Qnil;
}

/*
 * @overload send_interim(status, headers)
 *   Sends an interim response, such as 103; nothing to a client of HTTP/1.0.
 */
static VALUE http1_send_interim(VALUE self, VALUE status, VALUE headers)
{
    struct http1_response *response = raffia_http1_response_of(self);
    if (response->request.http10) return Qnil;
    struct head head = {.response = response,
                        .status = NUM2INT(status),
                        .headers = headers,
                        .interim = 1,
                        .upgrade = Qnil};
    raffia_http1_append_head(&head);
    raffia_http1_flush(response);
    return Qnil;
}

/* @overload flush */
static VALUE http1_flush(VALUE self)
{
    raffia_http1_flush(raffia_http1_response_of(self));
    return self;
}

/* @overload write_timeout=(seconds) */
static VALUE http1_set_write_timeout(VALUE self, VALUE seconds)
{
    output_of(self)->timeout = NIL_P(seconds) ? -1 : raffia_nanoseconds(seconds);
    return seconds;
}

/* @overload write_buffer_limit=(bytes)
 *   Bytes of a stream to keep for a later {flush} instead of waiting for the client; 0: none. A
 *   whole response is kept whatever its size.
 *   @param bytes [Integer] */
static VALUE http1_set_write_buffer_limit(VALUE self, VALUE bytes)
{
    output_of(self)->buffer_limit = NUM2SIZET(bytes);
    return bytes;
}

/* @overload closing=(whether)
 *   Whether responses tell the client that this connection takes no further request. */
static VALUE http1_set_closing(VALUE self, VALUE closing)
{
    output_of(self)->closing = RTEST(closing);
    return closing;
}

/* @overload reset_response
 *   Discards the response that has begun, if nothing of it has been sent.
 *   @return [Boolean] whether it was discarded */
static VALUE http1_reset_response(VALUE self)
{
    struct http1_output *output = output_of(self);
    if (!output->begun || !output->whole) return Qfalse;
    output->length = output->mark;
    output->begun = output->truncated = output->status = 0;
    return Qtrue;
}

/* @overload disable_keep_alive
 *   The connection takes no further request. */
static VALUE http1_disable_keep_alive(VALUE self)
{
    raffia_http1_request_of(self)->keep_alive = 0;
    return Qnil;
}

/* @overload begun?
 *   @return [Boolean] whether a response has begun and not ended */
static VALUE http1_has_begun(VALUE self)
{
    return output_of(self)->begun ? Qtrue : Qfalse;
}

/* @overload status
 *   @return [Integer] of the last response; 0 before */
static VALUE http1_status(VALUE self)
{
    return INT2FIX(output_of(self)->status);
}

/* @overload body_sent
 *   @return [Integer] bytes of the last response's body */
static VALUE http1_body_sent(VALUE self)
{
    return LL2NUM(output_of(self)->body);
}

void raffia_init_http1_response(VALUE http1)
{
    raffia_init_http1_output();
    rb_define_method(http1, "answer", http1_answer, 1);
    rb_define_method(http1, "respond", http1_respond, 3);
    rb_define_method(http1, "begin", http1_begin, -1);
    rb_define_method(http1, "begin_raw", http1_begin_raw, -1);
    rb_define_method(http1, "write", http1_write, 1);
    rb_define_method(http1, "send_file", http1_send_file, 3);
    rb_define_method(http1, "finish", http1_finish, -1);
    rb_define_method(http1, "send_interim", http1_send_interim, 2);
    rb_define_method(http1, "flush", http1_flush, 0);
    rb_define_method(http1, "write_timeout=", http1_set_write_timeout, 1);
    rb_define_method(http1, "write_buffer_limit=", http1_set_write_buffer_limit, 1);
    rb_define_method(http1, "closing=", http1_set_closing, 1);
    rb_define_method(http1, "reset_response", http1_reset_response, 0);
    rb_define_method(http1, "disable_keep_alive", http1_disable_keep_alive, 0);
    rb_define_method(http1, "begun?", http1_has_begun, 0);
    rb_define_method(http1, "status", http1_status, 0);
    rb_define_method(http1, "body_sent", http1_body_sent, 0);
}

#endif
