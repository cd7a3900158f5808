/* HTTP/2 with a client that keeps the rules: requests, bodies both ways, trailers, resets, windows,
 * ends of connections. */
#include "check.h"

#ifdef HAVE_NGHTTP2

#include "http2.h"

#include <stdlib.h>
#include <string.h>

static struct http2_pair pair;

static void hello(void)
{
    http2_open(&pair, &raffia_http2_defaults);
    int32_t id = http2_get(&pair, "/a?b=1");
    http2_run(&pair);
    struct raffia_http2_stream *stream = http2_event(&pair, RAFFIA_HTTP2_REQUEST);
    http2_no_event(&pair);
    const struct raffia_http2_head *head = stream->head;
    CHECK_EQUAL(stream->id, id);
    CHECK_EQUAL(stream->refusal, 0);
    CHECK(stream->input_ended);
    CHECK(http2_slice_is(&head->fields, head->method, "GET"));
    CHECK(http2_slice_is(&head->fields, head->path, "/a?b=1"));
    CHECK(http2_slice_is(&head->fields, head->authority, "h:1"));
    CHECK(http2_slice_is(&head->fields, head->scheme, "https"));
    CHECK_EQUAL(head->protocol.size, 0);
    CHECK_EQUAL(head->content_length, -1);
    CHECK_EQUAL(head->fields.count, 1);
    CHECK(http2_slice_is(&head->fields, head->fields.list[0].name, "user-agent"));
    CHECK(http2_slice_is(&head->fields, head->fields.list[0].value, "test"));
    CHECK_EQUAL(stream->arrived, pair.now);
    http2_respond(stream, "hello", 5);
    raffia_http2_release(stream);
    CHECK_EQUAL(raffia_http2_state(pair.server)->streams, 0);
    http2_run(&pair);
    http2_no_event(&pair);
    struct http2_response *response = http2_response(&pair, id);
    CHECK_EQUAL(response->status, 200);
    CHECK_EQUAL(strcmp(response->fields, "content-type=text/plain"), 0);
    CHECK_EQUAL(response->size, 5);
    CHECK_EQUAL(memcmp(response->body, "hello", 5), 0);
    CHECK(response->ended && response->closed);
    CHECK_EQUAL(response->code, NGHTTP2_NO_ERROR);
    CHECK(raffia_http2_state(pair.server)->settings_acked);
    CHECK_EQUAL(raffia_http2_state(pair.server)->requests, 1);
    http2_close(&pair);
}

static void upload(void)
{
    static char body[300000], copy[300000];
    size_t done = 0;
    for (size_t i = 0; i < sizeof(body); i++)
        body[i] = (char)check_random(256);
    http2_open(&pair, &raffia_http2_defaults);
    int32_t id = http2_post(&pair, body, sizeof(body), 0);
    http2_run(&pair);
    struct raffia_http2_stream *stream =
        http2_event(&pair, RAFFIA_HTTP2_REQUEST | RAFFIA_HTTP2_READABLE);
    /* The window of the stream bounds what is not read. */
    CHECK(raffia_http2_body_size(stream) > 60000);
    CHECK(raffia_http2_body_size(stream) <= raffia_http2_defaults.window);
    while (!stream->input_ended || raffia_http2_body_size(stream) > 0) {
        done += raffia_http2_read(stream, copy + done, 7777);
        http2_run(&pair);
    }
    CHECK_EQUAL(done, sizeof(body));
    CHECK_EQUAL(stream->received, sizeof(body));
    CHECK_EQUAL(memcmp(body, copy, sizeof(body)), 0);
    http2_respond(stream, "", 0);
    raffia_http2_release(stream);
    http2_run(&pair);
    CHECK(http2_response(&pair, id)->closed);
    http2_no_event(&pair);
    http2_close(&pair);
}

static struct raffia_http2_stream *requested(void)
{
    http2_run(&pair);
    struct raffia_http2_stream *stream = http2_event(&pair, RAFFIA_HTTP2_REQUEST);
    CHECK_EQUAL(stream->refusal, 0);
    return stream;
}

