/* Clients that attack: each is ended with ENHANCE_YOUR_CALM, and memory stays bounded until then.
 * Those that only look like it go on. */
#include "check.h"

#ifdef HAVE_NGHTTP2

#include "http2.h"

#include <stdio.h>
#include <string.h>

enum {
    END_STREAM = 1,
    END_HEADERS = 4,
    PADDED = 8,
    MOST = 20000,
    GET_SIZE = sizeof(HTTP2_GET) - 1
};

static struct http2_raw raw;

static const struct raffia_http2_state *state(void)
{
    return raffia_http2_state(raw.server);
}

static void begin(void)
{
    http2_raw_open(&raw, &raffia_http2_defaults);
}

static void get(int32_t id)
{
    http2_raw_frame(&raw, NGHTTP2_HEADERS, END_STREAM | END_HEADERS, id, HTTP2_GET, GET_SIZE);
}

static struct raffia_http2_stream *event(void)
{
    unsigned events;
    return raffia_http2_next_event(raw.server, &events);
}

/* Drains the output; forgets its text, but for the end of it all. */
static void flush(void)
{
    if (!state()->failed) raw.frames[0] = 0;
    http2_raw_drain(&raw);
}

/* The session has ended in that way, after so many steps at least and at most. */
static void ended(const char *kind, int steps, int least, int most)
{
    CHECK_EQUAL(raw.result, -EPROTO);
    CHECK(state()->failed && state()->abuse);
    if (strcmp(state()->abuse, kind)) printf("abuse: %s, not %s\n", state()->abuse, kind);
    CHECK_EQUAL(strcmp(state()->abuse, kind), 0);
    if (steps < least || steps > most) printf("%d steps\n", steps);
    CHECK(steps >= least && steps <= most);
    flush();
    if (!strstr(raw.frames, "GOAWAY=11")) printf("%s: frames: %s\n", kind, raw.frames);
    CHECK(strstr(raw.frames, "GOAWAY=11"));
    CHECK(state()->over);
    CHECK_EQUAL(raffia_http2_receive(raw.server, "x", 1, raw.now), -EPROTO);
    http2_raw_close(&raw);
}

static void rapid_reset(void)
{
    int count = 0;
    begin();
    for (int32_t id = 1; raw.result == 0 && count < MOST; id += 2, count++) {
        get(id);
        http2_raw_frame(&raw, NGHTTP2_RST_STREAM, 0, id, "\0\0\0\10", 4);
        CHECK(event() == NULL);
        CHECK(state()->streams <= 1);
        CHECK(raffia_http2_memsize(raw.server) < 64 << 10);
    }
    ended("resets", count, 200, 202);
}

/* Requests that have begun keep their places; beyond them streams are refused, which counts. */
static void reset_after_the_request_has_begun(void)
{
    int count = 0, begun = 0;
    begin();
    for (int32_t id = 1; raw.result == 0 && count < MOST; id += 2, count++) {
        get(id);
        if (event()) begun++;
        http2_raw_frame(&raw, NGHTTP2_RST_STREAM, 0, id, "\0\0\0\10", 4);
        while (event())
            continue;
        flush();
        CHECK(state()->streams <= raffia_http2_defaults.streams);
        CHECK(raffia_http2_memsize(raw.server) < 512 << 10);
    }
    CHECK_EQUAL(begun, 100);
    ended("resets", count, 900, 1100);
}

/* A browser that leaves a page. */
static void resets_at_a_low_rate(void)
{
    begin();
    for (int32_t id = 1; id < 6000; id += 2) {
        get(id);
        struct raffia_http2_stream *stream = event();
        CHECK(stream);
        http2_raw_frame(&raw, NGHTTP2_RST_STREAM, 0, id, "\0\0\0\10", 4);
        CHECK(event() == stream);
        raffia_http2_release(stream);
        raw.now += HTTP2_SECOND / 30;
        CHECK_EQUAL(raw.result, 0);
    }
    http2_raw_close(&raw);
}

