/* Internals that the parts of an HTTP/2 session share. */
#ifndef RAFFIA_HTTP2_INTERNAL_H
#define RAFFIA_HTTP2_INTERNAL_H

#include "http2_session.h"

#ifdef HAVE_NGHTTP2

#include "http2_abuse.h"

#include <nghttp2/nghttp2.h>

/* How many streams and heads a session keeps for the next requests. */
enum { RAFFIA_HTTP2_POOL = 8 };
/* A buffer that is kept has this size at most. */
enum { RAFFIA_HTTP2_KEPT = 4096 };

struct raffia_http2_session {
    nghttp2_session *nghttp2;
    struct raffia_http2_limits limits;
    struct raffia_http2_state state;
    struct raffia_http2_abuse abuse;
    int64_t now;

    struct raffia_http2_stream *streams; /* all of them */
    struct raffia_http2_stream *first_event, *last_event;
    struct raffia_http2_stream *free_streams;
    struct raffia_http2_head *free_heads[RAFFIA_HTTP2_POOL];
    uint32_t free_stream_count, free_head_count;

    struct raffia_http2_stream *decoding; /* whose block of fields is being received */
    uint32_t decoded;                     /* its size so far */
    const char *over;                     /* the limit that it exceeds */
    struct raffia_http2_slice host;
    uint32_t heads_over;
    uint32_t lingering; /* streams whose response has ended before their request */

    size_t buffered; /* bytes of bodies of all streams, that were not framed yet */
    char *output;    /* frames */
    size_t output_start, output_size, output_capacity;
    uint32_t goaway; /* code of ours */
    uint32_t failure;
    uint8_t failing, failed, final_sent;
};

struct raffia_http2_output_fields {
    size_t count;
    nghttp2_nv list[];
};

/* http2_session.c: the connection is over. With `abuse`, the code is ENHANCE_YOUR_CALM. */
void raffia_http2_fail(struct raffia_http2_session *session, uint32_t code, const char *abuse);

/* http2_buffer.c: bytes between `start` and `start + size`. Makes room for `more`; 0 or -ENOMEM. */
int raffia_http2_reserve(char **bytes, size_t *start, size_t size, size_t *capacity, size_t more);
int raffia_http2_append(char **bytes, size_t *start, size_t *size, size_t *capacity,
                        const char *more, size_t count);
/* Makes an empty buffer that large, if it is smaller. */
int raffia_http2_enlarge(char **bytes, size_t *capacity, size_t size);
/* Frees a buffer that is not worth to be kept. */
void raffia_http2_drop_large(char **bytes, size_t *capacity);
/* Adds a slice, or a field. 0 or -ENOMEM. */
int raffia_http2_add_slice(struct raffia_http2_fields *fields, struct raffia_http2_slice *slice,
                           const uint8_t *bytes, size_t size);
int raffia_http2_add_field(struct raffia_http2_fields *fields, const uint8_t *name,
                           size_t name_size, const uint8_t *value, size_t value_size);
void raffia_http2_clear_fields(struct raffia_http2_fields *fields);

/* http2_stream.c */
struct raffia_http2_stream *raffia_http2_new_stream(struct raffia_http2_session *session,
                                                    int32_t id);
struct raffia_http2_stream *raffia_http2_find(struct raffia_http2_session *session, int32_t id);
void raffia_http2_notify(struct raffia_http2_stream *stream, unsigned event);
/* libnghttp2 has closed it, or the connection has failed. */
void raffia_http2_close(struct raffia_http2_stream *stream, uint32_t code);
/* Forgets what was not framed. */
void raffia_http2_drop_output(struct raffia_http2_stream *stream);
int raffia_http2_submit_reset(struct raffia_http2_stream *stream, uint32_t code);
void raffia_http2_clear_trailers(struct raffia_http2_stream *stream);
void raffia_http2_free_pools(struct raffia_http2_session *session);
void raffia_http2_free_stream(struct raffia_http2_stream *stream);

/* http2_head.c, http2_input.c, http2_output.c: callbacks. */
int raffia_http2_on_begin_headers(nghttp2_session *nghttp2, const nghttp2_frame *frame, void *data);
int raffia_http2_on_header(nghttp2_session *nghttp2, const nghttp2_frame *frame,
                           const uint8_t *name, size_t name_size, const uint8_t *value,
                           size_t value_size, uint8_t flags, void *data);
int raffia_http2_on_invalid_header(nghttp2_session *nghttp2, const nghttp2_frame *frame,
                                   const uint8_t *name, size_t name_size, const uint8_t *value,
                                   size_t value_size, uint8_t flags, void *data);
int raffia_http2_on_head(struct raffia_http2_session *session, const nghttp2_frame *frame);
int raffia_http2_on_data(nghttp2_session *nghttp2, uint8_t flags, int32_t id, const uint8_t *bytes,
                         size_t size, void *data);
/* Drops the input of a stream whose caller reads no more. While the client may end its request, its
 * window is opened further. */
int raffia_http2_skip_body(struct raffia_http2_stream *stream);
int raffia_http2_on_frame(nghttp2_session *nghttp2, const nghttp2_frame *frame, void *data);
int raffia_http2_on_close(nghttp2_session *nghttp2, int32_t id, uint32_t code, void *data);
int raffia_http2_on_sent(nghttp2_session *nghttp2, const nghttp2_frame *frame, void *data);
int raffia_http2_send_data(nghttp2_session *nghttp2, nghttp2_frame *frame, const uint8_t *head,
                           size_t size, nghttp2_data_source *source, void *data);
ssize_t raffia_http2_read_body(nghttp2_session *nghttp2, int32_t id, uint8_t *bytes, size_t size,
                               uint32_t *flags, nghttp2_data_source *source, void *data);
/* Bytes that a stream may buffer at present. */
uint32_t raffia_http2_output_limit(const struct raffia_http2_session *session);
/* Makes frames until there are `unsent` bytes of them; with `final`, until GOAWAY is among them. */
void raffia_http2_fill(struct raffia_http2_session *session, int final);

#endif
#endif
