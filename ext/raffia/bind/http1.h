/* Raffia::Native::HTTP1, the wire: one per connection, bytes of HTTP/1.1 on one side, a Rack env
 * and its response on the other. http1_connection.c is the object; the input side is
 * http1_request.c, http1_body.c and http1_env.c, the output side http1_response.c and
 * http1_response_head.c. Each side has its part of the struct. */
#ifndef RAFFIA_BIND_HTTP1_H
#define RAFFIA_BIND_HTTP1_H

#include <ruby.h>

#ifdef HAVE_LLHTTP

#include "http1_output.h"
#include "http1_parser.h"
#include "park.h"
#include "readiness.h"
#include "scheduler.h"

/* Bytes that came and were not consumed, `length` of them from `start` on. An idle connection has
 * none, and no memory for any. */
struct http1_input {
    struct raffia_parser parser;
    char *bytes;
    size_t start, length, capacity;
    size_t shared,
        shared_start; /* or, within one call, in memory that all wires of the thread share */
    struct raffia_parser_head *head; /* of a head that has come in part, or NULL */
    VALUE trailers;                  /* Hash or Qnil */
    int64_t arrived;        /* not before that the first byte of the last head came; nanoseconds */
    int64_t occurred_after; /* not before that what was waited for last; 0: nothing was */
    unsigned char drained;  /* the last receive took all there was */
    unsigned char streak;   /* how often in a row there was, so that nobody else had a turn */
    unsigned char broken;   /* nothing can be read any more */
};

struct http1 {
    VALUE self, socket;
    VALUE template;          /* of each env */
    int native;              /* a BasicSocket: recv(2) and send(2) on its descriptor do */
    int tls;                 /* an SSLSocket, whose own buffer is not needed and is left out */
    uint64_t received, sent; /* bytes, on this connection */
    /* Of the request at hand. */
    unsigned char keep_alive, head, http10, expects_continue, has_body;
    struct http1_input input;
    struct http1_output output;
};

/* Raises a TypeError for any other object. */
struct http1 *raffia_http1_of(VALUE self);
/* Raises IOError when the socket is closed. Not to be kept: another file may get the number. */
int raffia_http1_descriptor(const struct http1 *wire);
/* Waits in the fiber, with whatever scheduler there is, or in the thread. `events`: RAFFIA_READABLE
 * ... `limit`: nanoseconds, or RAFFIA_NO_LIMIT. Whether they came before it was over. Raises what
 * interrupts it. */
int raffia_http1_wait(struct http1 *wire, uint32_t events, int64_t limit);
/* The scheduler whose waits are ours, or NULL. */
struct scheduler *raffia_http1_scheduler(void);
/* Whether more input has come already, pipelined. */
int raffia_http1_pending(const struct http1 *wire);

/* http1_request.c */
void raffia_http1_input_init(struct http1_input *input);
/* From a Hash, or Qnil: the defaults. */
void raffia_http1_input_limit(struct http1_input *input, VALUE limits);
void raffia_http1_input_mark(const struct http1_input *input);
void raffia_http1_input_compact(struct http1_input *input);
void raffia_http1_input_free(struct http1_input *input);
size_t raffia_http1_input_memsize(const struct http1_input *input);
/* The wire, when it is asked to read something. */
struct http1 *raffia_http1_reader(VALUE self);
/* From Numeric seconds, or nil: RAFFIA_FOREVER. */
int64_t raffia_http1_deadline_in(VALUE seconds);
/* Raises Refused; nothing can be read any more. */
NORETURN(void raffia_http1_refuse(struct http1 *wire, int status, const char *reason));
/* `result`, unless it is the parser's refusal. */
int64_t raffia_http1_check(struct http1 *wire, int64_t result);
void raffia_init_http1_request(VALUE http1);
/* http1_body.c */
void raffia_init_http1_body(VALUE http1);
/* http1_input.c: receives more, after a wait when there is nothing yet. How many bytes came; 0 at
 * the end, which is where a connection broke, too; -ETIME when it is `deadline` (raffia_coarse_now)
 * before. Raises what interrupts it. */
int64_t raffia_http1_take_in(struct http1 *wire, int64_t deadline);
/* Receives without a wait, into memory of the caller's, where more is probably here. How many
 * bytes. */
size_t raffia_http1_take_directly(struct http1 *wire, char *start, size_t room);
/* What was received there, and is not wanted yet. Nothing is held besides. */
void raffia_http1_hold(struct http1 *wire, const char *bytes, size_t size);
/* What there is to be read. It stays there until the next call of one of these. */
const char *raffia_http1_bytes(const struct http1 *wire, size_t *size);
/* `count` of them have been dealt with. */
void raffia_http1_consume(struct http1 *wire, size_t count);
/* What is in shared memory gets memory of the wire's own. To be called before another fiber can
 * run. */
void raffia_http1_keep(struct http1 *wire);
/* Likewise for the head, of which one is being read at a time; it is kept when it has come in
 * part. */
struct raffia_parser_head *raffia_http1_head(struct http1 *wire);
void raffia_http1_keep_head(struct http1 *wire);
void raffia_http1_drop_head(struct http1 *wire);
void raffia_init_http1_intake(void);
/* http1_env.c */
VALUE raffia_http1_env(struct http1 *wire, const struct raffia_parser_head *head,
                       const char *bytes);
VALUE raffia_http1_trailers(const struct raffia_parser_head *trailers, const char *bytes);
void raffia_init_http1_env(void);
/* http1_env_keys.c: the key in an env of a header field, other than Content-Type and
 * Content-Length. */
VALUE raffia_http1_key(const char *name, size_t size);
/* A frozen String that is never collected. */
VALUE raffia_http1_constant(const char *text);
void raffia_init_http1_names(void);
/* http1_env_template.c: a template with what requests for that host have in common; frozen. */
VALUE raffia_http1_template_of(VALUE template, const struct raffia_parser_head *head,
                               const char *bytes, struct raffia_slice field);
void raffia_http1_set_server(VALUE env, const struct raffia_parser_head *head, const char *bytes);
/* Of any Hash: itself if it is one already. */
VALUE raffia_http1_template(VALUE entries);
void raffia_init_http1_host(VALUE http1);

#endif

#endif
