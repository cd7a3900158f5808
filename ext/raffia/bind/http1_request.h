/* The input of an HTTP/1 connection. */
#ifndef RAFFIA_BIND_HTTP1_REQUEST_H
#define RAFFIA_BIND_HTTP1_REQUEST_H

#include "http_transport.h"

#ifdef HAVE_LLHTTP

#include "http1_movable.h"
#include "http1_parser.h"
#include "http_env.h"

/* Bytes that were received and not consumed, `length` of them from `start` on. An idle connection
 * has none, and no memory for any. */
struct http1_input {
    struct raffia_parser parser;
    char *bytes;
    size_t start, length, capacity;
    size_t shared,
        shared_start; /* or, within one call, in memory that a thread's connections share */
    struct raffia_parser_head *head; /* of a head that has come in part, or NULL */
    VALUE trailers;                  /* Hash or Qnil */
    int64_t arrived;       /* lower bound of the time of the last head's first byte; nanoseconds */
    unsigned char drained; /* the last receive took all there was */
    unsigned char streak;  /* receives in a row without a wait */
    unsigned char broken;  /* nothing can be read any more */
};

struct http1_request {
    struct http_transport transport;
    VALUE template;          /* of each env */
    VALUE response_trailers; /* Hash for the application, when the client takes them, or Qnil */
    /* The current request: */
    unsigned char keep_alive, is_head, http10, expects_continue, has_body;
    unsigned char finds_http2; /* the connection may begin with the preface of HTTP/2 instead */
    struct http1_input input;
    struct http1_movable movable;
};

static inline struct http1_request *raffia_http1_request_of(VALUE self)
{
    return RTYPEDDATA_GET_DATA(self);
}

/* Whether more input has come already, pipelined. */
static inline int raffia_http1_has_input(const struct http1_request *request)
{
    return request->input.length > 0;
}

void raffia_http1_request_init(struct http1_request *request);
void raffia_http1_request_mark(const struct http1_request *request);
void raffia_http1_request_compact(struct http1_request *request);
void raffia_http1_request_free(struct http1_request *request);
size_t raffia_http1_request_memsize(const struct http1_request *request);
/* Sets the limits, from a Hash or Qnil (the defaults). */
void raffia_http1_request_limit(struct http1_request *request, VALUE limits);

/* http1_request.c */
/* The request side of a connection that is asked to read. */
struct http1_request *raffia_http1_reader(VALUE self);
/* Prepares for the next request; raises IOError when the body of the last one has not been read. */
void raffia_http1_next_request(struct http1_request *request);
/* The env of the next request; Qnil: more input is needed; Qfalse: HTTP/2 begins here. */
VALUE raffia_http1_parse(struct http1_request *request);
/* Whether a head has come in part. */
static inline int raffia_http1_head_has_begun(const struct http1_request *request)
{
    return request->input.parser.fed > 0;
}
/* Notes when the first byte of a head came. */
void raffia_http1_note_arrival(struct http1_request *request);
/* From Numeric seconds, or nil: RAFFIA_FOREVER. */
int64_t raffia_http1_deadline(VALUE seconds);
/* Raises Refused; nothing can be read any more. */
NORETURN(void raffia_http1_refuse(struct http1_request *request, int status, const char *reason));
/* `result`, unless it is the parser's refusal. */
int64_t raffia_http1_check(struct http1_request *request, int64_t result);
void raffia_init_http1_request(VALUE http1);

/* http1_body.c */
static inline int raffia_http1_body_is_over(const struct http1_request *request)
{
    return request->input.parser.phase == RAFFIA_AT_END ||
           request->input.parser.phase == RAFFIA_IN_HEAD;
}
/* Decodes what there is of the body, `max` bytes at most, into a String if `piece` is given.
 * Returns the number of bytes, or a refusal. */
int64_t raffia_http1_decode(struct http1_request *request, size_t max, VALUE *piece);
/* Adds what has arrived of the body and needs no wait, and reads on to the body's end if that is
 * here. Returns the String. */
VALUE raffia_http1_complete_piece(struct http1_request *request, VALUE piece, size_t max);
void raffia_init_http1_body(VALUE http1);

/* http1_input.c */
/* Receives more, after a wait when there is nothing yet. Returns the number of bytes; 0 at the end
 * of the input, also where the connection broke; -ETIME when `deadline` (raffia_coarse_now) comes
 * first. Raises what interrupts the wait. */
int64_t raffia_http1_receive_input(struct http1_request *request, int64_t deadline);
/* The same before the first byte of a request; 0 also when the connection was moved. */
int64_t raffia_http1_receive_first(struct http1_request *request, int64_t deadline);
/* Receives into the caller's memory without a wait, where more has probably arrived. Returns the
 * number of bytes. */
size_t raffia_http1_receive_into(struct http1_request *request, char *start, size_t size);
/* Keeps bytes that were received there and not consumed; the input is empty besides. */
void raffia_http1_keep_bytes(struct http1_request *request, const char *bytes, size_t size);
/* The input, which stays there until the next call of one of these functions. */
const char *raffia_http1_input_bytes(const struct http1_request *request, size_t *size);
void raffia_http1_consume(struct http1_request *request, size_t count);
/* Copies shared bytes to memory of the connection's own. To be called before another fiber can
 * run. */
void raffia_http1_unshare(struct http1_request *request);
/* Likewise for the head, of which a thread reads one at a time: it is kept when it has come in
 * part. */
struct raffia_parser_head *raffia_http1_head(struct http1_request *request);
void raffia_http1_unshare_head(struct http1_request *request);
void raffia_http1_free_head(struct http1_request *request);

/* http1_env.c */
VALUE raffia_http1_env(struct http1_request *request, const struct raffia_parser_head *head,
                       const char *bytes);
VALUE raffia_http1_trailers(const struct raffia_parser_head *trailers, const char *bytes);
/* A template of envs, from any Hash. */
VALUE raffia_http1_template(VALUE entries);
void raffia_init_http1_env(VALUE http1);

#endif

#endif
