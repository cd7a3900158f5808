/* The output of an HTTP/1 connection: the bytes to send, and the current response's framing. */
#ifndef RAFFIA_BIND_HTTP1_RESPONSE_H
#define RAFFIA_BIND_HTTP1_RESPONSE_H

#include "http1_request.h"
#include "http_headers.h"

#ifdef HAVE_LLHTTP

struct head;

/* How the end of a response's body is marked. BODY_RAW: another protocol follows the head. */
enum framing { BODY_NONE, BODY_LENGTH, BODY_CHUNKED, BODY_UNTIL_CLOSE, BODY_RAW };

struct http1_output {
    char *bytes; /* `length` of them from `start` on are to be sent */
    size_t start, length, capacity;
    int64_t declared;    /* the content-length of the current response, or -1 */
    int64_t body;        /* bytes of its body so far, without framing */
    int64_t timeout;     /* nanoseconds in which some bytes must be sent; negative: no limit */
    size_t buffer_limit; /* bytes kept for a later flush instead of waiting; 0: none */
    int status;          /* of the last response, 0 before */
    size_t mark; /* where the current response begins in `bytes`; see `writing` and `whole` */
    const struct head *writing; /* its head is being written, and is discarded if that raises */
    unsigned char whole;        /* nothing of it has been sent */
    unsigned char truncated;    /* a part of the output is lost, so no more may be sent */
    unsigned char deferred;     /* complete responses wait to be sent together */
    unsigned char framing;
    unsigned char begun;   /* the head of the current response has been written */
    unsigned char closing; /* no further request is wanted: each response says so */
};

struct http1_response {
    struct http1_request request;
    struct http1_output output;
};

static inline struct http1_response *raffia_http1_response_of(VALUE self)
{
    return RTYPEDDATA_GET_DATA(self);
}

/* http1_output.c */
void raffia_http1_output_init(struct http1_output *output);
void raffia_http1_output_free(struct http1_output *output);
size_t raffia_http1_output_memsize(const struct http1_output *output);
/* Discards a head that was not finished because something was raised. */
static inline void raffia_http1_discard_partial_head(struct http1_output *output)
{
    if (output->writing) output->length = output->mark;
    output->writing = NULL;
}
/* Appends bytes of the server's own, such as an interim response. */
void raffia_http1_append(struct http1_output *output, const char *bytes, size_t length);
/* Inserts them before the current response. Returns false when some of that has been sent. */
int raffia_http1_insert(struct http1_output *output, const char *bytes, size_t length);
/* Sends the output, and these Strings after it, or Qnil. Raises Raffia::Server::Disconnected when
 * that cannot be done, or not in time, and what interrupts the wait. */
void raffia_http1_send(struct http1_response *response, VALUE strings);
static inline void raffia_http1_flush(struct http1_response *response)
{
    raffia_http1_discard_partial_head(&response->output);
    if (response->output.start < response->output.length) raffia_http1_send(response, Qnil);
}
/* Flushes, and sends so many bytes of a file, an IO. The transport must be native. */
void raffia_http1_send_file(struct http1_response *response, VALUE file, int64_t from,
                            int64_t length);
/* Sends some of the first `length` bytes of the output, without a wait. Returns how many. Raises
 * IOError, and what TLS raises. */
ssize_t raffia_http1_try_to_send(struct http1_response *response, size_t length);
void raffia_init_http1_output(void);

/* http1_pipeline.c */
/* Keeps the output, to be sent with the next response, but before any fiber waits. Returns false
 * without a native scheduler. */
int raffia_http1_defer_output(struct http1_response *response);

/* http1_reason.c */
/* "OK"; empty for a status that is in no registry. */
const char *raffia_http1_reason(int status);

/* http1_response_head.c: a head is appended whole, or rejected with Raffia::Server::BadResponse. */
struct head {
    struct http_headers base;
    int status;
    VALUE headers;
    int64_t length; /* of the body when the server knows it, or -1 */
    int interim;    /* no final response: no date, nothing about the body or the connection */
    int raw;        /* another protocol follows */
    VALUE upgrade;  /* the protocol to switch to, or Qnil */
    /* Found in the headers: */
    int64_t declared;
    int has_date, closes, encodes, connects;
    struct http1_response *response;
    size_t mark; /* where it begins, to be discarded */
};
/* Returns false, with nothing written, when the headers have something for others (rack.hijack,
 * rack.protocol) and the head is not `raw`. */
int raffia_http1_append_head(struct head *head);
void raffia_http1_append_trailers(struct http1_response *response, VALUE trailers);
RBIMPL_ATTR_FORMAT(RBIMPL_PRINTF_FORMAT, 3, 4)
NORETURN(void raffia_http1_bad_response(struct http1_response *response, size_t mark,
                                        const char *format, ...));

void raffia_init_http1_response(VALUE http1);

#endif

#endif