/* The server is made to reset: a window that overflows. */
static void made_reset_by_a_window(void)
{
    int count = 0;
    begin();
    for (int32_t id = 1; raw.result == 0 && count < MOST; id += 2, count++) {
        get(id);
        struct raffia_http2_stream *stream = event();
        http2_raw_frame(&raw, NGHTTP2_WINDOW_UPDATE, 0, id, "\x7f\xff\xff\xff", 4);
        flush();
        if (!stream) continue;
        CHECK(stream->closed);
        raffia_http2_release(stream);
    }
    ended("provoked_resets", count, 200, 202);
}

static void made_reset_by_fields(void)
{
    static const char upper[] = "\x82\x86\x84\x41\x01h\x40\x01X\x01y";
    int count = 0;
    begin();
    for (int32_t id = 1; raw.result == 0 && count < MOST; id += 2, count++) {
        http2_raw_frame(&raw, NGHTTP2_HEADERS, END_STREAM | END_HEADERS, id, upper,
                        sizeof(upper) - 1);
        CHECK(event() == NULL);
        CHECK(state()->streams <= 1);
    }
    ended("provoked_resets", count, 200, 202);
}

static void made_reset_by_hosts(void)
{
    static const char hosts[] = "\x82\x86\x84\x41\x01h\x40\x04host\x01i";
    int count = 0;
    begin();
    for (int32_t id = 1; raw.result == 0 && count < MOST; id += 2, count++) {
        http2_raw_frame(&raw, NGHTTP2_HEADERS, END_STREAM | END_HEADERS, id, hosts,
                        sizeof(hosts) - 1);
        CHECK(event() == NULL);
    }
    ended("provoked_resets", count, 200, 202);
}

/* Also after the server has announced its end. */
static void made_reset_while_it_drains(void)
{
    static const char upper[] = "\x82\x86\x84\x41\x01h\x40\x01X\x01y";
    int count = 0;
    begin();
    raffia_http2_announce_end(raw.server);
    flush();
    for (int32_t id = 1; raw.result == 0 && count < MOST; id += 2, count++)
        http2_raw_frame(&raw, NGHTTP2_HEADERS, END_STREAM | END_HEADERS, id, upper,
                        sizeof(upper) - 1);
    ended("provoked_resets", count, 200, 202);
}

/* The client takes no bytes, so nothing of what it causes can be sent. */
static void frames_that_cannot_be_sent(void)
{
    int count = 0;
    begin();
    get(1);
    struct raffia_http2_stream *stream = event();
    static char body[1 << 16];
    http2_raw_frame(&raw, NGHTTP2_WINDOW_UPDATE, 0, 0, "\0\xff\xff\xff", 4);
    http2_raw_frame(&raw, NGHTTP2_WINDOW_UPDATE, 0, 1, "\0\xff\xff\xff", 4);
    CHECK_EQUAL(raffia_http2_send_head(stream, 200, NULL, 0, 0), 0);
    for (int i = 0; i < 3; i++) {
        const char *output;
        CHECK_EQUAL(raffia_http2_write(stream, body, sizeof(body)), 0);
        CHECK(raffia_http2_output(raw.server, &output) > 0);
    }
    for (int32_t id = 3; raw.result == 0 && count < MOST; id += 2, count++) {
        http2_raw_frame(&raw, NGHTTP2_HEADERS, END_STREAM | END_HEADERS, id,
                        "\x82\x86\x84\x41\x01h\x40\x01X\x01y", 11);
        CHECK(raffia_http2_memsize(raw.server) < 1 << 20);
    }
    /* Nothing is noticed until bytes are taken, and nothing grows. */
    flush();
    CHECK(state()->failed);
    CHECK(strstr(raw.frames, "GOAWAY="));
    http2_raw_close(&raw);
}

static void continuations(void)
{
    int count = 0;
    begin();
    http2_raw_frame(&raw, NGHTTP2_HEADERS, END_STREAM, 1, HTTP2_GET, 3);
    CHECK(state()->in_head);
    for (; raw.result == 0 && count < MOST; count++)
        http2_raw_frame(&raw, NGHTTP2_CONTINUATION, 0, 1, "\x84", 1);
    ended("continuations", count, 9, 9);
}

