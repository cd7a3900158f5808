/* Raffia::Native::Http1, the wire: one per connection, bytes of HTTP/1.1 on one side, a Rack env and its response on the other. http1_wire.c
 * is the object; the input side is http1_request.c and http1_env.c, the output side http1_response.c and http1_head.c. Each side has its
 * part of the struct. */
#ifndef RAFFIA_BIND_HTTP1_H
#define RAFFIA_BIND_HTTP1_H

#include <ruby.h>

#ifdef HAVE_LLHTTP

#include "http1_output.h"
#include "http1_parser.h"
#include "scheduler.h"

/* Bytes that came and were not consumed, from `start` on. An idle connection has none, and no memory for any. */
struct http1_input {
    struct raffia_parser parser;
    char *bytes;
    size_t start, length, capacity;
    struct raffia_parser_head *head; /* of a head that has come in part, or NULL */
    VALUE host, server_name, server_port; /* HTTP_HOST of the last request, and what came of it */
    VALUE trailers;                       /* Hash or Qnil */
    int64_t arrived;                      /* when the first byte of the last head was noticed; coarse nanoseconds */
    unsigned char misses;                 /* how often in a row there was nothing to read yet */
    unsigned char ended;                  /* the peer sends no more */
};

struct http1 {
    VALUE self, socket;
    VALUE template; /* of each env */
    int native; /* a BasicSocket: recv(2) and send(2) on its descriptor do */
    uint64_t received, sent; /* bytes, on this connection */
    /* Of the request at hand. */
    unsigned char keep_alive, head, http10, expects_continue;
    struct http1_input input;
    struct http1_output output;
};

/* Raises a TypeError for any other object. */
struct http1 *raffia_http1_of(VALUE self);
/* Raises IOError when the socket is closed. Not to be kept: another file may get the number. */
int raffia_http1_descriptor(const struct http1 *wire);
/* Waits in the fiber, with whatever scheduler there is, or in the thread. `events`: RAFFIA_READABLE ... `limit`: nanoseconds, or
 * RAFFIA_NO_LIMIT. Whether they came before it was over. Raises what interrupts it. */
int raffia_http1_wait(struct http1 *wire, uint32_t events, int64_t limit);
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
void raffia_init_http1_request(VALUE http1);

#endif

#endif
