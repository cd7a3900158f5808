/* Heads of responses, validated and appended in one pass. A rejected one is discarded, so nothing
 * of it is ever sent. */
#include "http1_response.h"

#ifdef HAVE_LLHTTP

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "http_fields.h"

void raffia_http1_bad_response(struct http1_response *response, size_t mark, const char *format,
                               ...)
{
    va_list arguments;
    if (response->output.start <= mark && mark <= response->output.length)
        response->output.length = mark;
    response->output.writing = NULL;
    if (!response->output.begun) response->output.status = 0;
    va_start(arguments, format);
    VALUE message = rb_vsprintf(format, arguments);
    va_end(arguments);
    rb_exc_raise(rb_exc_new_str(rb_path2class("Raffia::Server::BadResponse"), message));
}

static void append_status(struct http1_output *output, int status)
{
    const char *reason = raffia_http1_reason(status);
    char line[] = "HTTP/1.1 000 ";
    line[9] = (char)('0' + status / 100);
    line[10] = (char)('0' + status / 10 % 10);
    line[11] = (char)('0' + status % 10);
    raffia_http1_append(output, line, 13);
    raffia_http1_append(output, reason, strlen(reason));
    raffia_http1_append(output, "\r\n", 2);
}

static void append_date(struct http1_output *output)
{
    size_t size;
    const char *date = raffia_http_date(&size);
    raffia_http1_append(output, "date: ", 6);
    raffia_http1_append(output, date, size);
    raffia_http1_append(output, "\r\n", 2);
}

static void append_length(struct http1_output *output, int64_t length)
{
    char space[24];
    size_t size;
    const char *digits = raffia_http_digits(space, length, &size);
    raffia_http1_append(output, "content-length: ", 16);
    raffia_http1_append(output, digits, size);
    raffia_http1_append(output, "\r\n", 2);
}

/* Headers */

static int is(const char *name, size_t length, const char *other)
{
    return strlen(other) == length && memcmp(name, other, length) == 0;
}

static int64_t parse_length(struct head *head, const char *value, size_t size)
{
    int64_t length = 0;
    if (size == 0 || size > 18) goto refused;
    for (size_t i = 0; i < size; i++) {
        if (value[i] < '0' || value[i] > '9') goto refused;
        length = length * 10 + (value[i] - '0');
    }
    if (head->declared >= 0 && head->declared != length) goto refused;
    return length;
refused:
    raffia_http1_bad_response(head->response, head->mark,
                              "the response's content-length is %.*s, which is no length",
                              (int)(size > 64 ? 64 : size), value);
}

/* Whether a list of options, such as `connection`, has this one. */
static int lists(const char *value, size_t size, const char *option)
{
    size_t length = strlen(option);
    for (size_t i = 0; i + length <= size; i++)
        if (strncasecmp(value + i, option, length) == 0) return 1;
    return 0;
}

/* Returns whether the server writes this field itself, and the app's is not passed on. */
static int is_ours(struct head *head, const char *name, size_t length, const char *value,
                   size_t size)
{
    /* Interim responses and trailers have no framing fields. */
    if (head->interim)
        return is(name, length, "content-length") || is(name, length, "transfer-encoding");
    switch (length) {
    case 4:
        if (is(name, length, "date")) head->has_date = 1;
        return 0;
    case 10:
        if (is(name, length, "connection")) {
            if (lists(value, size, "close")) head->closes = 1;
            if (!head->raw || !NIL_P(head->upgrade)) return 1;
            head->connects = 1;
            return 0;
        }
        return is(name, length, "keep-alive");
    case 7: return !NIL_P(head->upgrade) && is(name, length, "upgrade");
    case 14:
        if (!is(name, length, "content-length")) return 0;
        head->declared = parse_length(head, value, size);
        return 1;
    case 17:
        if (!is(name, length, "transfer-encoding")) return 0;
        head->encodes = 1;
        return head->response->request.http10 || head->status == 204 || head->status < 200;
    default: return 0;
    }
}