static void a_large_block(void)
{
    enum { FIELD = 128 };
    static char block[128 * FIELD];
    int count = 1;
    memset(block, 'v', sizeof(block));
    for (size_t i = 0; i < sizeof(block); i += FIELD)
        memcpy(block + i, "\0\1a\x7c", 4); /* and a value of 124 bytes */
    begin();
    http2_raw_frame(&raw, NGHTTP2_HEADERS, END_STREAM, 1, block, sizeof(block));
    for (; raw.result == 0 && count < MOST; count++) {
        http2_raw_frame(&raw, NGHTTP2_CONTINUATION, 0, 1, block, sizeof(block));
        CHECK(raffia_http2_memsize(raw.server) < 256 << 10);
    }
    ended("head", count, 5, 5);
}

/* One long field in the table, and references of one byte to it: the block's size. */
static size_t refer(char *block, size_t references)
{
    size_t size = 12;
    memcpy(block, HTTP2_GET, 6);
    memcpy(block + 6, "\x40\1a\x7f\x81\x1e", 6); /* 127 + 1 + 30 * 128 = 3968 */
    memset(block + size, 'b', 3968);
    size += 3968;
    memset(block + size, '\xbe', references);
    return size + references;
}

static void large_heads(void)
{
    static char block[16384];
    begin();
    size_t size = refer(block, 10);
    http2_raw_frame(&raw, NGHTTP2_HEADERS, END_STREAM | END_HEADERS, 1, block, size);
    CHECK_EQUAL(raw.result, 0);
    struct raffia_http2_stream *stream = event();
    CHECK(stream);
    CHECK_EQUAL(stream->refusal, 431);
    raffia_http2_release(stream);
    http2_raw_frame(&raw, NGHTTP2_HEADERS, END_STREAM | END_HEADERS, 3, block, size);
    ended("head", 2, 2, 2);
}

static void bomb(void)
{
    static char block[16384];
    begin();
    size_t size = refer(block, sizeof(block) - 3980);
    http2_raw_frame(&raw, NGHTTP2_HEADERS, END_STREAM | END_HEADERS, 1, block, size);
    CHECK(raffia_http2_memsize(raw.server) < 256 << 10);
    CHECK(!event());
    ended("head", 1, 1, 1);
}

static void pings(void)
{
    int count = 0;
    begin();
    for (; raw.result == 0 && count < MOST; count++) {
        http2_raw_frame(&raw, NGHTTP2_PING, 0, 0, "01234567", 8);
        CHECK(raffia_http2_memsize(raw.server) < 64 << 10);
    }
    ended("pings", count, 100, 102);
}

/* gRPC's keep-alive, and more. */
static void pings_at_a_low_rate(void)
{
    begin();
    for (int i = 0; i < 1000; i++) {
        http2_raw_frame(&raw, NGHTTP2_PING, 0, 0, "01234567", 8);
        flush();
        raw.now += HTTP2_SECOND / 5;
        CHECK_EQUAL(raw.result, 0);
    }
    http2_raw_close(&raw);
}

/* gRPC's clients measure the time of a round trip while they receive. */
static void pings_for_data(void)
{
    begin();
    get(1);
    struct raffia_http2_stream *stream = event();
    CHECK_EQUAL(raffia_http2_send_head(stream, 200, NULL, 0, 0), 0);
    for (int i = 0; i < 5000; i++) {
        CHECK_EQUAL(raffia_http2_write(stream, "x", 1), 0);
        flush();
        http2_raw_frame(&raw, NGHTTP2_PING, 0, 0, "01234567", 8);
        CHECK_EQUAL(raw.result, 0);
    }
    http2_raw_close(&raw);
}

/* The connection of a watcher: a PING each five seconds, for 35 days. */
static void a_long_life(void)
{
    begin();
    for (int i = 0; i < 35 * 24 * 720; i += 720) {
        static char hour[17 * 720];
        for (size_t at = 0; at < sizeof(hour); at += 17)
            memcpy(hour + at,
                   "\0\0\10\6\0\0\0\0\0"
                   "01234567",
                   17);
        for (size_t at = 0; at < sizeof(hour); at += 17 * 90) {
            http2_raw_send(&raw, hour + at, 17 * 90);
            raw.now += 450LL * HTTP2_SECOND;
            raffia_http2_sent(raw.server, SIZE_MAX);
        }
        CHECK_EQUAL(raw.result, 0);
    }
    http2_raw_close(&raw);
}

