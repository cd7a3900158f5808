/* Streams: their places, their events and their end. A stream is freed when its caller has released
 * it and libnghttp2 has closed it. */
#include "http2_internal.h"

#ifdef HAVE_NGHTTP2

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void keep_head(struct raffia_http2_session *session, struct raffia_http2_head *head)
{
    if (session->free_head_count < RAFFIA_HTTP2_POOL &&
        head->fields.capacity <= RAFFIA_HTTP2_KEPT) {
        session->free_heads[session->free_head_count++] = head;
        return;
    }
    raffia_http2_clear_fields(&head->fields);
    free(head);
}

static struct raffia_http2_head *new_head(struct raffia_http2_session *session)
{
    struct raffia_http2_head *head;
    if (session->free_head_count == 0) {
        head = calloc(1, sizeof(*head));
        if (head) head->content_length = -1;
        return head;
    }
    head = session->free_heads[--session->free_head_count];
    struct raffia_http2_fields fields = head->fields;
    memset(head, 0, sizeof(*head));
    head->fields = fields;
    head->fields.size = head->fields.count = 0;
    head->content_length = -1;
    return head;
}

void raffia_http2_clear_trailers(struct raffia_http2_stream *stream)
{
    if (!stream->trailers) return;
    raffia_http2_clear_fields(stream->trailers);
    free(stream->trailers);
    stream->trailers = NULL;
}

static struct raffia_http2_stream *take_stream(struct raffia_http2_session *session)
{
    struct raffia_http2_stream *stream = session->free_streams;
    if (!stream) return calloc(1, sizeof(*stream));
    session->free_streams = stream->next;
    session->free_stream_count--;
    char *input = stream->input, *output = stream->output;
    size_t input_capacity = stream->input_capacity, output_capacity = stream->output_capacity;
    memset(stream, 0, sizeof(*stream));
    stream->input = input;
    stream->input_capacity = input_capacity;
    stream->output = output;
    stream->output_capacity = output_capacity;
    return stream;
}

struct raffia_http2_stream *raffia_http2_new_stream(struct raffia_http2_session *session,
                                                    int32_t id)
{
    struct raffia_http2_stream *stream = take_stream(session);
    if (!stream) return NULL;
    stream->head = new_head(session);
    if (!stream->head) {
        free(stream->input);
        free(stream->output);
        free(stream);
        return NULL;
    }
    stream->id = id;
    stream->session = session;
    stream->in_head = 1;
    stream->next = session->streams;
    if (stream->next) stream->next->previous = stream;
    session->streams = stream;
    session->state.streams++;
    return stream;
}

void raffia_http2_release_head(struct raffia_http2_stream *stream)
{
    if (stream->head) keep_head(stream->session, stream->head);
    stream->head = NULL;
}

static void free_memory(struct raffia_http2_stream *stream)
{
    free(stream->input);
    free(stream->output);
    free(stream);
}

/* It must not be in the queue of events. */
void raffia_http2_free_stream(struct raffia_http2_stream *stream)
{
    struct raffia_http2_session *session = stream->session;
    if (stream->previous) stream->previous->next = stream->next;
    if (stream->next) stream->next->previous = stream->previous;
    if (session->streams == stream) session->streams = stream->next;
    raffia_http2_release_head(stream);
    raffia_http2_clear_trailers(stream);
    free(stream->output_trailers);
    if (session->free_stream_count >= RAFFIA_HTTP2_POOL) {
        free_memory(stream);
        return;
    }
    raffia_http2_drop_large(&stream->input, &stream->input_capacity);
    raffia_http2_drop_large(&stream->output, &stream->output_capacity);
    stream->next = session->free_streams;
    session->free_streams = stream;
    session->free_stream_count++;
}

