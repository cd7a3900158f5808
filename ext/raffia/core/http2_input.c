/* Bodies of requests, and received frames. The window of the connection is opened on receipt, so a
 * stream that is not read cannot stop the others; that of a stream as it is read. */
#include "http2_internal.h"

#ifdef HAVE_NGHTTP2

#include <string.h>

static void drop_body(struct raffia_http2_stream *stream)
{
    stream->refusal = 413;
    stream->reason = "body too large";
    stream->input_size = 0;
    raffia_http2_notify(stream, RAFFIA_HTTP2_READABLE);
}

int raffia_http2_on_data(nghttp2_session *nghttp2, uint8_t flags, int32_t id, const uint8_t *bytes,
                         size_t size, void *data)
{
    struct raffia_http2_session *session = data;
    struct raffia_http2_stream *stream = raffia_http2_find(session, id);
    (void)flags;
    raffia_http2_abuse_payload(&session->abuse, size);
    if (nghttp2_session_consume_connection(nghttp2, size)) return NGHTTP2_ERR_CALLBACK_FAILURE;
    if (!stream || stream->closed || stream->released || stream->refusal) return 0;
    stream->received += size;
    if (stream->received > session->limits.body && !stream->tunnel) {
        drop_body(stream);
        return 0;
    }
    if (raffia_http2_append(&stream->input, &stream->input_start, &stream->input_size,
                            &stream->input_capacity, (const char *)bytes, size))
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    raffia_http2_notify(stream, RAFFIA_HTTP2_READABLE);
    return 0;
}

static void end_data(struct raffia_http2_session *session, const nghttp2_frame *frame)
{
    if (frame->hd.length > 0 && frame->data.padlen >= frame->hd.length &&
        !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
        raffia_http2_abuse_empty(&session->abuse, session->now);
    if (!(frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) return;
    struct raffia_http2_stream *stream = raffia_http2_find(session, frame->hd.stream_id);
    if (!stream) return;
    stream->input_ended = 1;
    raffia_http2_notify(stream, RAFFIA_HTTP2_READABLE);
}

/* A fast pair of a request and its reset costs more than a response that is no longer wanted. */
static void count_reset(struct raffia_http2_session *session, int32_t id)
{
    enum { BEFORE_BEGIN = 5, AFTER = 1 };
    struct raffia_http2_stream *stream = raffia_http2_find(session, id);
    session->state.resets_received++;
    if (stream ? stream->own : raffia_http2_abuse_is_recent(&session->abuse, id, session->now))
        return;
    raffia_http2_abuse_take(&session->abuse, RAFFIA_HTTP2_RESETS,
                            stream && !stream->begun ? BEFORE_BEGIN : AFTER, session->now);
}

/* RFC 9218, 7.1; libnghttp2 takes it for an idle stream. */
static void check_priority_update(nghttp2_session *nghttp2, const nghttp2_frame *frame)
{
    const nghttp2_ext_priority_update *update = frame->ext.payload;
    if (update && update->stream_id == 0)
        (void)nghttp2_session_terminate_session(nghttp2, NGHTTP2_PROTOCOL_ERROR);
}

int raffia_http2_on_frame(nghttp2_session *nghttp2, const nghttp2_frame *frame, void *data)
{
    struct raffia_http2_session *session = data;
    int result = 0;
    switch (frame->hd.type) {
    case NGHTTP2_DATA: end_data(session, frame); break;
    case NGHTTP2_HEADERS: result = raffia_http2_on_head(session, frame); break;
    case NGHTTP2_RST_STREAM: count_reset(session, frame->hd.stream_id); break;
    case NGHTTP2_SETTINGS:
        if (frame->hd.flags & NGHTTP2_FLAG_ACK) session->state.settings_acked = 1;
        break;
    case NGHTTP2_PING:
        if (frame->hd.flags & NGHTTP2_FLAG_ACK) session->state.ping_unanswered = 0;
        break;
    case NGHTTP2_PRIORITY_UPDATE: check_priority_update(nghttp2, frame); break;
    case NGHTTP2_GOAWAY: session->state.client_going_away = 1; break;
    default: break;
    }
    if (result) return result;
    return session->abuse.kind ? NGHTTP2_ERR_CALLBACK_FAILURE : 0;
}

size_t raffia_http2_body_size(const struct raffia_http2_stream *stream)
{
    return stream->input_size;
}

size_t raffia_http2_read(struct raffia_http2_stream *stream, char *bytes, size_t size)
{
    if (size > stream->input_size) size = stream->input_size;
    if (size == 0) return 0;
    memcpy(bytes, stream->input + stream->input_start, size);
    stream->input_start += size;
    stream->input_size -= size;
    if (stream->input_size == 0) {
        stream->input_start = 0;
        if (stream->input_ended) raffia_http2_drop_large(&stream->input, &stream->input_capacity);
    }
    if (!stream->closed && !stream->input_ended)
        (void)nghttp2_session_consume_stream(stream->session->nghttp2, stream->id, size);
    return size;
}

#endif
