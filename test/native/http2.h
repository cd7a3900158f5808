/* A session, and libnghttp2's client at its other end; or frames that a test writes by itself. */
#ifndef RAFFIA_HTTP2_PAIR_H
#define RAFFIA_HTTP2_PAIR_H

#include "http2_session.h"

#ifdef HAVE_NGHTTP2

#include <nghttp2/nghttp2.h>
#include <stddef.h>
#include <stdint.h>

enum { HTTP2_STREAMS = 512, HTTP2_SECOND = 1000000000 };

/* A client's view of a stream. */
struct http2_response {
    int32_t id;
    int status;
    char fields[512], trailers[256], interim[256]; /* "name=value name=value" */
    char *body;
    size_t size, capacity;
    int ended, closed;
    uint32_t code;
    const char *request; /* what is still to be sent of its body */
    size_t left;
    int open; /* more will come */
    const nghttp2_nv *request_trailers;
    size_t request_trailer_count;
};

struct http2_pair {
    struct raffia_http2_session *server;
    nghttp2_session *client;
    struct http2_response responses[HTTP2_STREAMS];
    uint32_t goaway;     /* code */
    int32_t goaway_last; /* -1: none */
    int pings;           /* that were acknowledged */
    int receives;        /* what raffia_http2_receive has returned */
    int64_t now;
};

void http2_open(struct http2_pair *pair, const struct raffia_http2_limits *limits);
/* The client's window is not opened as it receives. */
void http2_open_manual(struct http2_pair *pair, const struct raffia_http2_limits *limits);
void http2_close(struct http2_pair *pair);
/* Bytes go both ways until there are none. */
void http2_run(struct http2_pair *pair);

#define HTTP2_NV(name, value)                                                                      \
    {                                                                                              \
        (uint8_t *)(name), (uint8_t *)(value), sizeof(name) - 1, sizeof(value) - 1, 0              \
    }
/* Requests of the client; returns the stream's id. */
int32_t http2_get(struct http2_pair *pair, const char *path);
int32_t http2_post(struct http2_pair *pair, const char *body, size_t size, int open);
int32_t http2_request(struct http2_pair *pair, const nghttp2_nv *fields, size_t count,
                      const char *body, size_t size, int open);
/* More of a body that is open. */
void http2_more(struct http2_pair *pair, int32_t id, const char *body, size_t size, int open);
struct http2_response *http2_response(struct http2_pair *pair, int32_t id);

/* The next event of the server, which must be these. */
struct raffia_http2_stream *http2_event(struct http2_pair *pair, unsigned expected);
void http2_no_event(struct http2_pair *pair);
int http2_slice_is(const struct raffia_http2_fields *fields, struct raffia_http2_slice slice,
                   const char *text);
/* A whole response of 200. */
void http2_respond(struct raffia_http2_stream *stream, const char *body, size_t size);

/* Frames by themselves: a session that has had the preface and SETTINGS. */
struct http2_raw {
    struct raffia_http2_session *server;
    int64_t now;
    int result;
    char frames[4096]; /* of the output: "HEADERS:1 RST:3=8 GOAWAY=11 ..." */
    size_t size;
    uint8_t partial[1 << 16];
    size_t partial_size;
};
void http2_raw_open(struct http2_raw *raw, const struct raffia_http2_limits *limits);
void http2_raw_close(struct http2_raw *raw);
void http2_raw_send(struct http2_raw *raw, const void *bytes, size_t size);
void http2_raw_frame(struct http2_raw *raw, uint8_t type, uint8_t flags, int32_t id,
                     const void *payload, size_t size);
/* GET / of the authority h. */
#define HTTP2_GET "\x82\x86\x84\x41\x01h"
/* Takes the output, adds its frames to `frames`. */
void http2_raw_drain(struct http2_raw *raw);

#endif
#endif
