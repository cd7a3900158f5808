#include "http2_session.h"

#ifdef HAVE_NGHTTP2

#include "http2_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct raffia_http2_limits raffia_http2_defaults = {
    .streams = 100,
    .window = 64 << 10,
    .head = 32 << 10,
    .fields = 100,
    .name = 256,
    .trailers = 8 << 10,
    .body = 50 << 20,
    .output = 64 << 10,
    .unsent = 64 << 10,
    .connect = 0,
};

enum {
    CONNECTION_WINDOW = 1 << 20, /* no stream is stopped by another one's input */
    MOST_QUEUED = 1000,          /* frames that wait to be sent */
    FOREIGN_LIMIT = 1 << 30,     /* of libnghttp2's own counters: ours come first */
    SESSION_SIZE = 25 << 10,     /* of libnghttp2's, and of one of its streams */
    STREAM_SIZE = 1 << 10,
};

static int make_session(struct raffia_http2_session *session)
{
    nghttp2_session_callbacks *callbacks;
    nghttp2_option *option;
    if (nghttp2_session_callbacks_new(&callbacks)) return -ENOMEM;
    if (nghttp2_option_new(&option)) {
        nghttp2_session_callbacks_del(callbacks);
        return -ENOMEM;
    }
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks,
                                                            raffia_http2_on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, raffia_http2_on_header);
    nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks,
                                                             raffia_http2_on_invalid_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, raffia_http2_on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, raffia_http2_on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, raffia_http2_on_close);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, raffia_http2_on_sent);
    nghttp2_session_callbacks_set_send_data_callback(callbacks, raffia_http2_send_data);
    nghttp2_option_set_no_auto_window_update(option, 1);
    nghttp2_option_set_no_closed_streams(option, 1);
    nghttp2_option_set_builtin_recv_extension_type(option, NGHTTP2_PRIORITY_UPDATE);
    nghttp2_option_set_stream_reset_rate_limit(option, FOREIGN_LIMIT, FOREIGN_LIMIT);
    /* It counts calls, so that it takes a frame's head that comes byte by byte for nine frames. */
    nghttp2_option_set_max_continuations(option, FOREIGN_LIMIT);
    int failure = nghttp2_session_server_new2(&session->nghttp2, callbacks, session, option);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    return failure ? -ENOMEM : 0;
}

static int send_settings(struct raffia_http2_session *session)
{
    const struct raffia_http2_limits *limits = &session->limits;
    nghttp2_settings_entry entries[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits->streams},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, limits->window},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, limits->head},
        {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
        {NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL, 1},
    };
    size_t count = sizeof(entries) / sizeof(*entries) - (limits->connect ? 0 : 1);
    if (nghttp2_submit_settings(session->nghttp2, NGHTTP2_FLAG_NONE, entries, count))
        return -ENOMEM;
    return nghttp2_session_set_local_window_size(session->nghttp2, NGHTTP2_FLAG_NONE, 0,
                                                 CONNECTION_WINDOW)
               ? -ENOMEM
               : 0;
}

int raffia_http2_open(struct raffia_http2_session **opened,
                      const struct raffia_http2_limits *limits)
{
    struct raffia_http2_session *session = calloc(1, sizeof(*session));
    *opened = NULL;
    if (!session) return -ENOMEM;
    session->limits = *limits;
    raffia_http2_abuse_init(&session->abuse, limits->head * 2);
    if (make_session(session) || send_settings(session)) {
        raffia_http2_free(session);
        return -ENOMEM;
    }
    *opened = session;
    return 0;
}

void raffia_http2_free(struct raffia_http2_session *session)
{
    if (session->nghttp2) nghttp2_session_del(session->nghttp2);
    raffia_http2_free_pools(session);
    raffia_http2_abuse_free(&session->abuse);
    free(session->output);
    free(session);
}

static size_t fields_size(const struct raffia_http2_fields *fields)
{
    return fields->capacity + fields->places * sizeof(*fields->list);
}

static size_t stream_size(const struct raffia_http2_stream *stream)
{
    size_t size = sizeof(*stream) + STREAM_SIZE + stream->input_capacity + stream->output_capacity;
    if (stream->head) size += sizeof(*stream->head) + fields_size(&stream->head->fields);
    if (stream->trailers) size += sizeof(*stream->trailers) + fields_size(stream->trailers);
    return size;
}