static void settings(void)
{
    int count = 0;
    begin();
    for (; raw.result == 0 && count < MOST; count++)
        http2_raw_frame(&raw, NGHTTP2_SETTINGS, 0, 0, "\0\4\0\1\0\0", 6);
    ended("settings", count, 98, 100);
}

static void large_settings(void)
{
    static char payload[6 * 33];
    begin();
    http2_raw_frame(&raw, NGHTTP2_SETTINGS, 0, 0, payload, sizeof(payload));
    ended("settings", 1, 1, 1);
}

static struct raffia_http2_stream *post(int32_t id)
{
    http2_raw_frame(&raw, NGHTTP2_HEADERS, END_HEADERS, id, "\x83\x86\x84\x41\x01h", 6);
    struct raffia_http2_stream *stream = event();
    CHECK(stream);
    return stream;
}

static void empty_frames(void)
{
    int count = 0;
    begin();
    post(1);
    for (; raw.result == 0 && count < MOST; count++)
        http2_raw_frame(&raw, NGHTTP2_DATA, 0, 1, NULL, 0);
    ended("empty_frames", count, 101, 101);
}

static void padding_only(void)
{
    static const char padding[100] = {99};
    int count = 0;
    begin();
    post(1);
    for (; raw.result == 0 && count < MOST; count++)
        http2_raw_frame(&raw, NGHTTP2_DATA, PADDED, 1, padding, sizeof(padding));
    ended("empty_frames", count, 101, 101);
}

static void empty_frames_between_others(void)
{
    int count = 0;
    begin();
    struct raffia_http2_stream *stream = post(1);
    for (; raw.result == 0 && count < MOST; count++) {
        char byte;
        http2_raw_frame(&raw, NGHTTP2_DATA, 0, 1, NULL, 0);
        if (count % 10 == 0) http2_raw_frame(&raw, NGHTTP2_DATA, 0, 1, "x", 1);
        raffia_http2_read(stream, &byte, 1);
    }
    ended("empty_frames", count, 1000, 1002);
}

static void empty_blocks(void)
{
    int count = 0;
    begin();
    for (int32_t id = 1; raw.result == 0 && count < MOST; id += 2, count++) {
        http2_raw_frame(&raw, NGHTTP2_HEADERS, END_STREAM, id, NULL, 0);
        for (int i = 0; i < 7; i++)
            http2_raw_frame(&raw, NGHTTP2_CONTINUATION, 0, id, NULL, 0);
        http2_raw_frame(&raw, NGHTTP2_CONTINUATION, END_HEADERS, id, NULL, 0);
    }
    ended("empty_frames", count, 10, 17);
}

static void useless_frames(uint8_t type, int32_t id, const char *payload, size_t size)
{
    int count = 0;
    begin();
    get(1);
    for (; raw.result == 0 && count < MOST; count++) {
        http2_raw_frame(&raw, type, 0, id, payload, size);
        CHECK(raffia_http2_memsize(raw.server) < 64 << 10);
    }
    ended("priorities", count, 200, 212);
}

static void priorities(void)
{
    useless_frames(NGHTTP2_PRIORITY, 1, "\0\0\0\5\20", 5);
    useless_frames(NGHTTP2_PRIORITY, 999, "\0\0\0\5\20", 5);
    useless_frames(NGHTTP2_PRIORITY_UPDATE, 0, "\0\0\0\1u=1", 7);
    useless_frames(NGHTTP2_PRIORITY_UPDATE, 0, "\0\0\0\3u=1", 7); /* of a stream to come */
    useless_frames(0xee, 1, "?", 1);
    useless_frames(0xff, 0, NULL, 0);
}

static void window_updates(void)
{
    int count = 0;
    begin();
    get(1);
    for (; raw.result == 0 && count < MOST; count++)
        http2_raw_frame(&raw, NGHTTP2_WINDOW_UPDATE, 0, count % 2, "\0\0\0\1", 4);
    ended("window_updates", count, 1010, 1012);
}