static void fields_of_requests(void)
{
    static const nghttp2_nv fields[] = {
        HTTP2_NV(":method", "PUT"), HTTP2_NV(":scheme", "http"),    HTTP2_NV(":path", "/x"),
        HTTP2_NV("host", "a.b:8"),  HTTP2_NV("cookie", "a=1"),      HTTP2_NV("cookie", "b=2"),
        HTTP2_NV("x-empty", ""),    HTTP2_NV("content-length", "3")};
    http2_open(&pair, &raffia_http2_defaults);
    http2_request(&pair, fields, COUNT(fields), "abc", 3, 0);
    http2_run(&pair);
    struct raffia_http2_stream *stream =
        http2_event(&pair, RAFFIA_HTTP2_REQUEST | RAFFIA_HTTP2_READABLE);
    const struct raffia_http2_head *head = stream->head;
    CHECK(http2_slice_is(&head->fields, head->authority, "a.b:8"));
    CHECK_EQUAL(head->content_length, 3);
    CHECK_EQUAL(head->fields.count, 4);
    CHECK(http2_slice_is(&head->fields, head->fields.list[1].value, "b=2"));
    CHECK(http2_slice_is(&head->fields, head->fields.list[2].name, "x-empty"));
    CHECK_EQUAL(head->fields.list[2].value.size, 0);
    raffia_http2_release_head(stream);
    CHECK(stream->head == NULL);
    raffia_http2_release(stream);
    http2_close(&pair);
}

static void download(void)
{
    static char body[1000000];
    size_t done = 0, waits = 0;
    for (size_t i = 0; i < sizeof(body); i++)
        body[i] = (char)check_random(256);
    http2_open(&pair, &raffia_http2_defaults);
    int32_t id = http2_get(&pair, "/");
    struct raffia_http2_stream *stream = requested();
    CHECK_EQUAL(raffia_http2_send_head(stream, 200, NULL, 0, 0), 0);
    while (done < sizeof(body)) {
        CHECK_EQUAL(raffia_http2_write(stream, body + done, 10000), 0);
        done += 10000;
        if (raffia_http2_buffered(stream) <= raffia_http2_defaults.output) continue;
        CHECK(raffia_http2_buffered(stream) < raffia_http2_defaults.output + 10000);
        http2_run(&pair);
        CHECK(http2_event(&pair, RAFFIA_HTTP2_WRITABLE) == stream);
        waits++;
    }
    CHECK(waits > 5);
    CHECK_EQUAL(raffia_http2_finish(stream, NULL, 0), 0);
    http2_run(&pair);
    CHECK(http2_event(&pair, RAFFIA_HTTP2_WRITABLE) == stream);
    CHECK(stream->closed);
    raffia_http2_release(stream);
    struct http2_response *response = http2_response(&pair, id);
    CHECK_EQUAL(response->size, sizeof(body));
    CHECK_EQUAL(memcmp(response->body, body, sizeof(body)), 0);
    CHECK(response->closed);
    http2_close(&pair);
}

static void trailers(void)
{
    static const nghttp2_nv request_trailers[] = {HTTP2_NV("x-sum", "42"), HTTP2_NV("x-b", "")};
    static const struct raffia_http2_output_field fields[] = {{"grpc-status", "0", 11, 1},
                                                              {"x-empty", "", 7, 0}};
    char bytes[10];
    http2_open(&pair, &raffia_http2_defaults);
    int32_t id = http2_post(&pair, "body", 4, 0);
    http2_response(&pair, id)->request_trailers = request_trailers;
    http2_response(&pair, id)->request_trailer_count = 2;
    http2_run(&pair);
    struct raffia_http2_stream *stream =
        http2_event(&pair, RAFFIA_HTTP2_REQUEST | RAFFIA_HTTP2_READABLE);
    CHECK_EQUAL(raffia_http2_read(stream, bytes, sizeof(bytes)), 4);
    CHECK(stream->input_ended && stream->trailers);
    CHECK_EQUAL(stream->trailers->count, 2);
    CHECK(http2_slice_is(stream->trailers, stream->trailers->list[0].name, "x-sum"));
    CHECK(http2_slice_is(stream->trailers, stream->trailers->list[0].value, "42"));
    CHECK_EQUAL(raffia_http2_send_interim(stream, 103, fields, 1), 0);
    CHECK_EQUAL(raffia_http2_send_head(stream, 200, fields + 1, 1, 0), 0);
    CHECK_EQUAL(raffia_http2_send_interim(stream, 103, fields, 1), -EINVAL);
    CHECK_EQUAL(raffia_http2_write(stream, "x", 1), 0);
    CHECK_EQUAL(raffia_http2_finish(stream, fields, 2), 0);
    CHECK_EQUAL(raffia_http2_write(stream, "x", 1), -EINVAL);
    raffia_http2_release(stream);
    http2_run(&pair);
    struct http2_response *response = http2_response(&pair, id);
    CHECK_EQUAL(strcmp(response->interim, "grpc-status=0"), 0);
    CHECK_EQUAL(strcmp(response->fields, "x-empty="), 0);
    CHECK_EQUAL(strcmp(response->trailers, "grpc-status=0 x-empty="), 0);
    CHECK_EQUAL(response->size, 1);
    CHECK(response->closed);
    http2_close(&pair);
}

