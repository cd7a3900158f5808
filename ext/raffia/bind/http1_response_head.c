/* Heads of responses, validated and appended in one pass. A rejected one is discarded, so nothing
 * of it is ever sent. */
#include "http1_response.h"

#ifdef HAVE_LLHTTP

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "http_fields.h"

static void discard(struct http1_response *response, size_t mark)
{
    if (response->output.start <= mark && mark <= response->output.length)
        response->output.length = mark;
    response->output.writing = NULL;
    if (!response->output.begun) response->output.status = 0;
}

void raffia_http1_bad_response(struct http1_response *response, size_t mark, const char *format,
                               ...)
{
    va_list arguments;
    discard(response, mark);
    va_start(arguments, format);
    raffia_http_bad_response(format, arguments);
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

static void discard_head(struct http_headers *headers)
{
    struct head *head = (struct head *)headers;
    discard(head->response, head->mark);
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
static int is_ours(struct http_headers *headers, const char *name, size_t length, const char *value,
                   size_t size)
{
    struct head *head = (struct head *)headers;
    /* Interim responses and trailers have no framing fields. */
    if (head->interim)
        return raffia_http_is(name, length, "content-length") ||
               raffia_http_is(name, length, "transfer-encoding");
    switch (length) {
    case 4:
        if (raffia_http_is(name, length, "date")) head->has_date = 1;
        return 0;
    case 10:
        if (raffia_http_is(name, length, "connection")) {
            if (lists(value, size, "close")) head->closes = 1;
            if (!head->raw || !NIL_P(head->upgrade)) return 1;
            head->connects = 1;
            return 0;
        }
        return raffia_http_is(name, length, "keep-alive");
    case 7: return !NIL_P(head->upgrade) && raffia_http_is(name, length, "upgrade");
    case 14:
        if (!raffia_http_is(name, length, "content-length")) return 0;
        head->declared = raffia_http_parse_length(headers, value, size, head->declared);
        return 1;
    case 17:
        if (!raffia_http_is(name, length, "transfer-encoding")) return 0;
        head->encodes = 1;
        return head->response->request.http10 || head->status == 204 || head->status < 200;
    default: return 0;
    }
}

static void append_line(struct http_headers *headers, const char *name, size_t length,
                        const char *value, size_t size)
{
    struct http1_output *output = &((struct head *)headers)->response->output;
    raffia_http1_append(output, name, length);
    raffia_http1_append(output, ": ", 2);
    raffia_http1_append(output, value, size);
    raffia_http1_append(output, "\r\n", 2);
}

/* The app, or another fiber, may have written something: then the partial head is gone. */
static void check_turn(struct http_headers *headers)
{
    const struct head *head = (struct head *)headers;
    int are_trailers = head->status == 0;
    if (!are_trailers && head->response->output.writing != head)
        rb_raise(rb_path2class("Raffia::Server::BadResponse"),
                 "something else was sent while the response's headers were read");
}

static const struct http_headers_kind kind = {
    .skips = is_ours, .add = append_line, .discard = discard_head, .check = check_turn};

static void append_headers(struct head *head)
{
    head->base = (struct http_headers){.kind = &kind};
    raffia_http_add_headers(&head->base, head->headers);
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
    if (head->base.hijacks && !head->raw) {
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
