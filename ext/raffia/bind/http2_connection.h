/* HTTP/2 on a server's connection: the session of the core, a socket, and an object for each
 * stream. */
#ifndef RAFFIA_BIND_HTTP2_CONNECTION_H
#define RAFFIA_BIND_HTTP2_CONNECTION_H

#include "http_transport.h"

#if defined(HAVE_LLHTTP) && defined(HAVE_NGHTTP2)

#include "http2_session.h"
#include "http_env.h"
#include "http_headers.h"

struct http2_stream;

/* Names and values of a response's head or trailers. */
struct http2_fields {
    char *bytes;
    struct http2_field {
        uint32_t name, name_size, value, value_size;
    } * list;
    uint32_t size, capacity, count, places;
};

struct http2_connection {
    struct http_transport transport;
    struct raffia_http2_session *session;
    VALUE stream_class, template;
    VALUE wakeups;           /* Queue: gets the connection when its loop has to send; Qnil: none */
    VALUE receiver_requests; /* Queue: gets true when another fiber has to receive; Qnil: never */
    VALUE unsent;            /* String: output that a method has not written yet, or Qnil */
    const struct scheduler *home;  /* of the fiber that receives; only its fibers send */
    struct http2_fields spare;     /* for the next stream */
    struct http2_stream *streams;  /* all that have an object and were not released */
    struct http2_stream *requests; /* of these, the ones that `receive` has not returned yet */
    struct http2_stream **last_request;
    int64_t write_timeout;   /* nanoseconds, or RAFFIA_NO_LIMIT */
    int64_t received_at;     /* coarse time of the last input */
    int64_t sent_at;         /* and of the last time at which something could be sent */
    uint64_t sends;          /* calls that sent something */
    unsigned char deferred;  /* the output will be sent before any fiber waits */
    unsigned char announced; /* `wakeups` has the connection */
    unsigned char blocked;   /* the kernel takes no more; a fiber waits, and sends the rest */
    unsigned char sending;
    unsigned char receiver_serves;   /* the fiber that receives serves a request, without a wait */
    unsigned char receiver_released; /* it has waited there, and no other one receives yet */
    unsigned char drained;           /* the last receive took all there was */
    unsigned char streak;            /* receives in a row without a wait */
    unsigned char ended;             /* no more input is taken */
    unsigned char https;             /* the scheme of requests */
    unsigned char broken;            /* no more output can be sent */
};

struct http2_stream {
    VALUE self, owner, response_trailers, request_trailers;
    VALUE readable, writable; /* Queues for the fiber that waits to read, and to write; or Qnil */
    struct http2_connection *connection;  /* NULL when that has been freed */
    struct raffia_http2_stream *stream;   /* NULL after its release */
    struct http2_stream *previous, *next; /* of the connection's */
    struct http2_stream *next_request;
    struct http2_fields fields; /* of a head that was not submitted yet */
    int64_t declared;           /* content-length of the response, or -1 */
    int64_t body;               /* bytes of its body so far */
    uint64_t head_received, head_sent;
    size_t buffer_limit; /* above 0: a whole response is kept for a slow client without a wait */
    int status;          /* of the response, 0 before */
    int pending;         /* the status of a head that was not submitted; 0: none */
    unsigned char begun; /* the response has begun, and not ended */
    unsigned char bodiless, is_head, connects, grpc, has_body;
    unsigned char expects_continue; /* the client waits for 100 before it sends the body */
};

static inline struct http2_connection *raffia_http2_connection_of(VALUE self)
{
    return RTYPEDDATA_GET_DATA(self);
}

/* http2_send.c */
/* Sends the output soon: before any fiber waits, or in the connection's loop. */
void raffia_http2_output_due(struct http2_connection *connection);
/* The fiber that receives begins to serve a request. If it waits there, another one has to receive:
 * see `receiver_requests`. */
void raffia_http2_begin_serving(struct http2_connection *connection);
void raffia_http2_release_receiver(struct http2_connection *connection);
/* Sends now what would be sent before the fiber waits. */
void raffia_http2_flush_deferred(struct http2_connection *connection);
/* Sends what can be sent without a wait. Returns whether all of it was. Raises nothing. */
int raffia_http2_flush(struct http2_connection *connection);
/* Nothing can be sent any more. Wakes all streams. */
void raffia_http2_break(struct http2_connection *connection);
void raffia_init_http2_send(VALUE http2);

/* http2_receive.c */
void raffia_init_http2_receive(VALUE http2);
/* Takes the session's events: wakes streams, and makes objects for requests. */
void raffia_http2_dispatch(struct http2_connection *connection);

/* http2_request.c */
/* An object for it, among the connection's requests. */
void raffia_http2_add_stream(struct http2_connection *connection,
                             struct raffia_http2_stream *stream);
/* The fibers that wait for these events. */
void raffia_http2_wake(struct http2_stream *stream, unsigned events);
void raffia_http2_forget_stream(struct http2_stream *stream);
struct http2_stream *raffia_http2_stream_of(VALUE self);
/* The same for one that can be used; raises Disconnected. */
struct http2_stream *raffia_http2_open_stream(VALUE self);
/* Waits for RAFFIA_HTTP2_READABLE or RAFFIA_HTTP2_WRITABLE until the deadline (raffia_coarse_now).
 * Returns false when it has passed. One fiber at a time reads a stream, and one writes to it. */
int raffia_http2_await(struct http2_stream *stream, enum raffia_http2_event event,
                       int64_t deadline);
int64_t raffia_http2_deadline(VALUE seconds);
NORETURN(void raffia_http2_disconnected(const char *why));
NORETURN(void raffia_http2_refuse(int status, const char *reason));
void raffia_init_http2_request(VALUE native);

/* http2_env.c */
VALUE raffia_http2_env(struct http2_stream *stream);
VALUE raffia_http2_trailers(const struct raffia_http2_fields *fields);
void raffia_init_http2_env(VALUE class);

/* http2_answer.c */
void raffia_init_http2_answer(VALUE class);

/* http2_response_head.c */
struct http2_head {
    struct http_headers base;
    struct http2_stream *stream;
    int status; /* 0: trailers */
    VALUE headers;
    int64_t length; /* of the body when the server knows it, or -1 */
    int raw;        /* another protocol follows */
    /* Found in the headers: */
    int64_t declared;
    int has_date, grpc;
    struct http2_fields *fields;
};
/* Validates and copies. Returns false when the headers have something for others (rack.hijack,
 * rack.protocol) that a whole response cannot have. Raises BadResponse. */
int raffia_http2_build_head(struct http2_head *head);
void raffia_http2_free_fields(struct http2_fields *fields);
size_t raffia_http2_fields_memsize(const struct http2_fields *fields);
RBIMPL_ATTR_FORMAT(RBIMPL_PRINTF_FORMAT, 1, 2)
NORETURN(void raffia_http2_bad_response(const char *format, ...));

#endif

#endif
