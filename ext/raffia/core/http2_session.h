/* HTTP/2 on a server's connection (RFC 9113), without I/O. libnghttp2 has the frames and HPACK;
 * limits, counters of abuse and the buffers of bodies are ours. The caller passes the bytes that it
 * received, takes the events of streams, acts on streams, and sends the output.
 *
 * No function calls the caller back. One thread at a time uses a session. Where a function returns
 * an int, it is 0 or -errno: -ENOMEM, or -EPIPE when the stream has been closed. */
#ifndef RAFFIA_HTTP2_SESSION_H
#define RAFFIA_HTTP2_SESSION_H

#ifdef HAVE_NGHTTP2

#include <stddef.h>
#include <stdint.h>

/* In bytes, but for `streams`, `fields` and `connect`. */
struct raffia_http2_limits {
    uint32_t streams; /* at a time; more are refused */
    uint32_t window;  /* of a stream's input that was not read */
    uint32_t head;    /* names and values of a request, with 32 for each field; more: 431 */
    uint32_t fields;  /* of a request; more: 431 */
    uint32_t name;    /* of a field; more: 431 */
    uint32_t trailers;
    uint64_t body;   /* of a request; more: 413 */
    uint32_t output; /* of a stream's body that was not framed yet; then writers wait */
    uint32_t unsent; /* of frames; then no more are made */
    uint8_t connect; /* extended CONNECT is offered (RFC 8441) */
};
extern const struct raffia_http2_limits raffia_http2_defaults;

struct raffia_http2_session;

/* A part of the `bytes` of a list of fields. */
struct raffia_http2_slice {
    uint32_t start, size;
};

struct raffia_http2_field {
    struct raffia_http2_slice name, value;
};

/* Received fields, without pseudo-header fields. A request's head or trailers. */
struct raffia_http2_fields {
    char *bytes;
    uint32_t size, capacity;
    struct raffia_http2_field *list;
    uint32_t count, places;
};

/* A head that libnghttp2 has found to be well-formed. A slice of size 0: there is none. A `host`
 * field is not in the list: `authority` has its value. If they differ, the head is malformed. */
struct raffia_http2_head {
    struct raffia_http2_fields fields;
    struct raffia_http2_slice method, scheme, authority, path, protocol;
    int64_t content_length; /* -1: none */
};

/* Events of a stream; several may be due at once. */
enum raffia_http2_event {
    RAFFIA_HTTP2_REQUEST = 1,  /* its head has come; see `head` and `refusal` */
    RAFFIA_HTTP2_READABLE = 2, /* bytes of its body, their end, or trailers */
    RAFFIA_HTTP2_WRITABLE = 4, /* its output has fallen below the limit, or is framed in whole */
    RAFFIA_HTTP2_CLOSED = 8    /* by a reset, or because the connection ends: see `code` */
};

/* A request and its response. It takes one of the connection's places from its head until
 * raffia_http2_release, also after a reset: its fiber still runs. The first block is for the caller
 * to read; he writes `owner` only. */
struct raffia_http2_stream {
    int32_t id;
    uint32_t code;                  /* of the RST_STREAM that was received or sent */
    uint16_t refusal;               /* status with which the request must be answered; 0: none */
    uint8_t input_ended;            /* END_STREAM was received */
    uint8_t closed;                 /* nothing can be sent or received any more */
    uint8_t responded;              /* the final head was submitted */
    uint8_t finished;               /* the response was submitted in whole */
    int64_t arrived;                /* when its head came, in the clock of raffia_http2_receive */
    uint64_t received;              /* bytes of its body so far */
    const char *reason;             /* of the refusal */
    struct raffia_http2_head *head; /* until raffia_http2_release_head */
    struct raffia_http2_fields *trailers; /* of the request; NULL: none */
    void *owner;

    struct raffia_http2_session *session;
    struct raffia_http2_stream *next_event, *previous, *next;
    char *input; /* received and not read */
    size_t input_start, input_size, input_capacity;
    size_t unopened; /* bytes that were read and are still missing in its window */
    int64_t length;  /* of the request's body as its head has it; -1: unknown */
    char *output;    /* written and not framed */
    size_t output_start, output_size, output_capacity;
    struct raffia_http2_output_fields *output_trailers;
    uint8_t events, queued, output_ended, deferred, released;
    uint8_t in_head; /* its head has not come in whole */
    uint8_t tunnel;  /* of extended CONNECT: what is received is no body, and has no limit */
    uint8_t begun;   /* RAFFIA_HTTP2_REQUEST was taken */
    uint8_t full;    /* the output was over the limit */
    uint8_t ended;   /* END_STREAM was sent */
    uint8_t own;     /* the reset is not the client's doing */
    uint8_t gone;    /* libnghttp2 does not know it any more */
    uint8_t lingers; /* its response has ended before its request; 2: for a while */
};

