#include "http2.h"

#ifdef HAVE_NGHTTP2

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct http2_response *http2_response(struct http2_pair *pair, int32_t id)
{
    CHECK(id > 0 && id / 2 < HTTP2_STREAMS);
    pair->responses[id / 2].id = id;
    return &pair->responses[id / 2];
}

static void add_text(char *text, size_t capacity, const uint8_t *name, size_t name_size,
                     const uint8_t *value, size_t value_size)
{
    size_t size = strlen(text);
    snprintf(text + size, capacity - size, "%s%.*s=%.*s", size ? " " : "", (int)name_size, name,
             (int)value_size, value);
}

static int on_header(nghttp2_session *client, const nghttp2_frame *frame, const uint8_t *name,
                     size_t name_size, const uint8_t *value, size_t value_size, uint8_t flags,
                     void *data)
{
    struct http2_response *response = http2_response(data, frame->hd.stream_id);
    (void)client, (void)flags;
    if (name_size == 7 && memcmp(name, ":status", 7) == 0) {
        response->status = atoi((const char *)value);
        return 0;
    }
    if (frame->headers.cat == NGHTTP2_HCAT_HEADERS && response->status >= 200 &&
        response->fields[0])
        add_text(response->trailers, sizeof(response->trailers), name, name_size, value,
                 value_size);
    else if (response->status < 200)
        add_text(response->interim, sizeof(response->interim), name, name_size, value, value_size);
    else
        add_text(response->fields, sizeof(response->fields), name, name_size, value, value_size);
    return 0;
}

static int on_data(nghttp2_session *client, uint8_t flags, int32_t id, const uint8_t *bytes,
                   size_t size, void *data)
{
    struct http2_response *response = http2_response(data, id);
    (void)client, (void)flags;
    if (response->size + size > response->capacity) {
        response->capacity = (response->size + size) * 2;
        response->body = realloc(response->body, response->capacity);
        CHECK(response->body);
    }
    memcpy(response->body + response->size, bytes, size);
    response->size += size;
    return 0;
}

static int on_frame(nghttp2_session *client, const nghttp2_frame *frame, void *data)
{
    struct http2_pair *pair = data;
    (void)client;
    if (frame->hd.type == NGHTTP2_GOAWAY) {
        pair->goaway = frame->goaway.error_code;
        pair->goaway_last = frame->goaway.last_stream_id;
    }
    if (frame->hd.type == NGHTTP2_PING && frame->hd.flags & NGHTTP2_FLAG_ACK) pair->pings++;
    if (frame->hd.type <= NGHTTP2_HEADERS && frame->hd.flags & NGHTTP2_FLAG_END_STREAM)
        http2_response(pair, frame->hd.stream_id)->ended = 1;
    return 0;
}

static int on_close(nghttp2_session *client, int32_t id, uint32_t code, void *data)
{
    struct http2_response *response = http2_response(data, id);
    (void)client;
    response->closed = 1;
    response->code = code;
    return 0;
}

static ssize_t read_request(nghttp2_session *client, int32_t id, uint8_t *bytes, size_t size,
                            uint32_t *flags, nghttp2_data_source *source, void *data)
{
    struct http2_response *response = source->ptr;
    (void)data;
    if (response->left == 0 && response->open) return NGHTTP2_ERR_DEFERRED;
    if (size > response->left) size = response->left;
    if (size) memcpy(bytes, response->request, size);
    response->request += size;
    response->left -= size;
    if (response->left > 0 || response->open) return (ssize_t)size;
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (!response->request_trailers) return (ssize_t)size;
    *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
    CHECK_EQUAL(nghttp2_submit_trailer(client, id, response->request_trailers,
                                       response->request_trailer_count),
                0);
    return (ssize_t)size;
}

static void open_pair(struct http2_pair *pair, const struct raffia_http2_limits *limits, int manual)
{
    nghttp2_session_callbacks *callbacks;
    nghttp2_option *option;
    memset(pair, 0, sizeof(*pair));
    pair->goaway_last = -1;
    pair->now = HTTP2_SECOND;
    CHECK_EQUAL(raffia_http2_open(&pair->server, limits), 0);
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    nghttp2_option_new(&option);
    nghttp2_option_set_no_auto_window_update(option, manual);
    nghttp2_option_set_peer_max_concurrent_streams(option, 1000);
    CHECK_EQUAL(nghttp2_session_client_new2(&pair->client, callbacks, pair, option), 0);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    nghttp2_submit_settings(pair->client, NGHTTP2_FLAG_NONE, NULL, 0);
}

