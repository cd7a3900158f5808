/* Frames against the rules: what is answered, that a connection error closes all streams, and that
 * a stream's error leaves the others alone. */
#include "check.h"

#ifdef HAVE_NGHTTP2

#include "http2.h"

#include <stdio.h>
#include <string.h>

enum { END_STREAM = 1, ACK = 1, END_HEADERS = 4 };

#define BLOCK      "\x82\x86\x84\x41\x01h"
#define POST       "\x83\x86\x84\x41\x01h"
#define NAME(name) "\x40" name

static struct http2_raw raw;

struct step {
    uint8_t type, flags;
    int32_t id;
    const char *payload;
    size_t size;
};
#define STEP(type, flags, id, payload)                                                             \
    {                                                                                              \
        NGHTTP2_##type, flags, id, payload, sizeof(payload) - 1                                    \
    }

static struct raffia_http2_stream *event(void)
{
    unsigned events;
    return raffia_http2_next_event(raw.server, &events);
}

static void send_step(const struct step *step, int bytewise)
{
    uint8_t frame[9 + 256] = {0, 0, (uint8_t)step->size, step->type, step->flags};
    CHECK(step->size < 256);
    for (int i = 0; i < 4; i++)
        frame[5 + i] = (uint8_t)(step->id >> (24 - 8 * i));
    memcpy(frame + 9, step->payload, step->size);
    size_t part = bytewise ? 1 : 9 + step->size;
    for (size_t at = 0; at < 9 + step->size; at += part)
        http2_raw_send(&raw, frame + at, part);
}

/* Stream 1 is open; the steps lead to a GOAWAY of that code. */
static void connection_error(const char *file, int line, const struct step *steps, size_t count,
                             int code)
{
    for (int bytewise = 0; bytewise < 2; bytewise++) {
        static const struct step first = STEP(HEADERS, END_HEADERS, 1, POST);
        char expected[20];
        http2_raw_open(&raw, &raffia_http2_defaults);
        send_step(&first, 0);
        struct raffia_http2_stream *stream = event();
        CHECK(stream && stream->id == 1);
        for (size_t i = 0; i < count; i++)
            send_step(&steps[i], bytewise);
        CHECK_EQUAL(raw.result, -EPROTO);
        http2_raw_drain(&raw);
        strcat(raw.frames, " ");
        snprintf(expected, sizeof(expected), "GOAWAY=%d ", code);
        if (!strstr(raw.frames, expected)) printf("%s:%d: %s\n", file, line, raw.frames);
        CHECK(strstr(raw.frames, expected));
        while (event())
            continue;
        CHECK(stream->closed);
        CHECK_EQUAL(raffia_http2_write(stream, "x", 1), -EPIPE);
        CHECK_EQUAL(raffia_http2_send_head(stream, 200, NULL, 0, 1), -EPIPE);
        raffia_http2_release(stream);
        CHECK(raffia_http2_state(raw.server)->abuse == NULL);
        http2_raw_close(&raw);
    }
}

