/* The output side of a wire: what has been said and not been sent yet, and how the response at hand
 * is framed. */
#ifndef RAFFIA_BIND_HTTP1_OUTPUT_H
#define RAFFIA_BIND_HTTP1_OUTPUT_H

#include <ruby.h>

struct http1;
struct head;

/* How the end of a response's body is told. RAW: it has none, what follows is another protocol. */
enum framing { BODY_NONE, BODY_LENGTH, BODY_CHUNKED, BODY_UNTIL_CLOSE, BODY_RAW };

struct http1_output {
    char *bytes; /* from `start` on, `length` of them are to be sent */
    size_t start, length, capacity;
    int64_t declared; /* the content-length of the response at hand, or -1 */
    int64_t body;     /* bytes of its body so far, without framing */
    int64_t timeout;  /* nanoseconds in which something must get through; negative: for ever */
    size_t
        ahead; /* bytes that are kept for a later flush where sending them would have to wait; 0: none */
    int status;  /* of the last response, 0 before */
    size_t mark; /* where it begins in `bytes`, while `saying` or `whole` */
    const struct head *
        saying; /* it is being said, from `mark` on; so if something is raised meanwhile, what is there of it is no head */
    unsigned char whole; /* nothing of it has been sent */
    unsigned char torn;  /* a part of what was said is lost, so there is nothing more to be said */
    unsigned char
        collected; /* an answer waits for those to the requests behind it, or for a fiber to wait */
    unsigned char framing;
    unsigned char begun;   /* the head of the response at hand has been said */
    unsigned char closing; /* no further request is wanted: say so in each response */
};

void raffia_http1_output_init(struct http1_output *output);
void raffia_http1_output_free(struct http1_output *output);
size_t raffia_http1_output_memsize(const struct http1_output *output);

/* Takes back what there is of a head whose saying something has been raised in. */
void raffia_http1_unsay(struct http1_output *output);
/* Adds bytes of the wire's own, such as an interim response. */
void raffia_http1_say(struct http1_output *output, const char *bytes, size_t length);
/* The same in front of the response at hand. Whether that could be done: not when some of it has
 * been sent. */
int raffia_http1_interject(struct http1_output *output, const char *bytes, size_t length);
/* Other fibers have a turn, those that wait for the network among them. */
void raffia_http1_give_way(void);
/* Sends what there is. Raises Raffia::Server::Disconnected when that cannot be done, or not in
 * time, and what interrupts the wait. */
void raffia_http1_flush(struct http1 *wire);
/* The same, and these Strings after it. */
void raffia_http1_send(struct http1 *wire, VALUE strings);
/* The same, and so many bytes of a file, an IO. The wire must be native. */
void raffia_http1_send_file(struct http1 *wire, VALUE file, int64_t from, int64_t length);
/* Sends some of the first `length` bytes that there are, if that can be done without a wait. How
 * many. Raises IOError, and what TLS raises. */
ssize_t raffia_http1_try_to_send(struct http1 *wire, size_t length);
void raffia_init_http1_output(void);
/* http1_pipeline.c: keeps what there is, to be sent with what is said next; but before any fiber
 * waits. Whether that can be had. */
int raffia_http1_collect(struct http1 *wire);

/* "OK", or nothing for what is in no registry. */
const char *raffia_http1_reason(int status);

/* http1_response_head.c: a head is appended whole, or refused with Raffia::Server::BadResponse and
 * nothing is. */
struct head {
    int status;
    VALUE headers;
    int64_t
        length; /* of the body when the server knows it, or -1; in the end what the app said, if it did */
    int informs;   /* no final response: no date, nothing about the body or the connection */
    int raw;       /* what follows is not HTTP */
    VALUE upgrade; /* the protocol to be switched to, or Qnil */
    /* What is found in the headers */
    int64_t declared;
    int has_date, closes, encodes, hijacks, connects;
    struct http1 *wire;
    size_t mark; /* where it begins, to be taken back */
};
/* Whether it has been said: not when there is something in it for others (rack.hijack,
 * rack.protocol) and it is not `raw`. */
int raffia_http1_say_head(struct head *head);
void raffia_http1_say_trailers(struct http1 *wire, VALUE trailers);
RBIMPL_ATTR_FORMAT(RBIMPL_PRINTF_FORMAT, 3, 4)
NORETURN(void raffia_http1_bad_response(struct http1 *wire, size_t mark, const char *format, ...));

void raffia_init_http1_response(VALUE http1);

#endif