/* A field of a response. Names are in lower case; the session copies both. */
struct raffia_http2_output_field {
    const char *name, *value;
    size_t name_size, value_size;
};

/* Queues the SETTINGS. */
int raffia_http2_open(struct raffia_http2_session **session,
                      const struct raffia_http2_limits *limits);
/* Also frees all streams that were not released: the caller must not use them any more. */
void raffia_http2_free(struct raffia_http2_session *session);
size_t raffia_http2_memsize(const struct raffia_http2_session *session);

/* Input: all of the bytes, the preface first. `now`: nanoseconds of a monotonic clock. Returns 0,
 * or -EPROTO: the connection is over; the output has a GOAWAY to be sent before it is closed. */
int raffia_http2_receive(struct raffia_http2_session *session, const char *bytes, size_t size,
                         int64_t now);
/* The next stream with events, and which; NULL: no more. */
struct raffia_http2_stream *raffia_http2_next_event(struct raffia_http2_session *session,
                                                    unsigned *events);

/* The body of a request. Bytes are taken out of the stream's window as they are read. */
size_t raffia_http2_body_size(const struct raffia_http2_stream *stream);
size_t raffia_http2_read(struct raffia_http2_stream *stream, char *bytes, size_t size);
void raffia_http2_release_head(struct raffia_http2_stream *stream);

/* The response. An interim head (1xx), then a head, then a body unless `end`, then its end. A
 * stream whose request's body does not end after its response is reset: see
 * raffia_http2_stop_uploads. */
int raffia_http2_send_interim(struct raffia_http2_stream *stream, int status,
                              const struct raffia_http2_output_field *fields, size_t count);
int raffia_http2_send_head(struct raffia_http2_stream *stream, int status,
                           const struct raffia_http2_output_field *fields, size_t count, int end);
/* Copies the bytes. Callers wait for RAFFIA_HTTP2_WRITABLE while the buffered ones are over the
 * limit. */
int raffia_http2_write(struct raffia_http2_stream *stream, const char *bytes, size_t size);
size_t raffia_http2_buffered(const struct raffia_http2_stream *stream);
/* Whether they are: over `limits.output`, or over a share if all streams have buffered much. */
int raffia_http2_is_full(struct raffia_http2_stream *stream);
/* Bytes that may be written at a time; 0: it is full. */
size_t raffia_http2_room(struct raffia_http2_stream *stream);
int raffia_http2_finish(struct raffia_http2_stream *stream,
                        const struct raffia_http2_output_field *trailers, size_t count);
/* RFC 9218: of the response, instead of the client's. */
int raffia_http2_prioritize(struct raffia_http2_stream *stream, unsigned urgency, int incremental);
int raffia_http2_reset(struct raffia_http2_stream *stream, uint32_t code);
/* The caller has ended its use: resets a stream that is not finished, and frees it. */
void raffia_http2_release(struct raffia_http2_stream *stream);

/* Output, which may make events and end the connection, too. The bytes that are to be sent stay
 * there until the next call of another function with this session; 0: none. */
size_t raffia_http2_output(struct raffia_http2_session *session, const char **bytes);
/* So many of them were sent. */
void raffia_http2_sent(struct raffia_http2_session *session, size_t count);
/* Whether there is something to send. */
int raffia_http2_wants_write(const struct raffia_http2_session *session);

/* The end of a connection. Announces it: requests that the client has sent meanwhile are still
 * served. raffia_http2_goaway refuses all later ones, with the last stream's id. */
int raffia_http2_announce_end(struct raffia_http2_session *session);
int raffia_http2_goaway(struct raffia_http2_session *session, uint32_t code);
int raffia_http2_ping(struct raffia_http2_session *session);
/* Called again and again: stops requests that go on although their response had ended at the last
 * call, with NO_ERROR (RFC 9113, 8.1). */
int raffia_http2_stop_uploads(struct raffia_http2_session *session);

/* Facts for the caller's timers. */
struct raffia_http2_state {
    uint32_t streams;          /* not released */
    uint64_t requests;         /* so far */
    uint8_t settings_acked;    /* the client has acknowledged ours */
    uint8_t in_head;           /* a head has begun and not ended */
    uint8_t ping_unanswered;   /* one of ours */
    uint8_t client_going_away; /* it has sent GOAWAY */
    uint8_t output_blocked;    /* streams have bodies to send, and no window */
    uint8_t failed;            /* by an error: no stream goes on; the output has a GOAWAY */
    uint8_t over;              /* all is sent and received */
    const char *abuse;         /* why the session has ended with ENHANCE_YOUR_CALM; NULL: has not */
    uint64_t resets_received, resets_sent;
};
const struct raffia_http2_state *raffia_http2_state(const struct raffia_http2_session *session);

#endif
#endif