#define CONNECTION_ERROR(code, ...)                                                                \
    do {                                                                                           \
        const struct step steps[] = {__VA_ARGS__};                                                 \
        connection_error(__FILE__, __LINE__, steps, COUNT(steps), NGHTTP2_##code);                 \
    } while (0)

/* The steps lead to a reset of stream 1 with that code, nobody sees its request, and stream 9 is
 * served. */
static void stream_error(const char *file, int line, const struct step *steps, size_t count,
                         int code)
{
    static const struct step last = STEP(HEADERS, END_HEADERS | END_STREAM, 9, BLOCK);
    for (int bytewise = 0; bytewise < 2; bytewise++) {
        char expected[20];
        struct raffia_http2_stream *stream;
        http2_raw_open(&raw, &raffia_http2_defaults);
        for (size_t i = 0; i < count; i++)
            send_step(&steps[i], bytewise);
        http2_raw_drain(&raw);
        strcat(raw.frames, " ");
        snprintf(expected, sizeof(expected), "RST:1=%d ", code);
        if (!strstr(raw.frames, expected)) printf("%s:%d: %s\n", file, line, raw.frames);
        CHECK(strstr(raw.frames, expected));
        while ((stream = event()))
            raffia_http2_release(stream);
        CHECK_EQUAL(raffia_http2_state(raw.server)->streams, 0);
        send_step(&last, bytewise);
        CHECK_EQUAL(raw.result, 0);
        stream = event();
        CHECK(stream && stream->id == 9);
        http2_respond(stream, "ok", 2);
        raffia_http2_release(stream);
        http2_raw_drain(&raw);
        CHECK(strstr(raw.frames, "HEADERS:9 DATA:9."));
        http2_raw_close(&raw);
    }
}

#define STREAM_ERROR(code, ...)                                                                    \
    do {                                                                                           \
        const struct step steps[] = {__VA_ARGS__};                                                 \
        stream_error(__FILE__, __LINE__, steps, COUNT(steps), NGHTTP2_##code);                     \
    } while (0)
#define MALFORMED(block)                                                                           \
    STREAM_ERROR(PROTOCOL_ERROR, STEP(HEADERS, END_STREAM | END_HEADERS, 1, block))

static void bad_preface(void)
{
    static const char *const beginnings[] = {"GET / HTTP/1.1\r\nHost: h\r\n\r\n", "PRI * HTTP/2.1",
                                             "\x16\x03\x01"};
    for (size_t i = 0; i < COUNT(beginnings); i++) {
        memset(&raw, 0, sizeof(raw));
        CHECK_EQUAL(raffia_http2_open(&raw.server, &raffia_http2_defaults), 0);
        http2_raw_send(&raw, beginnings[i], strlen(beginnings[i]));
        CHECK_EQUAL(raw.result, -EPROTO);
        http2_raw_drain(&raw);
        CHECK(strstr(raw.frames, "GOAWAY=1"));
        http2_raw_close(&raw);
    }
    CHECK_EQUAL(raffia_http2_open(&raw.server, &raffia_http2_defaults), 0);
    for (size_t i = 0; i < NGHTTP2_CLIENT_MAGIC_LEN; i++)
        http2_raw_send(&raw, NGHTTP2_CLIENT_MAGIC + i, 1);
    CHECK_EQUAL(raw.result, 0);
    http2_raw_frame(&raw, NGHTTP2_PING, 0, 0, "01234567", 8); /* SETTINGS come first */
    CHECK_EQUAL(raw.result, -EPROTO);
    http2_raw_close(&raw);
}

static void connection_errors(void)
{
    CONNECTION_ERROR(PROTOCOL_ERROR, STEP(DATA, 0, 0, "x"));
    CONNECTION_ERROR(PROTOCOL_ERROR, STEP(DATA, 0, 5, "x"));
    CONNECTION_ERROR(PROTOCOL_ERROR, STEP(HEADERS, END_HEADERS, 2, BLOCK));
    CONNECTION_ERROR(PROTOCOL_ERROR, STEP(RST_STREAM, 0, 5, "\0\0\0\1"));
    CONNECTION_ERROR(PROTOCOL_ERROR, STEP(WINDOW_UPDATE, 0, 5, "\0\0\0\1"));
    CONNECTION_ERROR(PROTOCOL_ERROR, STEP(CONTINUATION, END_HEADERS, 1, BLOCK));
    CONNECTION_ERROR(PROTOCOL_ERROR, STEP(HEADERS, 0, 3, BLOCK), STEP(DATA, 0, 1, "x"));
    CONNECTION_ERROR(PROTOCOL_ERROR, STEP(HEADERS, 0, 3, BLOCK),
                     STEP(CONTINUATION, END_HEADERS, 1, BLOCK));
    CONNECTION_ERROR(PROTOCOL_ERROR, STEP(PUSH_PROMISE, END_HEADERS, 1, "\0\0\0\2" BLOCK));
    CONNECTION_ERROR(PROTOCOL_ERROR, STEP(WINDOW_UPDATE, 0, 0, "\0\0\0\0"));
    CONNECTION_ERROR(PROTOCOL_ERROR, STEP(SETTINGS, 0, 1, ""));
    CONNECTION_ERROR(PROTOCOL_ERROR, STEP(SETTINGS, 0, 0, "\0\2\0\0\0\2"));
    CONNECTION_ERROR(FLOW_CONTROL_ERROR, STEP(SETTINGS, 0, 0, "\0\4\x80\0\0\0"));
    CONNECTION_ERROR(FLOW_CONTROL_ERROR, STEP(WINDOW_UPDATE, 0, 0, "\x7f\xff\xff\xff"));
    CONNECTION_ERROR(FRAME_SIZE_ERROR, STEP(SETTINGS, 0, 0, "\0\4\0"));
    CONNECTION_ERROR(FRAME_SIZE_ERROR, STEP(SETTINGS, ACK, 0, "\0\4\0\0\0\1"));
    CONNECTION_ERROR(FRAME_SIZE_ERROR, STEP(PING, 0, 0, "0123"));
    CONNECTION_ERROR(COMPRESSION_ERROR, STEP(HEADERS, END_HEADERS, 3, "\xff\xff\xff\xff\xff"));
    CONNECTION_ERROR(COMPRESSION_ERROR, STEP(HEADERS, END_HEADERS, 3, "\x80"));
}

static void stream_errors(void)
{
    STREAM_ERROR(FLOW_CONTROL_ERROR, STEP(HEADERS, END_HEADERS, 1, POST),
                 STEP(WINDOW_UPDATE, 0, 1, "\x7f\xff\xff\xff"));
    STREAM_ERROR(PROTOCOL_ERROR, STEP(HEADERS, END_HEADERS, 1, POST),
                 STEP(HEADERS, END_HEADERS, 1, NAME("\1a\1b")));
    STREAM_ERROR(PROTOCOL_ERROR, STEP(HEADERS, END_HEADERS, 1, POST),
                 STEP(HEADERS, END_HEADERS | END_STREAM, 1, "\x82"));
    /* content-length: 3 */
    STREAM_ERROR(PROTOCOL_ERROR,
                 STEP(HEADERS, END_HEADERS, 1,
                      POST "\x5c\1"
                           "3"),
                 STEP(DATA, END_STREAM, 1, "12"));
    STREAM_ERROR(PROTOCOL_ERROR,
                 STEP(HEADERS, END_HEADERS, 1,
                      POST "\x5c\1"
                           "3"),
                 STEP(DATA, 0, 1, "12"), STEP(DATA, 0, 1, "34"));
    STREAM_ERROR(PROTOCOL_ERROR, STEP(HEADERS, END_HEADERS | END_STREAM, 1,
                                      POST "\x5c\1"
                                           "3"));
}

static void malformed_heads(void)
{
    MALFORMED("\x86\x84\x41\x01h");                       /* no method */
    MALFORMED("\x82\x84\x41\x01h");                       /* no scheme */
    MALFORMED("\x82\x86\x41\x01h");                       /* no path */
    MALFORMED("\x82\x86\x84");                            /* no authority */
    MALFORMED("\x82\x82\x86\x84\x41\x01h");               /* two methods */
    MALFORMED("\x82\x86\x44\0\x41\x01h");                 /* an empty path */
    MALFORMED(BLOCK "\x88");                              /* a status */
    MALFORMED(BLOCK NAME("\2:x\1y"));                     /* unknown */
    MALFORMED("\x86\x84\x41\x01h" NAME("\1a\1b") "\x82"); /* late */
    MALFORMED(BLOCK NAME("\1A\1b"));                      /* upper case */
    MALFORMED(BLOCK NAME("\0\1b"));                       /* a name of no bytes */
    MALFORMED(BLOCK NAME("\3a b\1b"));
    MALFORMED(BLOCK NAME("\1a\3b\0c"));
    MALFORMED(BLOCK NAME("\1a\3b\nc"));
    MALFORMED(BLOCK NAME("\1a\3b\rc"));
    MALFORMED(BLOCK NAME("\1a\2 b"));
    MALFORMED(BLOCK NAME("\1a\2b "));
    MALFORMED(BLOCK NAME("\12connection\5close"));
    MALFORMED(BLOCK NAME("\12keep-alive\1x"));
    MALFORMED(BLOCK NAME("\21transfer-encoding\7chunked"));
    MALFORMED(BLOCK NAME("\7upgrade\1x"));
    MALFORMED(BLOCK NAME("\2te\4gzip"));
    MALFORMED(BLOCK NAME("\4host\1i"));
    MALFORMED(BLOCK NAME("\4host\1h") NAME("\4host\1h"));
    MALFORMED(BLOCK "\x5c\1x");
    MALFORMED(BLOCK "\x5c\1"
                    "0\x5c\1"
                    "0");
}

static void well_formed_heads(void)
{
    static const char *const blocks[] = {BLOCK,
                                         BLOCK NAME("\4host\1h"),
                                         BLOCK NAME("\4host\1H"),
                                         "\x82\x86\x84" NAME("\4host\1h"),
                                         BLOCK NAME("\2te\10trailers"),
                                         BLOCK NAME("\6cookie\3a=b")};
    http2_raw_open(&raw, &raffia_http2_defaults);
    for (size_t i = 0; i < COUNT(blocks); i++) {
        http2_raw_frame(&raw, NGHTTP2_HEADERS, END_STREAM | END_HEADERS, (int32_t)(2 * i + 1),
                        blocks[i], strlen(blocks[i]));
        struct raffia_http2_stream *stream = event();
        CHECK(stream);
        CHECK(http2_slice_is(&stream->head->fields, stream->head->authority, "h"));
        CHECK_EQUAL(stream->head->fields.count, i > 3);
        raffia_http2_release(stream);
    }
    http2_raw_close(&raw);
}

/* Frames that have nothing to say, and undefined flags and types. */
static void ignored_frames(void)
{
    static const struct step steps[] = {
        {0xee, 0xff, 0, "what", 4},
        {0xee, 0xff, 99, "what", 4},
        STEP(PING, 0xfe, 0, "01234567"),
        STEP(SETTINGS, 0, 0, "\0\x99\0\0\0\1"),
        STEP(PRIORITY, 0, 11, "\0\0\0\0\1"),
        STEP(PRIORITY_UPDATE, 0, 0, "\0\0\0\1u=9"),
        STEP(PRIORITY_UPDATE, 0, 0, "\0\0\0\1%%%"),
    };
    for (int bytewise = 0; bytewise < 2; bytewise++) {
        http2_raw_open(&raw, &raffia_http2_defaults);
        http2_raw_frame(&raw, NGHTTP2_HEADERS, END_HEADERS, 1, BLOCK, 6);
        for (size_t i = 0; i < COUNT(steps); i++)
            send_step(&steps[i], bytewise);
        CHECK_EQUAL(raw.result, 0);
        http2_raw_drain(&raw);
        CHECK_EQUAL(strcmp(raw.frames, "PING:0 SETTINGS:0"), 0);
        http2_raw_close(&raw);
    }
}

/* A window of one byte lets one byte through. */
static void small_windows(void)
{
    http2_raw_open(&raw, &raffia_http2_defaults);
    http2_raw_frame(&raw, NGHTTP2_SETTINGS, 0, 0, "\0\4\0\0\0\1", 6);
    http2_raw_frame(&raw, NGHTTP2_HEADERS, END_STREAM | END_HEADERS, 1, BLOCK, 6);
    struct raffia_http2_stream *stream = event();
    http2_respond(stream, "abc", 3);
    http2_raw_drain(&raw);
    CHECK_EQUAL(strcmp(raw.frames, "SETTINGS:0 HEADERS:1 DATA:1"), 0);
    CHECK_EQUAL(raffia_http2_buffered(stream), 2);
    CHECK(raffia_http2_state(raw.server)->output_blocked);
    /* The change of the setting opens it; then less than nothing is left. */
    http2_raw_frame(&raw, NGHTTP2_SETTINGS, 0, 0, "\0\4\0\0\0\2", 6);
    http2_raw_drain(&raw);
    CHECK_EQUAL(raffia_http2_buffered(stream), 1);
    http2_raw_frame(&raw, NGHTTP2_SETTINGS, 0, 0, "\0\4\0\0\0\0", 6);
    http2_raw_frame(&raw, NGHTTP2_WINDOW_UPDATE, 0, 1, "\0\0\0\2", 4);
    http2_raw_drain(&raw);
    CHECK_EQUAL(raffia_http2_buffered(stream), 1);
    http2_raw_frame(&raw, NGHTTP2_WINDOW_UPDATE, 0, 1, "\0\0\0\1", 4);
    http2_raw_drain(&raw);
    CHECK(stream->closed);
    raffia_http2_release(stream);
    http2_raw_close(&raw);
}

/* The client's reset takes the response with it, also in the middle. */
static void reset_within_a_response(void)
{
    static char body[60000];
    unsigned events;
    http2_raw_open(&raw, &raffia_http2_defaults);
    http2_raw_frame(&raw, NGHTTP2_SETTINGS, 0, 0, "\0\4\0\0\0\1", 6);
    http2_raw_frame(&raw, NGHTTP2_HEADERS, END_STREAM | END_HEADERS, 1, BLOCK, 6);
    struct raffia_http2_stream *stream = event();
    CHECK_EQUAL(raffia_http2_send_head(stream, 200, NULL, 0, 0), 0);
    CHECK_EQUAL(raffia_http2_write(stream, body, sizeof(body)), 0);
    http2_raw_drain(&raw);
    http2_raw_frame(&raw, NGHTTP2_RST_STREAM, 0, 1, "\0\0\0\10", 4);
    CHECK(raffia_http2_next_event(raw.server, &events) == stream);
    CHECK_EQUAL(events, RAFFIA_HTTP2_CLOSED);
    CHECK_EQUAL(stream->code, NGHTTP2_CANCEL);
    CHECK_EQUAL(raffia_http2_buffered(stream), 0);
    CHECK_EQUAL(raffia_http2_finish(stream, NULL, 0), -EPIPE);
    raffia_http2_release(stream);
    CHECK_EQUAL(raffia_http2_state(raw.server)->streams, 0);
    http2_raw_close(&raw);
}

static const struct check_test tests[] = {
    TEST(bad_preface),     TEST(connection_errors),       TEST(stream_errors),
    TEST(malformed_heads), TEST(well_formed_heads),       TEST(ignored_frames),
    TEST(small_windows),   TEST(reset_within_a_response),
};

int main(void)
{
    return check_run("http2_refuse", tests, COUNT(tests));
}

#else

int main(void)
{
    return 0;
}

#endif