void raffia_http2_free_pools(struct raffia_http2_session *session)
{
    while (session->streams) {
        struct raffia_http2_stream *stream = session->streams;
        session->streams = stream->next;
        raffia_http2_release_head(stream);
        raffia_http2_clear_trailers(stream);
        free(stream->output_trailers);
        free_memory(stream);
    }
    while (session->free_head_count > 0) {
        struct raffia_http2_head *head = session->free_heads[--session->free_head_count];
        raffia_http2_clear_fields(&head->fields);
        free(head);
    }
    while (session->free_streams) {
        struct raffia_http2_stream *stream = session->free_streams;
        session->free_streams = stream->next;
        free_memory(stream);
    }
}

struct raffia_http2_stream *raffia_http2_find(struct raffia_http2_session *session, int32_t id)
{
    return nghttp2_session_get_stream_user_data(session->nghttp2, id);
}

void raffia_http2_notify(struct raffia_http2_stream *stream, unsigned event)
{
    struct raffia_http2_session *session = stream->session;
    if (stream->released) return;
    stream->events |= (uint8_t)event;
    if (stream->queued) return;
    stream->queued = 1;
    stream->next_event = NULL;
    if (session->last_event)
        session->last_event->next_event = stream;
    else
        session->first_event = stream;
    session->last_event = stream;
}

/* Gives its place back. */
static void leave(struct raffia_http2_stream *stream)
{
    if (stream->released) return;
    stream->released = 1;
    stream->session->state.streams--;
}

static void free_if_unused(struct raffia_http2_stream *stream)
{
    if (stream->released && stream->gone && !stream->queued) raffia_http2_free_stream(stream);
}

struct raffia_http2_stream *raffia_http2_next_event(struct raffia_http2_session *session,
                                                    unsigned *events)
{
    struct raffia_http2_stream *stream;
    while ((stream = session->first_event)) {
        session->first_event = stream->next_event;
        if (!session->first_event) session->last_event = NULL;
        stream->queued = 0;
        *events = stream->events;
        stream->events = 0;
        if (stream->released) {
            free_if_unused(stream);
            continue;
        }
        if (*events & RAFFIA_HTTP2_REQUEST) {
            stream->begun = 1;
            session->state.requests++;
        }
        if (*events) return stream;
    }
    *events = 0;
    return NULL;
}

void raffia_http2_drop_output(struct raffia_http2_stream *stream)
{
    stream->session->buffered -= stream->output_size;
    stream->output_size = 0;
}

void raffia_http2_close(struct raffia_http2_stream *stream, uint32_t code)
{
    int known = stream->closed;
    if (stream->lingers) stream->session->lingering--;
    stream->lingers = 0;
    stream->gone = stream->closed = 1;
    raffia_http2_drop_output(stream);
    if (stream->session->decoding == stream) stream->session->decoding = NULL;
    if (!stream->begun) leave(stream); /* its request was not taken: it never will be */
    if (!known && !(stream->ended && code == NGHTTP2_NO_ERROR)) {
        stream->code = code;
        raffia_http2_notify(stream, RAFFIA_HTTP2_CLOSED);
    }
    free_if_unused(stream);
}

int raffia_http2_on_close(nghttp2_session *nghttp2, int32_t id, uint32_t code, void *data)
{
    struct raffia_http2_stream *stream = raffia_http2_find(data, id);
    if (stream) raffia_http2_close(stream, code);
    return nghttp2 ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE;
}

int raffia_http2_submit_reset(struct raffia_http2_stream *stream, uint32_t code)
{
    return nghttp2_submit_rst_stream(stream->session->nghttp2, NGHTTP2_FLAG_NONE, stream->id, code)
               ? -ENOMEM
               : 0;
}

int raffia_http2_reset(struct raffia_http2_stream *stream, uint32_t code)
{
    if (stream->closed) return -EPIPE;
    if (raffia_http2_submit_reset(stream, code)) return -ENOMEM;
    stream->own = stream->closed = 1;
    stream->code = code;
    raffia_http2_drop_output(stream);
    return 0;
}

void raffia_http2_release(struct raffia_http2_stream *stream)
{
    if (!stream->closed && !stream->finished) raffia_http2_reset(stream, NGHTTP2_INTERNAL_ERROR);
    leave(stream);
    raffia_http2_release_head(stream);
    (void)raffia_http2_skip_body(stream);
    free_if_unused(stream);
}

#endif