size_t raffia_http2_memsize(const struct raffia_http2_session *session)
{
    size_t size = sizeof(*session) + SESSION_SIZE + session->output_capacity;
    if (session->abuse.recent) size += RAFFIA_HTTP2_RECENT * sizeof(*session->abuse.recent);
    for (struct raffia_http2_stream *stream = session->streams; stream; stream = stream->next)
        size += stream_size(stream);
    for (struct raffia_http2_stream *stream = session->free_streams; stream; stream = stream->next)
        size += stream_size(stream) - STREAM_SIZE;
    for (uint32_t i = 0; i < session->free_head_count; i++)
        size += sizeof(struct raffia_http2_head) + fields_size(&session->free_heads[i]->fields);
    return size;
}

void raffia_http2_fail(struct raffia_http2_session *session, uint32_t code, const char *abuse)
{
    if (session->failed) return;
    session->failed = 1;
    if (!session->state.abuse) session->state.abuse = abuse;
    (void)nghttp2_session_terminate_session(session->nghttp2, code);
    struct raffia_http2_stream *next;
    for (struct raffia_http2_stream *stream = session->streams; stream; stream = next) {
        next = stream->next;
        (void)nghttp2_session_set_stream_user_data(session->nghttp2, stream->id, NULL);
        stream->ended = 0;
        raffia_http2_close(stream, code);
    }
    raffia_http2_fill(session, 1);
}

static uint32_t error_code(ssize_t failure)
{
    switch (failure) {
    case NGHTTP2_ERR_BAD_CLIENT_MAGIC: return NGHTTP2_PROTOCOL_ERROR;
    default: return NGHTTP2_INTERNAL_ERROR;
    }
}

int raffia_http2_receive(struct raffia_http2_session *session, const char *bytes, size_t size,
                         int64_t now)
{
    if (session->failed) return -EPROTO;
    session->now = now;
    size_t allowed = raffia_http2_abuse_scan(&session->abuse, bytes, size, now);
    const char *kind = session->abuse.kind;
    session->abuse.kind = NULL; /* callbacks end the input by it, and this comes before it */
    ssize_t taken = 0;
    if (allowed > 0)
        taken = nghttp2_session_mem_recv(session->nghttp2, (const uint8_t *)bytes, allowed);
    if (session->abuse.kind) kind = session->abuse.kind;
    if (!kind && taken == NGHTTP2_ERR_FLOODED) kind = "queue";
    size_t queued = nghttp2_session_get_outbound_queue_size(session->nghttp2);
    if (!kind && queued > MOST_QUEUED) kind = "queue";
    if (kind)
        raffia_http2_fail(session, NGHTTP2_ENHANCE_YOUR_CALM, kind);
    else if (session->abuse.error)
        raffia_http2_fail(session, session->abuse.error, NULL);
    else if (taken < 0)
        raffia_http2_fail(session, error_code(taken), NULL);
    else if (queued > 0)
        raffia_http2_fill(session, 0); /* a GOAWAY may be among them */
    return session->failed ? -EPROTO : 0;
}

int raffia_http2_announce_end(struct raffia_http2_session *session)
{
    if (session->failed) return -EPIPE;
    return nghttp2_submit_shutdown_notice(session->nghttp2) ? -ENOMEM : 0;
}

int raffia_http2_goaway(struct raffia_http2_session *session, uint32_t code)
{
    if (session->failed) return -EPIPE;
    session->goaway = code;
    return nghttp2_submit_goaway(session->nghttp2, NGHTTP2_FLAG_NONE,
                                 nghttp2_session_get_last_proc_stream_id(session->nghttp2), code,
                                 NULL, 0)
               ? -ENOMEM
               : 0;
}

int raffia_http2_ping(struct raffia_http2_session *session)
{
    if (session->failed) return -EPIPE;
    session->state.ping_unanswered = 1;
    return nghttp2_submit_ping(session->nghttp2, NGHTTP2_FLAG_NONE, NULL) ? -ENOMEM : 0;
}

static int has_output(const struct raffia_http2_session *session)
{
    for (struct raffia_http2_stream *stream = session->streams; stream; stream = stream->next)
        if (stream->output_size > 0) return 1;
    return 0;
}

const struct raffia_http2_state *raffia_http2_state(const struct raffia_http2_session *constant)
{
    struct raffia_http2_session *session = (struct raffia_http2_session *)(uintptr_t)constant;
    struct raffia_http2_state *state = &session->state;
    int writes = nghttp2_session_want_write(session->nghttp2);
    state->failed = session->failed;
    state->in_head = session->abuse.in_block;
    state->output_blocked = !session->failed && !writes && has_output(session);
    state->over = session->output_size == 0 &&
                  (session->failed || (!writes && !nghttp2_session_want_read(session->nghttp2)));
    return state;
}

#endif
