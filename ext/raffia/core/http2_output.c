/* Output: frames are made into one buffer, `unsent` bytes of them at most, so that priorities
 * decide late. DATA goes there straight from the buffers of streams. */
#include "http2_internal.h"

#ifdef HAVE_NGHTTP2

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int append(struct raffia_http2_session *session, const char *bytes, size_t size)
{
    return raffia_http2_append(&session->output, &session->output_start, &session->output_size,
                               &session->output_capacity, bytes, size);
}

ssize_t raffia_http2_read_body(nghttp2_session *nghttp2, int32_t id, uint8_t *bytes, size_t size,
                               uint32_t *flags, nghttp2_data_source *source, void *data)
{
    struct raffia_http2_stream *stream = source->ptr;
    const struct raffia_http2_session *session = data;
    (void)bytes;
    if (session->failed) return NGHTTP2_ERR_CALLBACK_FAILURE; /* the stream may not exist */
    if (stream->output_size == 0 && !stream->output_ended) {
        stream->deferred = 1;
        return NGHTTP2_ERR_DEFERRED;
    }
    if (size > stream->output_size) size = stream->output_size;
    if (size > 0) *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (size < stream->output_size || !stream->output_ended) return (ssize_t)size;
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    struct raffia_http2_output_fields *trailers = stream->output_trailers;
    if (!trailers) return (ssize_t)size;
    *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
    if (nghttp2_submit_trailer(nghttp2, id, trailers->list, trailers->count))
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    return (ssize_t)size;
}

int raffia_http2_send_data(nghttp2_session *nghttp2, nghttp2_frame *frame, const uint8_t *head,
                           size_t size, nghttp2_data_source *source, void *data)
{
    enum { FRAME_HEAD = 9 };
    struct raffia_http2_session *session = data;
    struct raffia_http2_stream *stream = source->ptr;
    (void)nghttp2, (void)frame;
    if (session->failed) return NGHTTP2_ERR_CALLBACK_FAILURE;
    if (append(session, (const char *)head, FRAME_HEAD) ||
        append(session, stream->output + stream->output_start, size))
        return NGHTTP2_ERR_CALLBACK_FAILURE;
    stream->output_start += size;
    stream->output_size -= size;
    session->buffered -= size;
    if (stream->full && stream->output_size <= raffia_http2_output_limit(session) / 2) {
        stream->full = 0;
        raffia_http2_notify(stream, RAFFIA_HTTP2_WRITABLE);
    }
    return session->output_size < session->limits.unsent ? 0 : NGHTTP2_ERR_PAUSE;
}

/* A client may be about to end its request, or to stop it because of the response. Some (curl 7.88)
 * take a reset with NO_ERROR for the failure of a response that has come in whole. */
static void end_response(struct raffia_http2_stream *stream)
{
    stream->ended = 1;
    raffia_http2_notify(stream, RAFFIA_HTTP2_WRITABLE);
    if (stream->input_ended || stream->own) return;
    stream->own = stream->lingers = 1;
    stream->session->lingering++;
    if (stream->released) (void)raffia_http2_skip_body(stream);
}

int raffia_http2_stop_uploads(struct raffia_http2_session *session)
{
    if (session->failed || session->lingering == 0) return 0;
    for (struct raffia_http2_stream *stream = session->streams; stream; stream = stream->next) {
        if (!stream->lingers || stream->closed || stream->lingers++ == 1) continue;
        stream->lingers = 0;
        session->lingering--;
        if (raffia_http2_submit_reset(stream, NGHTTP2_NO_ERROR)) return -ENOMEM;
    }
    return 0;
}

static void count_reset(struct raffia_http2_session *session, const nghttp2_frame *frame)
{
    struct raffia_http2_stream *stream = raffia_http2_find(session, frame->hd.stream_id);
    session->state.resets_sent++;
    raffia_http2_abuse_reset(&session->abuse, frame->hd.stream_id);
    if (stream && stream->own) return;
    int refused = frame->rst_stream.error_code == NGHTTP2_REFUSED_STREAM;
    raffia_http2_abuse_take(
        &session->abuse, refused ? RAFFIA_HTTP2_RESETS : RAFFIA_HTTP2_OWN_RESETS, 1, session->now);
}

static void note_goaway(struct raffia_http2_session *session, uint32_t code)
{
    if (code == NGHTTP2_NO_ERROR || (code == session->goaway && !session->failed)) return;
    session->final_sent = 1;
    session->failing = 1;
    session->failure = code;
}

int raffia_http2_on_sent(nghttp2_session *nghttp2, const nghttp2_frame *frame, void *data)
{
    struct raffia_http2_session *session = data;
    struct raffia_http2_stream *stream;
    (void)nghttp2;
    switch (frame->hd.type) {
    case NGHTTP2_DATA:
    case NGHTTP2_HEADERS: raffia_http2_abuse_sent(&session->abuse, frame->hd.length); break;
    case NGHTTP2_RST_STREAM: count_reset(session, frame); break;
    case NGHTTP2_GOAWAY: note_goaway(session, frame->goaway.error_code); break;
    default: break;
    }
    if (frame->hd.type > NGHTTP2_HEADERS || !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) return 0;
    stream = raffia_http2_find(session, frame->hd.stream_id);
    if (stream) end_response(stream);
    return 0;
}

void raffia_http2_fill(struct raffia_http2_session *session, int final)
{
    const uint8_t *bytes;
    ssize_t size = 0;
    while (final ? !session->final_sent : session->output_size < session->limits.unsent) {
        size = nghttp2_session_mem_send(session->nghttp2, &bytes);
        if (size <= 0) break;
        if (append(session, (const char *)bytes, (size_t)size)) size = NGHTTP2_ERR_NOMEM;
        if (size < 0 || session->abuse.kind || session->failing) break;
    }
    if (final || session->failed) return;
    if (session->failing || size < 0)
        raffia_http2_fail(session, size < 0 ? NGHTTP2_INTERNAL_ERROR : session->failure, NULL);
    else if (session->abuse.kind)
        raffia_http2_fail(session, NGHTTP2_ENHANCE_YOUR_CALM, session->abuse.kind);
}

size_t raffia_http2_output(struct raffia_http2_session *session, const char **bytes)
{
    if (!session->failed) raffia_http2_fill(session, 0);
    *bytes = session->output ? session->output + session->output_start : NULL;
    return session->output_size;
}

void raffia_http2_sent(struct raffia_http2_session *session, size_t count)
{
    if (count > session->output_size) count = session->output_size;
    session->output_start += count;
    session->output_size -= count;
    if (session->output_size > 0) return;
    session->output_start = 0;
    if (session->streams || session->output_capacity <= RAFFIA_HTTP2_KEPT) return;
    free(session->output);
    session->output = NULL;
    session->output_capacity = 0;
}

int raffia_http2_wants_write(const struct raffia_http2_session *session)
{
    return session->output_size > 0 ||
           (!session->failed && nghttp2_session_want_write(session->nghttp2));
}

#endif
