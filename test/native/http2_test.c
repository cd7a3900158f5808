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

static const struct check_test tests[] = {TEST(hello), TEST(upload)};

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