static void trailers_without_a_body(void)
{
    static const struct raffia_http2_output_field status = {"grpc-status", "4", 11, 1};
    http2_open(&pair, &raffia_http2_defaults);
    int32_t id = http2_get(&pair, "/");
    struct raffia_http2_stream *stream = requested();
    CHECK_EQUAL(raffia_http2_finish(stream, NULL, 0), -EINVAL);
    CHECK_EQUAL(raffia_http2_send_head(stream, 200, &status, 1, 0), 0);
    http2_run(&pair);
    CHECK_EQUAL(raffia_http2_finish(stream, &status, 1), 0);
    http2_run(&pair);
    CHECK_EQUAL(strcmp(http2_response(&pair, id)->trailers, "grpc-status=4"), 0);
    CHECK(http2_response(&pair, id)->closed);
    raffia_http2_release(stream);
    http2_close(&pair);
}

/* Both ways at once, as gRPC does. */
static void conversation(void)
{
    char bytes[10];
    http2_open(&pair, &raffia_http2_defaults);
    int32_t id = http2_post(&pair, "1", 1, 1);
    http2_run(&pair);
    struct raffia_http2_stream *stream =
        http2_event(&pair, RAFFIA_HTTP2_REQUEST | RAFFIA_HTTP2_READABLE);
    CHECK_EQUAL(raffia_http2_send_head(stream, 200, NULL, 0, 0), 0);
    for (int i = 0; i < 50; i++) {
        CHECK_EQUAL(raffia_http2_read(stream, bytes, sizeof(bytes)), 1);
        CHECK_EQUAL(raffia_http2_write(stream, bytes, 1), 0);
        http2_run(&pair);
        CHECK_EQUAL(http2_response(&pair, id)->size, i + 1);
        http2_more(&pair, id, "2", 1, i < 49);
        http2_run(&pair);
        CHECK(http2_event(&pair, RAFFIA_HTTP2_READABLE) == stream);
    }
    CHECK(stream->input_ended);
    CHECK_EQUAL(raffia_http2_finish(stream, NULL, 0), 0);
    raffia_http2_release(stream);
    http2_run(&pair);
    CHECK(http2_response(&pair, id)->closed);
    CHECK_EQUAL(raffia_http2_state(pair.server)->resets_sent, 0);
    http2_close(&pair);
}

static void a_hundred_at_a_time(void)
{
    http2_open(&pair, &raffia_http2_defaults);
    for (int round = 0; round < 2; round++) {
        struct raffia_http2_stream *streams[100];
        for (int i = 0; i < 100; i++)
            http2_get(&pair, "/");
        http2_run(&pair);
        for (int i = 0; i < 100; i++)
            streams[i] = http2_event(&pair, RAFFIA_HTTP2_REQUEST);
        http2_no_event(&pair);
        CHECK_EQUAL(raffia_http2_state(pair.server)->streams, 100);
        for (int i = 99; i >= 0; i--) {
            http2_respond(streams[i], (char *)&streams[i]->id, 4);
            raffia_http2_release(streams[i]);
        }
        http2_run(&pair);
    }
    for (int32_t id = 1; id < 400; id += 2) {
        CHECK(http2_response(&pair, id)->closed);
        CHECK_EQUAL(memcmp(http2_response(&pair, id)->body, &id, 4), 0);
    }
    CHECK_EQUAL(raffia_http2_state(pair.server)->requests, 200);
    CHECK(raffia_http2_memsize(pair.server) < 48 << 10);
    http2_close(&pair);
}

/* A place is given back by the caller, not by a reset. */
static void places(void)
{
    struct raffia_http2_limits limits = raffia_http2_defaults;
    limits.streams = 2;
    http2_open(&pair, &limits);
    http2_get(&pair, "/");
    struct raffia_http2_stream *first = requested();
    http2_get(&pair, "/");
    struct raffia_http2_stream *second = requested();
    nghttp2_submit_rst_stream(pair.client, 0, first->id, NGHTTP2_CANCEL);
    http2_run(&pair);
    CHECK(http2_event(&pair, RAFFIA_HTTP2_CLOSED) == first);
    CHECK(first->closed);
    CHECK_EQUAL(first->code, NGHTTP2_CANCEL);
    CHECK_EQUAL(raffia_http2_state(pair.server)->resets_received, 1);
    int32_t refused = http2_get(&pair, "/");
    http2_run(&pair);
    http2_no_event(&pair);
    CHECK_EQUAL(http2_response(&pair, refused)->code, NGHTTP2_REFUSED_STREAM);
    raffia_http2_release(first);
    CHECK_EQUAL(raffia_http2_state(pair.server)->streams, 1);
    http2_get(&pair, "/");
    struct raffia_http2_stream *third = requested();
    http2_respond(second, "", 0);
    http2_respond(third, "", 0);
    raffia_http2_release(second);
    raffia_http2_release(third);
    http2_run(&pair);
    http2_no_event(&pair);
    http2_close(&pair);
}

