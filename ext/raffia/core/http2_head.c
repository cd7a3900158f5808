/* Heads and trailers of requests. A block of fields over a limit is decoded to its end, because the
 * table of HPACK belongs to the connection, but not stored. One that is far over it, because it
 * refers to a large entry of the table again and again, ends the connection. */
#include "http2_internal.h"

#ifdef HAVE_NGHTTP2

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FIELD_SIZE = 32 }; /* that each counts beside its name and value (RFC 9113, 6.5.2) */
enum { MOST_OVER = 1 };   /* heads over a limit */
enum { BOMB = 4, LEAST_BOMB = 64 << 10 }; /* times the limit, and bytes at least */

int raffia_http2_on_begin_headers(nghttp2_session *nghttp2, const nghttp2_frame *frame, void *data)
{
    struct raffia_http2_session *session = data;
    int32_t id = frame->hd.stream_id;
    session->decoded = 0;
    session->over = NULL;
    session->host = (struct raffia_http2_slice){0, 0};
    if (frame->headers.cat != NGHTTP2_HCAT_REQUEST) {
        session->decoding = raffia_http2_find(session, id);
        return 0;
    }
    session->decoding = NULL;
    if (session->state.streams >= session->limits.streams) {
        if (nghttp2_submit_rst_stream(nghttp2, NGHTTP2_FLAG_NONE, id, NGHTTP2_REFUSED_STREAM))
            return NGHTTP2_ERR_CALLBACK_FAILURE;
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    struct raffia_http2_stream *stream = raffia_http2_new_stream(session, id);
    if (!stream) return NGHTTP2_ERR_CALLBACK_FAILURE;
    session->decoding = stream;
    nghttp2_session_set_stream_user_data(nghttp2, id, stream);
    return 0;
}

static struct raffia_http2_slice *pseudo_field(struct raffia_http2_head *head, const uint8_t *name,
                                               size_t size)
{
    switch (size) {
    case 5: return &head->path;
    case 7: return name[1] == 'm' ? &head->method : &head->scheme;
    case 9: return &head->protocol;
    default: return &head->authority;
    }
}

static int64_t number(const uint8_t *digits, size_t size)
{
    int64_t result = 0;
    for (size_t i = 0; i < size; i++) {
        if (result > (INT64_MAX - 9) / 10) return INT64_MAX;
        result = result * 10 + (digits[i] - '0');
    }
    return result;
}

#define IS(text) (name_size == sizeof(text) - 1 && memcmp(name, text, sizeof(text) - 1) == 0)

static int add_to_head(struct raffia_http2_session *session, struct raffia_http2_head *head,
                       const uint8_t *name, size_t name_size, const uint8_t *value,
                       size_t value_size)
{
    if (name[0] == ':')
        return raffia_http2_add_slice(&head->fields, pseudo_field(head, name, name_size), value,
                                      value_size);
    if (IS("host")) return raffia_http2_add_slice(&head->fields, &session->host, value, value_size);
    if (IS("content-length")) head->content_length = number(value, value_size);
    return raffia_http2_add_field(&head->fields, name, name_size, value, value_size);
}

/* Decoding stops here, so the table of HPACK is lost, and the connection with it. */
static int is_bomb(struct raffia_http2_session *session)
{
    uint64_t limit = (uint64_t)session->limits.head * BOMB;
    if (session->decoded <= limit || session->decoded <= LEAST_BOMB) return 0;
    session->abuse.kind = "head";
    return 1;
}

static struct raffia_http2_fields *trailers(struct raffia_http2_stream *stream)
{
    if (!stream->trailers) stream->trailers = calloc(1, sizeof(*stream->trailers));
    return stream->trailers;
}

int raffia_http2_on_header(nghttp2_session *nghttp2, const nghttp2_frame *frame,
                           const uint8_t *name, size_t name_size, const uint8_t *value,
                           size_t value_size, uint8_t flags, void *data)
{
    struct raffia_http2_session *session = data;
    struct raffia_http2_stream *stream = session->decoding;
    const struct raffia_http2_limits *limits = &session->limits;
    (void)nghttp2, (void)frame, (void)flags;
    session->decoded += (uint32_t)(name_size + value_size) + FIELD_SIZE;
    if (is_bomb(session)) return NGHTTP2_ERR_CALLBACK_FAILURE;
    if (session->over || !stream) return 0;
    if (session->decoded > (stream->in_head ? limits->head : limits->trailers))
        session->over = stream->in_head ? "head too large" : "trailers too large";
    if (name_size > limits->name) session->over = "field name too long";
    struct raffia_http2_fields *fields = stream->in_head ? &stream->head->fields : trailers(stream);
    if (!fields) return NGHTTP2_ERR_CALLBACK_FAILURE;
    if (fields->count >= limits->fields) session->over = "too many fields";
    if (session->over || name_size == 0) return 0;
    int failed = stream->in_head
                     ? add_to_head(session, stream->head, name, name_size, value, value_size)
                     : raffia_http2_add_field(fields, name, name_size, value, value_size);
    return failed ? NGHTTP2_ERR_CALLBACK_FAILURE : 0;
}

/* libnghttp2 would leave the field out; RFC 9113 calls the request malformed (8.2.1). */
int raffia_http2_on_invalid_header(nghttp2_session *nghttp2, const nghttp2_frame *frame,
                                   const uint8_t *name, size_t name_size, const uint8_t *value,
                                   size_t value_size, uint8_t flags, void *data)
{
    (void)nghttp2, (void)frame, (void)name, (void)name_size;
    (void)value, (void)value_size, (void)flags, (void)data;
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

static void refuse(struct raffia_http2_stream *stream, uint16_t status, const char *reason)
{
    stream->refusal = status;
    stream->reason = reason;
}

static int same_host(struct raffia_http2_session *session, struct raffia_http2_head *head)
{
    if (session->host.size == 0) return 1;
    if (head->authority.size == 0) {
        head->authority = session->host;
        return 1;
    }
    const char *bytes = head->fields.bytes;
    return head->authority.size == session->host.size &&
           strncasecmp(bytes + head->authority.start, bytes + session->host.start,
                       session->host.size) == 0;
}

static void end_trailers(struct raffia_http2_session *session, struct raffia_http2_stream *stream)
{
    if (session->over) {
        raffia_http2_clear_trailers(stream);
        refuse(stream, 431, session->over);
    }
    raffia_http2_notify(stream, RAFFIA_HTTP2_READABLE);
}

static int end_head(struct raffia_http2_session *session, struct raffia_http2_stream *stream)
{
    stream->in_head = 0;
    stream->arrived = session->now;
    stream->length = stream->head->content_length;
    stream->tunnel = stream->head->protocol.size > 0;
    if (session->over) {
        refuse(stream, 431, session->over);
    } else if (!same_host(session, stream->head)) {
        return raffia_http2_submit_reset(stream, NGHTTP2_PROTOCOL_ERROR)
                   ? NGHTTP2_ERR_CALLBACK_FAILURE
                   : 0;
    } else if (stream->head->content_length > 0 &&
               (uint64_t)stream->head->content_length > session->limits.body) {
        refuse(stream, 413, "body too large");
    }
    raffia_http2_notify(stream, RAFFIA_HTTP2_REQUEST);
    return 0;
}

int raffia_http2_on_head(struct raffia_http2_session *session, const nghttp2_frame *frame)
{
    struct raffia_http2_stream *stream = session->decoding;
    session->decoding = NULL;
    if (!stream || stream->id != frame->hd.stream_id) return 0;
    if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) stream->input_ended = 1;
    if (session->over && session->heads_over++ >= MOST_OVER && !session->abuse.kind)
        session->abuse.kind = "head";
    if (stream->in_head) return end_head(session, stream);
    end_trailers(session, stream);
    return 0;
}

#endif