static void append_line(struct head *head, VALUE key, const char *value, size_t size)
{
    struct http1_output *output = &head->response->output;
    size_t length = (size_t)RSTRING_LEN(key);
    char name[256];
    const char *given = RSTRING_PTR(key);
    for (size_t i = 0; i < length; i++)
        name[i] = (char)raffia_http_token[(unsigned char)given[i]];
    if (is_ours(head, name, length, value, size)) return;
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)value[i];
        if ((byte < ' ' && byte != '\t') || byte == 0x7f)
            raffia_http1_bad_response(
                head->response, head->mark,
                "the value of the response's header %.*s has a control character in it",
                (int)length, name);
    }
    raffia_http1_append(output, name, length);
    raffia_http1_append(output, ": ", 2);
    raffia_http1_append(output, value, size);
    raffia_http1_append(output, "\r\n", 2);
}

/* Rack 2 joins several values with newlines. */
static void append_lines(struct head *head, VALUE key, VALUE value)
{
    const char *start = RSTRING_PTR(value), *end = start + RSTRING_LEN(value), *newline;
    while ((newline = memchr(start, '\n', (size_t)(end - start)))) {
        append_line(head, key, start, (size_t)(newline - start));
        start = newline + 1;
    }
    append_line(head, key, start, (size_t)(end - start));
    RB_GC_GUARD(value);
}

/* Called after code of the app, which may have written something itself, or another fiber has: then
 * the partial head is gone. */
static void check_turn(const struct head *head)
{
    int are_trailers = head->status == 0;
    if (!are_trailers && head->response->output.writing != head)
        rb_raise(rb_path2class("Raffia::Server::BadResponse"),
                 "something else was sent while the response's headers were read");
}

static void append_value(struct head *head, VALUE key, VALUE value)
{
    if (!RB_TYPE_P(value, T_STRING)) {
        value = rb_obj_as_string(value);
        check_turn(head);
    }
    append_lines(head, key, value);
}

static void check_name(struct head *head, VALUE key)
{
    size_t length = (size_t)RSTRING_LEN(key);
    const unsigned char *name = (const unsigned char *)RSTRING_PTR(key);
    int good = length > 0 && length <= 256;
    for (size_t i = 0; good && i < length; i++)
        good = raffia_http_token[name[i]] != 0;
    if (!good)
        raffia_http1_bad_response(head->response, head->mark,
                                  "%+" PRIsVALUE " is no name for a header of the response", key);
}

static int append_header(VALUE key, VALUE value, VALUE pointer)
{
    struct head *head = (struct head *)pointer;
    if (!RB_TYPE_P(key, T_STRING)) {
        if (!RB_SYMBOL_P(key))
            raffia_http1_bad_response(head->response, head->mark,
                                      "%+" PRIsVALUE " is no name for a header of the response",
                                      key);
        key = rb_sym2str(key);
    }
    key = rb_str_new_frozen(key); /* code of the app may run before it is appended */
    check_name(head, key);
    /* These are for the server, not for the client. */
    if (RSTRING_LEN(key) > 5 && memcmp(RSTRING_PTR(key), "rack.", 5) == 0) {
        if (is(RSTRING_PTR(key), (size_t)RSTRING_LEN(key), "rack.hijack") ||
            is(RSTRING_PTR(key), (size_t)RSTRING_LEN(key), "rack.protocol"))
            head->hijacks = 1;
        return ST_CONTINUE;
    }
    if (RB_TYPE_P(value, T_STRING)) {
        append_lines(head, key, value);
    } else if (RB_TYPE_P(value, T_ARRAY)) {
        for (long i = 0; i < RARRAY_LEN(value); i++)
            append_value(head, key, RARRAY_AREF(value, i));
    } else if (!NIL_P(value)) {
        append_value(head, key, value);
    }
    return ST_CONTINUE;
}

static VALUE append_pair(RB_BLOCK_CALL_FUNC_ARGLIST(first, pointer))
{
    (void)first, (void)blockarg;
    check_turn((struct head *)pointer);
    if (argc == 1 && RB_TYPE_P(argv[0], T_ARRAY) && RARRAY_LEN(argv[0]) == 2)
        append_header(RARRAY_AREF(argv[0], 0), RARRAY_AREF(argv[0], 1), pointer);
    else if (argc == 2)
        append_header(argv[0], argv[1], pointer);
    return Qnil;
}

static void append_headers(struct head *head)
{
    if (RB_TYPE_P(head->headers, T_HASH))
        rb_hash_foreach(head->headers, append_header, (VALUE)head);
    else if (rb_respond_to(head->headers, rb_intern("each")))
        rb_block_call(head->headers, rb_intern("each"), 0, NULL, append_pair, (VALUE)head);
    else
        raffia_http1_bad_response(head->response, head->mark,
                                  "the response's headers are a %" PRIsVALUE ", not a Hash",
                                  rb_obj_class(head->headers));
}