/* A request whose reset comes with it is never seen. */
static void request_and_reset_at_once(void)
{
    http2_open(&pair, &raffia_http2_defaults);
    http2_run(&pair);
    int32_t id = http2_get(&pair, "/");
    nghttp2_submit_rst_stream(pair.client, 0, id, NGHTTP2_CANCEL);
    http2_run(&pair);
    http2_no_event(&pair);
    CHECK_EQUAL(raffia_http2_state(pair.server)->streams, 0);
    http2_close(&pair);
}

static void own_resets(void)
{
    http2_open(&pair, &raffia_http2_defaults);
    int32_t ids[3];
    for (int i = 0; i < 3; i++)
        ids[i] = http2_get(&pair, "/");
    http2_run(&pair);
    for (int i = 0; i < 3; i++) {
        struct raffia_http2_stream *stream = http2_event(&pair, RAFFIA_HTTP2_REQUEST);
        if (i > 0) CHECK_EQUAL(raffia_http2_send_head(stream, 200, NULL, 0, 0), 0);
        if (i > 1) CHECK_EQUAL(raffia_http2_write(stream, "part", 4), 0);
        if (i == 1) {
            CHECK_EQUAL(raffia_http2_reset(stream, NGHTTP2_CANCEL), 0);
            CHECK_EQUAL(raffia_http2_reset(stream, NGHTTP2_CANCEL), -EPIPE);
            CHECK_EQUAL(raffia_http2_write(stream, "part", 4), -EPIPE);
            CHECK_EQUAL(raffia_http2_finish(stream, NULL, 0), -EPIPE);
        }
        raffia_http2_release(stream);
    }
    http2_run(&pair);
    http2_no_event(&pair);
    CHECK_EQUAL(http2_response(&pair, ids[0])->code, NGHTTP2_INTERNAL_ERROR);
    CHECK_EQUAL(http2_response(&pair, ids[1])->code, NGHTTP2_CANCEL);
    CHECK_EQUAL(http2_response(&pair, ids[2])->code, NGHTTP2_INTERNAL_ERROR);
    CHECK_EQUAL(raffia_http2_state(pair.server)->resets_sent, 3);
    http2_close(&pair);
}

static struct raffia_http2_stream *respond_early(int32_t *id, const char *body, size_t size)
{
    *id = http2_post(&pair, body, size, 1);
    http2_run(&pair);
    struct raffia_http2_stream *stream =
        http2_event(&pair, RAFFIA_HTTP2_REQUEST | RAFFIA_HTTP2_READABLE);
    http2_respond(stream, "no", 2);
    http2_run(&pair);
    CHECK(http2_event(&pair, RAFFIA_HTTP2_WRITABLE) == stream);
    struct http2_response *response = http2_response(&pair, *id);
    CHECK(response->ended && !response->closed);
    CHECK_EQUAL(response->size, 2);
    return stream;
}

/* The response comes before the request's body: it is whole, and the client is stopped later. */
static void early_response(void)
{
    static char body[200000];
    int32_t id;
    http2_open(&pair, &raffia_http2_defaults);
    struct raffia_http2_stream *stream = respond_early(&id, body, sizeof(body));
    raffia_http2_release(stream);
    CHECK_EQUAL(raffia_http2_stop_uploads(pair.server), 0);
    http2_run(&pair);
    struct http2_response *response = http2_response(&pair, id);
    CHECK(!response->closed);
    CHECK_EQUAL(raffia_http2_stop_uploads(pair.server), 0);
    http2_run(&pair);
    CHECK(response->closed);
    CHECK_EQUAL(response->code, NGHTTP2_NO_ERROR);
    CHECK_EQUAL(raffia_http2_state(pair.server)->resets_sent, 1);
    http2_no_event(&pair);
    http2_close(&pair);
}

/* A client that ends its request soon after its response gets no reset. */
static void early_response_and_end(void)
{
    int32_t id;
    http2_open(&pair, &raffia_http2_defaults);
    struct raffia_http2_stream *stream = respond_early(&id, "12", 2);
    raffia_http2_stop_uploads(pair.server);
    raffia_http2_release(stream);
    http2_more(&pair, id, "34", 2, 0);
    http2_run(&pair);
    raffia_http2_stop_uploads(pair.server);
    http2_run(&pair);
    CHECK(http2_response(&pair, id)->closed);
    CHECK_EQUAL(raffia_http2_state(pair.server)->resets_sent, 0);
    http2_close(&pair);
}