/* A client that takes its body in small bites, but takes it. */
static void a_dribble(void)
{
    static char body[60000];
    begin();
    http2_raw_frame(&raw, NGHTTP2_SETTINGS, 0, 0, "\0\4\0\0\0\12", 6); /* windows of 10 bytes */
    get(1);
    struct raffia_http2_stream *stream = event();
    http2_respond(stream, body, sizeof(body));
    for (int i = 0; i < 5999; i++) {
        flush();
        CHECK_EQUAL(strncmp(raw.frames, i ? "DATA:1" : "SETTINGS", 6), 0);
        http2_raw_frame(&raw, NGHTTP2_WINDOW_UPDATE, 0, 1, "\0\0\0\12", 4);
        CHECK_EQUAL(raw.result, 0);
    }
    flush();
    CHECK(stream->closed);
    http2_raw_close(&raw);
}

/* Large frames that are nothing. */
static void overhead(void)
{
    static char payload[16384];
    int count = 0;
    begin();
    for (; raw.result == 0 && count < MOST; count++) {
        http2_raw_frame(&raw, 0xee, 0, 0, payload, sizeof(payload));
        raw.now += HTTP2_SECOND;
    }
    ended("overhead", count, 500, 520);
}

/* Frames of a stream that was reset were on their way. */
static void in_flight(void)
{
    begin();
    struct raffia_http2_stream *stream = post(1);
    raffia_http2_reset(stream, NGHTTP2_CANCEL);
    raffia_http2_release(stream);
    flush();
    for (int i = 0; i < 5000; i++) {
        http2_raw_frame(&raw, NGHTTP2_DATA, 0, 1, "", 0);
        http2_raw_frame(&raw, NGHTTP2_WINDOW_UPDATE, 0, 1, "\0\0\0\1", 4);
        CHECK_EQUAL(raw.result, 0);
    }
    raw.now += 3LL * HTTP2_SECOND;
    int count = 0;
    for (; raw.result == 0 && count < MOST; count++)
        http2_raw_frame(&raw, NGHTTP2_DATA, 0, 1, "", 0);
    ended("empty_frames", count, 101, 101);
}

/* All in one read, and all byte by byte: the same. */
static void in_pieces(void)
{
    static char frames[17 * 300];
    for (size_t i = 0; i < sizeof(frames); i += 17)
        memcpy(frames + i,
               "\0\0\10\6\0\0\0\0\0"
               "01234567",
               17);
    begin();
    http2_raw_send(&raw, frames, sizeof(frames));
    ended("pings", 1, 1, 1);
    begin();
    size_t sent = 0;
    for (; raw.result == 0 && sent < sizeof(frames); sent++)
        http2_raw_send(&raw, frames + sent, 1);
    ended("pings", (int)(sent / 17), 100, 101);
}

/* Streams that are never answered nor read. */
static void streams_held_open(void)
{
    static char body[16384];
    begin();
    for (int32_t id = 1; id < 400; id += 2) {
        http2_raw_frame(&raw, NGHTTP2_HEADERS, END_HEADERS, id, "\x83\x86\x84\x41\x01h", 6);
        if (raw.result) break;
        if (!event()) continue;
        for (int i = 0; i < 4; i++)
            http2_raw_frame(&raw, NGHTTP2_DATA, 0, id, body, i < 3 ? 16384 : 16383);
        flush();
    }
    CHECK(state()->streams <= 100);
    CHECK(raffia_http2_memsize(raw.server) < 100 * (132u << 10));
    http2_raw_close(&raw);
}

static const struct check_test tests[] = {
    TEST(rapid_reset),
    TEST(reset_after_the_request_has_begun),
    TEST(resets_at_a_low_rate),
    TEST(made_reset_by_a_window),
    TEST(made_reset_by_fields),
    TEST(made_reset_by_hosts),
    TEST(made_reset_while_it_drains),
    TEST(frames_that_cannot_be_sent),
    TEST(continuations),
    TEST(a_large_block),
    TEST(large_heads),
    TEST(bomb),
    TEST(pings),
    TEST(pings_at_a_low_rate),
    TEST(pings_for_data),
    TEST(a_long_life),
    TEST(settings),
    TEST(large_settings),
    TEST(empty_frames),
    TEST(padding_only),
    TEST(empty_frames_between_others),
    TEST(empty_blocks),
    TEST(priorities),
    TEST(window_updates),
    TEST(a_dribble),
    TEST(overhead),
    TEST(in_flight),
    TEST(in_pieces),
    TEST(streams_held_open),
};

int main(void)
{
    return check_run("http2_abuse", tests, COUNT(tests));
}

#else

int main(void)
{
    return 0;
}

#endif