/* Fields that the server adds. */

static int has_body(const struct http1_response *response, int status)
{
    return !response->request.is_head && status >= 200 && status != 204 && status != 304;
}

/* An app may encode the body itself, but then the connection closes: the next response must not
 * depend on it. */
static void frame(struct head *head)
{
    struct http1_response *response = head->response;
    struct http1_output *output = &response->output;
    int body = has_body(response, head->status);
    int64_t length = head->length;
    /* Only the app knows the length of a body that is not sent. */
    if (length == 0 && !body && (response->request.is_head || head->status == 304)) length = -1;
    if (head->declared >= 0) length = head->declared;
    output->declared = -1;
    output->framing = BODY_NONE;
    if (head->encodes) {
        head->closes = 1;
        if (body) output->framing = BODY_UNTIL_CLOSE;
    } else if (length >= 0 && head->status >= 200 && head->status != 204) {
        append_length(output, length);
        output->declared = length;
        if (body) output->framing = BODY_LENGTH;
    } else if (body && response->request.http10) {
        head->closes = 1;
        output->framing = BODY_UNTIL_CLOSE;
    } else if (body) {
        raffia_http1_append(output, "transfer-encoding: chunked\r\n", 28);
        output->framing = BODY_CHUNKED;
    }
}

static void append_connection(struct head *head)
{
    struct http1_response *response = head->response;
    if (head->closes || response->output.closing) response->request.keep_alive = 0;
    if (!response->request.keep_alive)
        raffia_http1_append(&response->output, "connection: close\r\n", 19);
    else if (response->request.http10)
        raffia_http1_append(&response->output, "connection: keep-alive\r\n", 24);
}

static void append_upgrade(struct head *head)
{
    struct http1_output *output = &head->response->output;
    raffia_http1_append(output, "connection: upgrade\r\nupgrade: ", 30);
    raffia_http1_append(output, RSTRING_PTR(head->upgrade), (size_t)RSTRING_LEN(head->upgrade));
    raffia_http1_append(output, "\r\n", 2);
}

static void check_protocol(struct head *head)
{
    if (NIL_P(head->upgrade)) return;
    const unsigned char *name = (const unsigned char *)StringValuePtr(head->upgrade);
    for (long i = 0; i < RSTRING_LEN(head->upgrade); i++)
        if (!raffia_http_token[name[i]] && name[i] != '/')
            raffia_http1_bad_response(head->response, head->mark,
                                      "%+" PRIsVALUE " is no name of a protocol", head->upgrade);
}

static void check_status(struct head *head)
{
    if (head->interim) return;
    if (head->status >= 200 ? head->status <= 999 : head->status == 101 && head->raw) return;
    raffia_http1_bad_response(head->response, head->mark, "%d is no status of a response",
                              head->status);
}

int raffia_http1_append_head(struct head *head)
{
    struct http1_output *output = &head->response->output;
    raffia_http1_discard_partial_head(output);
    head->mark = output->mark = output->length;
    output->whole = 0;
    output->writing = head;
    head->declared = -1;
    check_status(head);
    check_protocol(head);
    append_status(output, head->status);
    append_headers(head);
    if (head->hijacks && !head->raw) {
        output->length = head->mark;
        output->writing = NULL;
        return 0;
    }
    if (!head->interim) {
        if (!head->has_date) append_date(output);
        if (head->raw) {
            head->response->request.keep_alive = 0;
            output->framing = BODY_RAW;
            if (!NIL_P(head->upgrade))
                append_upgrade(head);
            else if (!head->connects)
                raffia_http1_append(output, "connection: close\r\n", 19);
        } else {
            frame(head);
            append_connection(head);
        }
        output->status = head->status;
        output->body = 0;
        output->begun = output->whole = 1;
    }
    raffia_http1_append(output, "\r\n", 2);
    output->writing = NULL;
    return 1;
}

void raffia_http1_append_trailers(struct http1_response *response, VALUE trailers)
{
    struct head head = {.response = response,
                        .headers = trailers,
                        .interim = 1,
                        .mark = response->output.length,
                        .upgrade = Qnil};
    append_headers(&head);
}

#endif