void http2_open(struct http2_pair *pair, const struct raffia_http2_limits *limits)
{
    open_pair(pair, limits, 0);
}

void http2_open_manual(struct http2_pair *pair, const struct raffia_http2_limits *limits)
{
    open_pair(pair, limits, 1);
}

void http2_close(struct http2_pair *pair)
{
    raffia_http2_free(pair->server);
    nghttp2_session_del(pair->client);
    for (size_t i = 0; i < HTTP2_STREAMS; i++)
        free(pair->responses[i].body);
}

void http2_run(struct http2_pair *pair)
{
    for (int moved = 1; moved;) {
        const uint8_t *bytes;
        const char *output;
        ssize_t sent;
        moved = 0;
        while ((sent = nghttp2_session_mem_send(pair->client, &bytes)) > 0) {
            pair->receives =
                raffia_http2_receive(pair->server, (const char *)bytes, (size_t)sent, pair->now);
            moved = 1;
        }
        CHECK_EQUAL(sent, 0);
        size_t size = raffia_http2_output(pair->server, &output);
        if (size == 0) continue;
        CHECK_EQUAL(nghttp2_session_mem_recv(pair->client, (const uint8_t *)output, size), size);
        raffia_http2_sent(pair->server, size);
        moved = 1;
    }
}

int32_t http2_request(struct http2_pair *pair, const nghttp2_nv *fields, size_t count,
                      const char *body, size_t size, int open)
{
    int32_t id = (int32_t)nghttp2_session_get_next_stream_id(pair->client);
    struct http2_response *response = http2_response(pair, id);
    response->request = body;
    response->left = size;
    response->open = open;
    nghttp2_data_provider provider = {.source.ptr = response, .read_callback = read_request};
    id = nghttp2_submit_request(pair->client, NULL, fields, count, body ? &provider : NULL, NULL);
    CHECK_EQUAL(id, response->id);
    return id;
}

int32_t http2_get(struct http2_pair *pair, const char *path)
{
    nghttp2_nv fields[] = {HTTP2_NV(":method", "GET"), HTTP2_NV(":scheme", "https"),
                           HTTP2_NV(":authority", "h:1"), HTTP2_NV(":path", "/"),
                           HTTP2_NV("user-agent", "test")};
    fields[3].value = (uint8_t *)(uintptr_t)path;
    fields[3].valuelen = strlen(path);
    return http2_request(pair, fields, COUNT(fields), NULL, 0, 0);
}

int32_t http2_post(struct http2_pair *pair, const char *body, size_t size, int open)
{
    nghttp2_nv fields[] = {HTTP2_NV(":method", "POST"), HTTP2_NV(":scheme", "https"),
                           HTTP2_NV(":authority", "h"), HTTP2_NV(":path", "/")};
    return http2_request(pair, fields, COUNT(fields), body, size, open);
}

void http2_more(struct http2_pair *pair, int32_t id, const char *body, size_t size, int open)
{
    struct http2_response *response = http2_response(pair, id);
    CHECK_EQUAL(response->left, 0);
    response->request = body;
    response->left = size;
    response->open = open;
    CHECK_EQUAL(nghttp2_session_resume_data(pair->client, id), 0);
}

struct raffia_http2_stream *http2_event(struct http2_pair *pair, unsigned expected)
{
    unsigned events;
    struct raffia_http2_stream *stream = raffia_http2_next_event(pair->server, &events);
    CHECK_EQUAL(events, expected);
    CHECK(stream);
    return stream;
}

void http2_no_event(struct http2_pair *pair)
{
    unsigned events;
    CHECK(raffia_http2_next_event(pair->server, &events) == NULL);
    CHECK_EQUAL(events, 0);
}

int http2_slice_is(const struct raffia_http2_fields *fields, struct raffia_http2_slice slice,
                   const char *text)
{
    return slice.size == strlen(text) && memcmp(fields->bytes + slice.start, text, slice.size) == 0;
}

