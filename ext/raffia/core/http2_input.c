/* Bodies of requests, and received frames. The window of the connection is opened on receipt, so a
 * stream that is not read cannot stop the others; that of a stream as it is read, but not while
 * the rest of a body of known length fits into it: then WINDOW_UPDATE would be for nothing. */
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

enum { MOST_ROOM = 256 << 10 };

/* A buffer that grows is copied each time. */
static int make_room(struct raffia_http2_stream *stream, size_t size)
{
    uint64_t room = stream->length < 0 ? 0 : (uint64_t)stream->length - (stream->received - size);
    if (stream->input_size > 0 || room <= size) return 0;
    if (room > stream->session->limits.window) room = stream->session->limits.window;
    if (room > MOST_ROOM) room = MOST_ROOM;
    stream->input_start = 0;
    return raffia_http2_enlarge(&stream->input, &stream->input_capacity, (size_t)room);
}

/* Padding takes of the window, too. */
static int rest_fits(const struct raffia_http2_stream *stream)
{
    nghttp2_session *nghttp2 = stream->session->nghttp2;
    if (stream->length < 0 || (uint64_t)stream->length < stream->received) return 0;
    int64_t left = nghttp2_session_get_stream_local_window_size(nghttp2, stream->id);
    return stream->length - (int64_t)stream->received <= left;
}

static int open_window(struct raffia_http2_stream *stream)
{
    if (stream->unopened == 0 || stream->closed || stream->input_ended || rest_fits(stream))
        return 0;
    size_t size = stream->unopened;
    stream->unopened = 0;
    return nghttp2_session_consume_stream(stream->session->nghttp2, stream->id, size);
}

/* The most that a client may send of a body that nobody reads any more, with its response. */
enum { MOST_SKIPPED = 256 << 10 };

static int is_skipped(const struct raffia_http2_stream *stream)
{
    return stream->released && stream->lingers && !stream->closed &&
           stream->length <= MOST_SKIPPED && stream->received <= MOST_SKIPPED;
}

int raffia_http2_skip_body(struct raffia_http2_stream *stream)
{
    stream->unopened += stream->input_size;
    stream->input_size = 0;
    return is_skipped(stream) ? open_window(stream) : 0;
}

int raffia_http2_on_data(nghttp2_session *nghttp2, uint8_t flags, int32_t id, const uint8_t *bytes,
                         size_t size, void *data)
{
    struct raffia_http2_session *session = data;
    struct raffia_http2_stream *stream = raffia_http2_find(session, id);
    (void)flags;
    raffia_http2_abuse_payload(&session->abuse, size);
    if (nghttp2_session_consume_connection(nghttp2, size)) return NGHTTP2_ERR_CALLBACK_FAILURE;
    if (!stream || stream->closed || stream->refusal) return 0;
    stream->received += size;
    if (stream->released) {
        if (is_skipped(stream)) stream->unopened += size;
        return 0;
    }
    if (stream->received > session->limits.body && !stream->tunnel) {
        drop_body(stream);
        return 0;
    }
    if (make_room(stream, size) ||
        raffia_http2_append(&stream->input, &stream->input_start, &stream->input_size,
                            &stream->input_capacity, (const char *)bytes, size))
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    raffia_http2_notify(stream, RAFFIA_HTTP2_READABLE);
    return 0;
}

static int end_data(struct raffia_http2_session *session, const nghttp2_frame *frame)
{
    struct raffia_http2_stream *stream = raffia_http2_find(session, frame->hd.stream_id);
    if (frame->hd.length > 0 && frame->data.padlen >= frame->hd.length &&
        !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
        raffia_http2_abuse_empty(&session->abuse, session->now);
    if (!stream) return 0;
    if (!(frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
        return open_window(stream) ? NGHTTP2_ERR_CALLBACK_FAILURE : 0;
    stream->input_ended = 1;
    raffia_http2_notify(stream, RAFFIA_HTTP2_READABLE);
    return 0;
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
    case NGHTTP2_DATA: result = end_data(session, frame); break;
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
    stream->unopened += size;
    (void)open_window(stream);
    return size;
}

#endif