/* A stream that nobody reads does not stop another one. */
static void windows_of_streams(void)
{
    static char body[1 << 20];
    struct raffia_http2_limits limits = raffia_http2_defaults;
    char bytes[1000];
    http2_open(&pair, &limits);
    for (int i = 0; i < 20; i++)
        http2_post(&pair, body, sizeof(body), 0);
    http2_run(&pair);
    struct raffia_http2_stream *streams[20];
    for (int i = 0; i < 20; i++)
        streams[i] = http2_event(&pair, RAFFIA_HTTP2_REQUEST | RAFFIA_HTTP2_READABLE);
    size_t done = 0;
    while (!streams[19]->input_ended || raffia_http2_body_size(streams[19]) > 0) {
        done += raffia_http2_read(streams[19], bytes, sizeof(bytes));
        http2_run(&pair);
    }
    CHECK_EQUAL(done, sizeof(body));
    CHECK(raffia_http2_memsize(pair.server) < 20 * (140u << 10));
    for (int i = 0; i < 19; i++)
        CHECK(raffia_http2_body_size(streams[i]) <= limits.window);
    for (int i = 0; i < 20; i++)
        raffia_http2_release(streams[i]);
    http2_close(&pair);
}

/* No update is sent for a body of known length that fits into the window, but padding fills the
 * window, too. */
static void updates_of_windows(void)
{
    static const char head[] = "\x83\x86\x84\x41\x01h\x0f\x0d\x05"
                               "60000";
    static char bytes[10000], padded[257] = "\xff";
    static struct http2_raw raw;
    http2_raw_open(&raw, &raffia_http2_defaults);
    http2_raw_frame(&raw, NGHTTP2_HEADERS, NGHTTP2_FLAG_END_HEADERS, 1, head, sizeof(head) - 1);
    unsigned events;
    struct raffia_http2_stream *stream = NULL;
    size_t done = 0;
    for (int i = 0; i < 4; i++) {
        http2_raw_frame(&raw, NGHTTP2_DATA, 0, 1, bytes, sizeof(bytes));
        stream = raffia_http2_next_event(raw.server, &events);
        CHECK(stream);
        CHECK(stream->input_capacity <= 60000);
        done += raffia_http2_read(stream, bytes, sizeof(bytes));
        http2_raw_drain(&raw);
    }
    CHECK_EQUAL(done, 40000);
    CHECK(!strstr(raw.frames, "WINDOW_UPDATE:1"));
    for (int i = 0; i < 30; i++)
        http2_raw_frame(&raw, NGHTTP2_DATA, NGHTTP2_FLAG_PADDED, 1, padded, sizeof(padded));
    http2_raw_drain(&raw);
    CHECK(strstr(raw.frames, "WINDOW_UPDATE:1"));
    raffia_http2_release(stream);
    http2_raw_close(&raw);
}

static void body_over_the_limit(void)
{
    struct raffia_http2_limits limits = raffia_http2_defaults;
    static char body[2000];
    limits.body = 1000;
    http2_open(&pair, &limits);
    int32_t id = http2_post(&pair, body, 1000, 0);
    http2_run(&pair);
    struct raffia_http2_stream *stream =
        http2_event(&pair, RAFFIA_HTTP2_REQUEST | RAFFIA_HTTP2_READABLE);
    CHECK_EQUAL(stream->refusal, 0);
    http2_respond(stream, "", 0);
    raffia_http2_release(stream);
    id = http2_post(&pair, body, 900, 1);
    http2_run(&pair);
    stream = http2_event(&pair, RAFFIA_HTTP2_REQUEST | RAFFIA_HTTP2_READABLE);
    CHECK_EQUAL(stream->refusal, 0);
    http2_more(&pair, id, body, 101, 1);
    http2_run(&pair);
    CHECK(http2_event(&pair, RAFFIA_HTTP2_READABLE) == stream);
    CHECK_EQUAL(stream->refusal, 413);
    CHECK_EQUAL(raffia_http2_body_size(stream), 0);
    CHECK_EQUAL(raffia_http2_send_head(stream, 413, NULL, 0, 1), 0);
    raffia_http2_release(stream);
    http2_run(&pair);
    CHECK_EQUAL(http2_response(&pair, id)->status, 413);
    CHECK(http2_response(&pair, id)->ended);
    http2_close(&pair);
}

