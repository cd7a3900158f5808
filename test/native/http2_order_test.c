/* Frames for streams that the client has ended or skipped. */
#include "check.h"
#include "http2_order.h"

#include <string.h>

enum { DATA = 0, HEADERS = 1, PRIORITY = 2, RST_STREAM = 3, WINDOW_UPDATE = 8 };
enum { END_STREAM = 1 };
enum { NO_ERROR = 0, PROTOCOL_ERROR = 1, STREAM_CLOSED = 5 };

static struct raffia_http2_order order;

static uint32_t take(uint8_t type, uint8_t flags, int32_t id)
{
    return raffia_http2_order_check(&order, type, flags, id);
}

static void whole_requests(void)
{
    memset(&order, 0, sizeof(order));
    for (int32_t id = 1; id < 1000; id += 2) {
        CHECK_EQUAL(take(HEADERS, 0, id), NO_ERROR);
        CHECK_EQUAL(take(DATA, 0, id), NO_ERROR);
        CHECK_EQUAL(take(WINDOW_UPDATE, 0, id), NO_ERROR);
        CHECK_EQUAL(take(HEADERS, END_STREAM, id), NO_ERROR); /* trailers */
        CHECK_EQUAL(take(WINDOW_UPDATE, 0, id), NO_ERROR);
        CHECK_EQUAL(take(RST_STREAM, 0, id), NO_ERROR);
    }
}

static void ended_streams(void)
{
    memset(&order, 0, sizeof(order));
    CHECK_EQUAL(take(HEADERS, END_STREAM, 1), NO_ERROR);
    CHECK_EQUAL(take(HEADERS, 0, 3), NO_ERROR);
    CHECK_EQUAL(take(HEADERS, 0, 5), NO_ERROR);
    CHECK_EQUAL(take(RST_STREAM, 0, 3), NO_ERROR);
    for (int32_t id = 1; id <= 3; id += 2) {
        CHECK_EQUAL(take(DATA, 0, id), STREAM_CLOSED);
        CHECK_EQUAL(take(HEADERS, END_STREAM, id), STREAM_CLOSED);
    }
    CHECK_EQUAL(take(DATA, END_STREAM, 5), NO_ERROR);
    CHECK_EQUAL(take(DATA, END_STREAM, 5), STREAM_CLOSED);
}

static void only_the_latest_are_remembered(void)
{
    memset(&order, 0, sizeof(order));
    for (int32_t id = 1; id <= 2 * RAFFIA_HTTP2_ENDED + 1; id += 2)
        CHECK_EQUAL(take(HEADERS, END_STREAM, id), NO_ERROR);
    CHECK_EQUAL(take(DATA, 0, 1), NO_ERROR);
    for (int32_t id = 3; id <= 2 * RAFFIA_HTTP2_ENDED + 1; id += 2)
        CHECK_EQUAL(take(DATA, 0, id), STREAM_CLOSED);
}

static void skipped_streams(void)
{
    memset(&order, 0, sizeof(order));
    CHECK_EQUAL(take(HEADERS, 0, 5), NO_ERROR);
    CHECK_EQUAL(take(HEADERS, 0, 7), NO_ERROR);
    CHECK_EQUAL(take(HEADERS, 0, 13), NO_ERROR);
    int32_t skipped[] = {1, 3, 9, 11};
    for (size_t i = 0; i < COUNT(skipped); i++)
        CHECK_EQUAL(take(HEADERS, 0, skipped[i]), PROTOCOL_ERROR);
    CHECK_EQUAL(take(HEADERS, END_STREAM, 5), NO_ERROR);
    CHECK_EQUAL(take(HEADERS, END_STREAM, 13), NO_ERROR);
}

/* Those of stream 0 are ignored by libnghttp2. */
static void priorities(void)
{
    memset(&order, 0, sizeof(order));
    CHECK_EQUAL(take(PRIORITY, 0, 1), NO_ERROR);
    CHECK_EQUAL(take(PRIORITY, 0, 0), PROTOCOL_ERROR);
}

/* libnghttp2 refuses those. */
static void idle_and_even_streams(void)
{
    memset(&order, 0, sizeof(order));
    CHECK_EQUAL(take(RST_STREAM, 0, 1), NO_ERROR);
    CHECK_EQUAL(take(DATA, 0, 0), NO_ERROR);
    CHECK_EQUAL(take(HEADERS, END_STREAM, 2), NO_ERROR);
    CHECK_EQUAL(take(HEADERS, END_STREAM, 1), NO_ERROR);
}

static const struct check_test tests[] = {
    TEST(whole_requests),  TEST(ended_streams), TEST(only_the_latest_are_remembered),
    TEST(skipped_streams), TEST(priorities),    TEST(idle_and_even_streams)};

int main(void)
{
    return check_run("http2 order", tests, COUNT(tests));
}