void http2_respond(struct raffia_http2_stream *stream, const char *body, size_t size)
{
    struct raffia_http2_output_field fields[] = {{"content-type", "text/plain", 12, 10}};
    CHECK_EQUAL(raffia_http2_send_head(stream, 200, fields, 1, 0), 0);
    CHECK_EQUAL(raffia_http2_write(stream, body, size), 0);
    CHECK_EQUAL(raffia_http2_finish(stream, NULL, 0), 0);
}

void http2_raw_open(struct http2_raw *raw, const struct raffia_http2_limits *limits)
{
    memset(raw, 0, sizeof(*raw));
    raw->now = HTTP2_SECOND;
    CHECK_EQUAL(raffia_http2_open(&raw->server, limits), 0);
    http2_raw_send(raw, NGHTTP2_CLIENT_MAGIC, NGHTTP2_CLIENT_MAGIC_LEN);
    http2_raw_frame(raw, NGHTTP2_SETTINGS, 0, 0, NULL, 0);
    http2_raw_frame(raw, NGHTTP2_SETTINGS, NGHTTP2_FLAG_ACK, 0, NULL, 0);
    http2_raw_drain(raw);
    raw->frames[0] = 0;
    CHECK_EQUAL(raw->result, 0);
}

void http2_raw_close(struct http2_raw *raw)
{
    raffia_http2_free(raw->server);
}

void http2_raw_send(struct http2_raw *raw, const void *bytes, size_t size)
{
    char *copy = malloc(size ? size : 1); /* so that reads behind its end are seen */
    CHECK(copy);
    if (size) memcpy(copy, bytes, size);
    raw->result = raffia_http2_receive(raw->server, copy, size, raw->now);
    free(copy);
}

void http2_raw_frame(struct http2_raw *raw, uint8_t type, uint8_t flags, int32_t id,
                     const void *payload, size_t size)
{
    uint8_t *frame = malloc(9 + size);
    CHECK(frame);
    uint8_t head[9] = {
        (uint8_t)(size >> 16), (uint8_t)(size >> 8), (uint8_t)size,      type,       flags,
        (uint8_t)(id >> 24),   (uint8_t)(id >> 16),  (uint8_t)(id >> 8), (uint8_t)id};
    memcpy(frame, head, 9);
    if (size) memcpy(frame + 9, payload, size);
    raw->result = raffia_http2_receive(raw->server, (char *)frame, 9 + size, raw->now);
    free(frame);
}

static uint32_t number(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void add_frame(struct http2_raw *raw, const uint8_t *frame)
{
    static const char *const names[] = {"DATA",          "HEADERS",     "PRIORITY", "RST",
                                        "SETTINGS",      "PUSH",        "PING",     "GOAWAY",
                                        "WINDOW_UPDATE", "CONTINUATION"};
    size_t used = strlen(raw->frames), space = sizeof(raw->frames) - used;
    char *at = raw->frames + used;
    if (space < 64) return;
    at += snprintf(at, space, "%s%s", used ? " " : "", names[frame[3]]);
    if (frame[3] == NGHTTP2_GOAWAY)
        sprintf(at, "=%u", number(frame + 13));
    else if (frame[3] == NGHTTP2_RST_STREAM)
        sprintf(at, ":%u=%u", number(frame + 5), number(frame + 9));
    else
        sprintf(at, ":%u%s", number(frame + 5),
                frame[3] <= NGHTTP2_HEADERS && frame[4] & NGHTTP2_FLAG_END_STREAM ? "." : "");
}

void http2_raw_drain(struct http2_raw *raw)
{
    const char *output;
    size_t size;
    while ((size = raffia_http2_output(raw->server, &output)) > 0) {
        CHECK(raw->partial_size + 9 < sizeof(raw->partial));
        size_t space = sizeof(raw->partial) - raw->partial_size;
        if (size > space) size = space;
        memcpy(raw->partial + raw->partial_size, output, size);
        raw->partial_size += size;
        raffia_http2_sent(raw->server, size);
        for (;;) {
            size_t length = raw->partial_size < 9 ? 0 : 9 + (number(raw->partial) >> 8);
            if (length == 0 || raw->partial_size < length) break;
            add_frame(raw, raw->partial);
            raw->partial_size -= length;
            memmove(raw->partial, raw->partial + length, raw->partial_size);
        }
    }
}

#endif