static void announced_body_over_the_limit(void)
{
    static const nghttp2_nv fields[] = {HTTP2_NV(":method", "PUT"), HTTP2_NV(":scheme", "http"),
                                        HTTP2_NV(":path", "/"), HTTP2_NV(":authority", "h"),
                                        HTTP2_NV("content-length", "99999999999999999999")};
    http2_open(&pair, &raffia_http2_defaults);
    int32_t id = http2_request(&pair, fields, COUNT(fields), "", 0, 1);
    (void)id;
    http2_run(&pair);
    /* It is no number that libnghttp2 takes. */
    http2_no_event(&pair);
    CHECK_EQUAL(http2_response(&pair, id)->code, NGHTTP2_PROTOCOL_ERROR);
    nghttp2_nv less[COUNT(fields)];
    memcpy(less, fields, sizeof(fields));
    less[4].valuelen = 9;
    http2_request(&pair, less, COUNT(less), "", 0, 1);
    http2_run(&pair);
    struct raffia_http2_stream *stream = http2_event(&pair, RAFFIA_HTTP2_REQUEST);
    CHECK_EQUAL(stream->refusal, 413);
    CHECK_EQUAL(stream->head->content_length, 999999999);
    raffia_http2_release(stream);
    http2_close(&pair);
}

static void head_over_the_limit(void)
{
    static char value[40000];
    memset(value, 'a', sizeof(value));
    nghttp2_nv fields[] = {HTTP2_NV(":method", "GET"), HTTP2_NV(":scheme", "http"),
                           HTTP2_NV(":path", "/"),     HTTP2_NV(":authority", "h"),
                           HTTP2_NV("x-long", ""),     HTTP2_NV("x-after", "1")};
    fields[4].value = (uint8_t *)value;
    fields[4].valuelen = sizeof(value);
    http2_open(&pair, &raffia_http2_defaults);
    int32_t id = http2_request(&pair, fields, COUNT(fields), NULL, 0, 0);
    http2_run(&pair);
    struct raffia_http2_stream *stream = http2_event(&pair, RAFFIA_HTTP2_REQUEST);
    CHECK_EQUAL(stream->refusal, 431);
    CHECK(stream->reason);
    CHECK_EQUAL(stream->head->fields.count, 0);
    CHECK_EQUAL(raffia_http2_send_head(stream, stream->refusal, NULL, 0, 1), 0);
    raffia_http2_release(stream);
    http2_run(&pair);
    CHECK_EQUAL(http2_response(&pair, id)->status, 431);
    /* The table of HPACK has gone on, so its fields are understood; the next such head ends it. */
    http2_get(&pair, "/after");
    stream = requested();
    CHECK(http2_slice_is(&stream->head->fields, stream->head->path, "/after"));
    http2_request(&pair, fields, COUNT(fields), NULL, 0, 0);
    http2_run(&pair);
    CHECK_EQUAL(pair.goaway, NGHTTP2_ENHANCE_YOUR_CALM);
    CHECK(raffia_http2_state(pair.server)->failed);
    CHECK_EQUAL(strcmp(raffia_http2_state(pair.server)->abuse, "head"), 0);
    CHECK(http2_event(&pair, RAFFIA_HTTP2_CLOSED) == stream);
    raffia_http2_release(stream);
    http2_close(&pair);
}

static void many_fields(void)
{
    nghttp2_nv fields[105] = {HTTP2_NV(":method", "GET"), HTTP2_NV(":scheme", "http"),
                              HTTP2_NV(":path", "/"), HTTP2_NV(":authority", "h")};
    for (size_t i = 4; i < COUNT(fields); i++)
        fields[i] = (nghttp2_nv)HTTP2_NV("x", "1");
    http2_open(&pair, &raffia_http2_defaults);
    http2_request(&pair, fields, 104, NULL, 0, 0);
    http2_run(&pair);
    struct raffia_http2_stream *stream = http2_event(&pair, RAFFIA_HTTP2_REQUEST);
    CHECK_EQUAL(stream->refusal, 0);
    CHECK_EQUAL(stream->head->fields.count, 100);
    raffia_http2_release(stream);
    http2_request(&pair, fields, 105, NULL, 0, 0);
    http2_run(&pair);
    stream = http2_event(&pair, RAFFIA_HTTP2_REQUEST);
    CHECK_EQUAL(stream->refusal, 431);
    raffia_http2_release(stream);
    http2_close(&pair);
}

static void trailers_over_the_limit(void)
{
    static char value[9000];
    memset(value, 'a', sizeof(value));
    nghttp2_nv fields[] = {HTTP2_NV("a", "1"), HTTP2_NV("b", "")};
    fields[1].value = (uint8_t *)value;
    fields[1].valuelen = sizeof(value);
    http2_open(&pair, &raffia_http2_defaults);
    int32_t id = http2_post(&pair, "a", 1, 0);
    http2_response(&pair, id)->request_trailers = fields;
    http2_response(&pair, id)->request_trailer_count = 2;
    http2_run(&pair);
    struct raffia_http2_stream *stream =
        http2_event(&pair, RAFFIA_HTTP2_REQUEST | RAFFIA_HTTP2_READABLE);
    CHECK_EQUAL(stream->refusal, 431);
    CHECK(stream->trailers == NULL && stream->input_ended);
    raffia_http2_release(stream);
    http2_close(&pair);
}

