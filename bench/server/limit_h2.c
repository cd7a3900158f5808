/*
 * The limit for HTTP/2: libnghttp2 and epoll, in one thread, with one read and one write for all
 * that a connection has to say at a time. The services of service.rb that h2load asks for. It keeps
 * no timer, counts no abuse, and knows no application.
 *
 *     limit_h2 PORT        serves clients with prior knowledge until it is killed
 */
#define _GNU_SOURCE
#include <nghttp2/nghttp2.h>
#include "listen.h"

enum { INPUT = 64 * 1024, OUTPUT = 256 * 1024 };
enum { UPLOAD = 64 * 1024, DOWNLOAD = 1024 * 1024, WINDOW = 1024 * 1024, STREAMS = 128 };

struct client {
    int fd, asked; /* asked: epoll reports when there is room for output */
    nghttp2_session *session;
    size_t unsent, sent;
    char *output;
};

struct stream {
    char path[16];
    size_t received, left;
    const char *body;
};

static char input[INPUT], letters[DOWNLOAD];
static nghttp2_session_callbacks *callbacks;

static int begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *data)
{
    (void)data;
    struct stream *stream = calloc(1, sizeof *stream);
    if (!stream) fail("calloc");
    return nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, stream);
}

static int header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name,
                  size_t name_size, const uint8_t *value, size_t size, uint8_t flags, void *data)
{
    struct stream *stream = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    (void)flags, (void)data;
    if (stream && name_size == 5 && !memcmp(name, ":path", 5) && size < sizeof stream->path)
        memcpy(stream->path, value, size);
    return 0;
}

static int data_chunk(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *bytes,
                      size_t size, void *data)
{
    struct stream *stream = nghttp2_session_get_stream_user_data(session, id);
    (void)flags, (void)data;
    if (!stream || stream->received + size > UPLOAD) return 0;
    if (memcmp(letters + stream->received, bytes, size) == 0) stream->received += size;
    return 0;
}

static ssize_t read_body(nghttp2_session *session, int32_t id, uint8_t *into, size_t room,
                         uint32_t *flags, nghttp2_data_source *source, void *data)
{
    struct stream *stream = source->ptr;
    size_t size = stream->left < room ? stream->left : room;
    (void)session, (void)id, (void)data;
    memcpy(into, stream->body, size);
    stream->body += size;
    if (!(stream->left -= size)) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)size;
}

#define FIELD(name, value)                                                                         \
    {                                                                                              \
        (uint8_t *)(name), (uint8_t *)(value), sizeof(name) - 1, strlen(value),                    \
            NGHTTP2_NV_FLAG_NO_COPY_NAME                                                           \
    }

static int answer(nghttp2_session *session, int32_t id, struct stream *stream)
{
    char length[24];
    int is_download = !strcmp(stream->path, "/download"),
        is_upload = !strcmp(stream->path, "/upload");
    stream->body = is_download                  ? letters
                   : !is_upload                 ? "Hello, world\n"
                   : stream->received == UPLOAD ? "received 65536\n"
                                                : "wrong\n";
    stream->left = is_download ? DOWNLOAD : strlen(stream->body);
    snprintf(length, sizeof length, "%zu", stream->left);
    nghttp2_nv head[] = {FIELD(":status", "200"), FIELD("content-type", "text/plain"),
                         FIELD("content-length", length)};
    nghttp2_data_provider body = {.source.ptr = stream, .read_callback = read_body};
    return nghttp2_submit_response(session, id, head, sizeof head / sizeof *head, &body);
}

static int frame_received(nghttp2_session *session, const nghttp2_frame *frame, void *data)
{
    int is_request = frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA;
    (void)data;
    if (!is_request || !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) return 0;
    struct stream *stream = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    return stream ? answer(session, frame->hd.stream_id, stream) : 0;
}

static int stream_closed(nghttp2_session *session, int32_t id, uint32_t error, void *data)
{
    (void)error, (void)data;
    free(nghttp2_session_get_stream_user_data(session, id));
    return 0;
}

static void drop(struct client *c)
{
    close(c->fd);
    nghttp2_session_del(c->session);
    free(c->output);
    free(c);
}

static void ask_for_room(struct client *c, int wanted)
{
    struct epoll_event event = {.events = wanted ? EPOLLIN | EPOLLOUT : EPOLLIN, .data.ptr = c};
    if (c->asked != wanted && epoll_ctl(poller, EPOLL_CTL_MOD, c->fd, &event)) fail("epoll_ctl");
    c->asked = wanted;
}

/* Frames until the output is full or there are none. */
static ssize_t fill(struct client *c)
{
    const uint8_t *bytes;
    ssize_t size = 0;
    while (c->unsent < OUTPUT - 32 * 1024 &&
           (size = nghttp2_session_mem_send(c->session, &bytes)) > 0) {
        memcpy(c->output + c->unsent, bytes, (size_t)size);
        c->unsent += (size_t)size;
    }
    return size;
}

/* @return 0, or -1 when the client has gone */
static int send_out(struct client *c)
{
    for (;;) {
        if (!c->unsent && fill(c) < 0) return -1;
        if (!c->unsent) return ask_for_room(c, 0), 0;
        ssize_t size = send(c->fd, c->output + c->sent, c->unsent - c->sent, MSG_NOSIGNAL);
        if (size < 0 && errno == EAGAIN) return ask_for_room(c, 1), 0;
        if (size < 0) return -1;
        if ((c->sent += (size_t)size) == c->unsent) c->sent = c->unsent = 0;
    }
}

/* @return 0, or -1 when the client has gone */
static int serve(struct client *c)
{
    ssize_t got = recv(c->fd, input, sizeof input, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    if (got <= 0 || nghttp2_session_mem_recv(c->session, (uint8_t *)input, (size_t)got) < 0)
        return -1;
    return nghttp2_session_want_read(c->session) || nghttp2_session_want_write(c->session) ? 0 : -1;
}

static void admit(int listener)
{
    int fd;
    nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, STREAMS},
                                         {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW}};
    while ((fd = accept_client(listener)) >= 0) {
        struct client *c = calloc(1, sizeof *c);
        if (!c || !(c->output = malloc(OUTPUT))) fail("malloc");
        c->fd = fd;
        if (nghttp2_session_server_new(&c->session, callbacks, c) ||
            nghttp2_submit_settings(c->session, NGHTTP2_FLAG_NONE, settings, 2) ||
            nghttp2_session_set_local_window_size(c->session, NGHTTP2_FLAG_NONE, 0,
                                                  STREAMS * WINDOW))
            fail("a session");
        watch(fd, EPOLLIN, c);
    }
}

int main(int argc, char **argv)
{
    struct epoll_event events[EVENTS];
    if (argc != 2) return fprintf(stderr, "usage: limit_h2 PORT\n"), 2;
    for (size_t i = 0; i < sizeof letters; i++)
        letters[i] = (char)('a' + i % 26);
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, data_chunk);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, frame_received);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, stream_closed);
    int listener = open_listener((uint16_t)atoi(argv[1]));
    for (;;) {
        int count = await_events(events);
        for (int i = 0; i < count; i++) {
            struct client *c = events[i].data.ptr;
            if (!c)
                admit(listener);
            else if (((events[i].events & (EPOLLIN | EPOLLERR | EPOLLHUP)) && serve(c) < 0) ||
                     send_out(c) < 0)
                drop(c);
        }
    }
}