static void extended_connect(void)
{
    static const nghttp2_nv fields[] = {
        HTTP2_NV(":method", "CONNECT"), HTTP2_NV(":protocol", "websocket"),
        HTTP2_NV(":scheme", "https"), HTTP2_NV(":path", "/chat"), HTTP2_NV(":authority", "server")};
    struct raffia_http2_limits limits = raffia_http2_defaults;
    char bytes[10];
    http2_open(&pair, &limits);
    http2_request(&pair, fields, COUNT(fields), "", 0, 1);
    http2_run(&pair); /* not offered, so malformed */
    http2_no_event(&pair);
    CHECK_EQUAL(http2_response(&pair, 1)->code, NGHTTP2_PROTOCOL_ERROR);
    http2_close(&pair);
    limits.connect = 1;
    http2_open(&pair, &limits);
    int32_t id = http2_request(&pair, fields, COUNT(fields), "", 0, 1);
    http2_run(&pair);
    CHECK_EQUAL(
        nghttp2_session_get_remote_settings(pair.client, NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL),
        1);
    struct raffia_http2_stream *stream = http2_event(&pair, RAFFIA_HTTP2_REQUEST);
    CHECK(http2_slice_is(&stream->head->fields, stream->head->protocol, "websocket"));
    CHECK_EQUAL(raffia_http2_send_head(stream, 200, NULL, 0, 0), 0);
    CHECK_EQUAL(raffia_http2_write(stream, "down", 4), 0);
    http2_run(&pair);
    http2_more(&pair, id, "up", 2, 0);
    http2_run(&pair);
    CHECK(http2_event(&pair, RAFFIA_HTTP2_READABLE) == stream);
    CHECK_EQUAL(raffia_http2_read(stream, bytes, sizeof(bytes)), 2);
    CHECK(stream->input_ended);
    CHECK_EQUAL(http2_response(&pair, id)->size, 4);
    CHECK_EQUAL(raffia_http2_finish(stream, NULL, 0), 0);
    raffia_http2_release(stream);
    http2_run(&pair);
    CHECK(http2_response(&pair, id)->closed);
    http2_close(&pair);
}

/* The more urgent body comes first, however the requests came. */
static void priorities(void)
{
    static char body[40000];
    http2_open(&pair, &raffia_http2_defaults);
    int32_t first = http2_get(&pair, "/"), second = http2_get(&pair, "/");
    http2_run(&pair);
    struct raffia_http2_stream *low = http2_event(&pair, RAFFIA_HTTP2_REQUEST),
                               *high = http2_event(&pair, RAFFIA_HTTP2_REQUEST);
    CHECK_EQUAL(raffia_http2_prioritize(low, 7, 0), 0);
    CHECK_EQUAL(raffia_http2_prioritize(high, 1, 0), 0);
    http2_respond(low, body, sizeof(body));
    http2_respond(high, body, sizeof(body));
    raffia_http2_release(low);
    raffia_http2_release(high);
    const char *output;
    size_t size = raffia_http2_output(pair.server, &output);
    CHECK_EQUAL(nghttp2_session_mem_recv(pair.client, (const uint8_t *)output, 45000), 45000);
    CHECK(http2_response(&pair, second)->ended);
    CHECK(http2_response(&pair, first)->size < 5000);
    CHECK_EQUAL(
        nghttp2_session_mem_recv(pair.client, (const uint8_t *)output + 45000, size - 45000),
        size - 45000);
    raffia_http2_sent(pair.server, size);
    http2_run(&pair);
    CHECK(http2_response(&pair, first)->ended);
    http2_close(&pair);
}

/* Few frames are made ahead; bodies wait for windows without growing. */
static void output_is_bounded(void)
{
    static char body[1 << 20];
    struct raffia_http2_stream *streams[20];
    const char *output;
    http2_open_manual(&pair, &raffia_http2_defaults);
    for (int i = 0; i < 20; i++)
        http2_get(&pair, "/");
    http2_run(&pair);
    for (int i = 0; i < 20; i++) {
        streams[i] = http2_event(&pair, RAFFIA_HTTP2_REQUEST);
        CHECK_EQUAL(raffia_http2_send_head(streams[i], 200, NULL, 0, 0), 0);
        CHECK_EQUAL(raffia_http2_write(streams[i], body, 60000), 0);
    }
    CHECK(!raffia_http2_state(pair.server)->output_blocked);
    size_t size = raffia_http2_output(pair.server, &output);
    CHECK(size >= raffia_http2_defaults.unsent && size < raffia_http2_defaults.unsent + (17 << 10));
    http2_run(&pair);
    CHECK(raffia_http2_state(pair.server)->output_blocked);
    CHECK(!raffia_http2_wants_write(pair.server));
    /* Together they have so much that each has to wait, and is told when it need not. */
    CHECK(raffia_http2_is_full(streams[19]));
    http2_no_event(&pair);
    for (int i = 0; i < 19; i++) {
        nghttp2_session_consume(pair.client, i * 2 + 1, 60000);
        http2_run(&pair);
    }
    int told = 0;
    unsigned events;
    while (raffia_http2_next_event(pair.server, &events)) {
        CHECK_EQUAL(events, RAFFIA_HTTP2_WRITABLE);
        told++;
    }
    CHECK(told > 10);
    CHECK(!raffia_http2_is_full(streams[0]));
    for (int i = 0; i < 20; i++)
        raffia_http2_release(streams[i]);
    http2_close(&pair);
}

static void a_connection_ends_in_two_steps(void)
{
    http2_open(&pair, &raffia_http2_defaults);
    http2_run(&pair);
    CHECK_EQUAL(raffia_http2_announce_end(pair.server), 0);
    int32_t id = http2_get(&pair, "/"); /* it crosses with the announcement */
    CHECK_EQUAL(raffia_http2_ping(pair.server), 0);
    CHECK(raffia_http2_state(pair.server)->ping_unanswered);
    http2_run(&pair);
    CHECK(!raffia_http2_state(pair.server)->ping_unanswered);
    CHECK_EQUAL(pair.goaway_last, INT32_MAX);
    struct raffia_http2_stream *stream = http2_event(&pair, RAFFIA_HTTP2_REQUEST);
    CHECK_EQUAL(raffia_http2_goaway(pair.server, NGHTTP2_NO_ERROR), 0);
    http2_run(&pair);
    CHECK_EQUAL(pair.goaway_last, id);
    CHECK_EQUAL(pair.goaway, NGHTTP2_NO_ERROR);
    CHECK(!raffia_http2_state(pair.server)->over);
    http2_respond(stream, "last", 4);
    raffia_http2_release(stream);
    http2_run(&pair);
    CHECK_EQUAL(http2_response(&pair, id)->size, 4);
    CHECK(raffia_http2_state(pair.server)->over);
    CHECK(!raffia_http2_state(pair.server)->failed);
    http2_close(&pair);
}

static void pings(void)
{
    http2_open(&pair, &raffia_http2_defaults);
    nghttp2_submit_ping(pair.client, 0, NULL);
    http2_run(&pair);
    CHECK_EQUAL(pair.pings, 1);
    nghttp2_submit_goaway(pair.client, 0, 0, 0, NULL, 0);
    http2_run(&pair);
    CHECK(raffia_http2_state(pair.server)->client_going_away);
    http2_close(&pair);
}

static void streams_that_are_left(void)
{
    http2_open(&pair, &raffia_http2_defaults);
    http2_get(&pair, "/");
    http2_get(&pair, "/");
    struct raffia_http2_stream *stream = requested();
    CHECK_EQUAL(raffia_http2_send_head(stream, 200, NULL, 0, 0), 0);
    CHECK_EQUAL(raffia_http2_write(stream, "abc", 3), 0);
    http2_close(&pair); /* with events, output and streams */
}

static const struct check_test tests[] = {
    TEST(hello),
    TEST(upload),
    TEST(fields_of_requests),
    TEST(download),
    TEST(trailers),
    TEST(trailers_without_a_body),
    TEST(conversation),
    TEST(a_hundred_at_a_time),
    TEST(places),
    TEST(request_and_reset_at_once),
    TEST(own_resets),
    TEST(early_response),
    TEST(early_response_and_end),
    TEST(windows_of_streams),
    TEST(updates_of_windows),
    TEST(body_over_the_limit),
    TEST(announced_body_over_the_limit),
    TEST(head_over_the_limit),
    TEST(many_fields),
    TEST(trailers_over_the_limit),
    TEST(extended_connect),
    TEST(priorities),
    TEST(output_is_bounded),
    TEST(a_connection_ends_in_two_steps),
    TEST(pings),
    TEST(streams_that_are_left),
};

int main(void)
{
    return check_run("http2", tests, COUNT(tests));
}

#else

int main(void)
{
    return 0;
}

#endif
