#include "http2_order.h"

enum { DATA = 0, HEADERS = 1, PRIORITY = 2, RST_STREAM = 3 };
enum { END_STREAM = 1 };
enum { NO_ERROR = 0, PROTOCOL_ERROR = 1, STREAM_CLOSED = 5 };

static int has_ended(const struct raffia_http2_order *order, int32_t id)
{
    for (uint32_t i = 0; i < RAFFIA_HTTP2_ENDED; i++)
        if (order->ended[i] == id) return 1;
    return 0;
}

static void end(struct raffia_http2_order *order, int32_t id)
{
    order->ended[order->ended_count++ % RAFFIA_HTTP2_ENDED] = id;
}

static int was_skipped(const struct raffia_http2_order *order, int32_t id)
{
    for (uint32_t i = 0; i < RAFFIA_HTTP2_SKIPPED; i++)
        if (id >= order->skipped[i].first && id <= order->skipped[i].last) return 1;
    return 0;
}

static void open_stream(struct raffia_http2_order *order, int32_t id)
{
    int32_t expected = order->last == 0 ? 1 : order->last + 2;
    order->last = id;
    if (id <= expected) return;
    uint32_t place = order->skipped_count++ % RAFFIA_HTTP2_SKIPPED;
    order->skipped[place].first = expected;
    order->skipped[place].last = id - 2;
}

static uint32_t check_known(const struct raffia_http2_order *order, uint8_t type, int32_t id)
{
    if (type == HEADERS && was_skipped(order, id)) return PROTOCOL_ERROR;
    return has_ended(order, id) ? STREAM_CLOSED : NO_ERROR;
}

uint32_t raffia_http2_order_check(struct raffia_http2_order *order, uint8_t type, uint8_t flags,
                                  int32_t id)
{
    if (type == PRIORITY && id == 0) return PROTOCOL_ERROR;
    if (id % 2 == 0) return NO_ERROR; /* libnghttp2 has errors for these */
    if (type == RST_STREAM) {
        if (id <= order->last && !has_ended(order, id)) end(order, id);
        return NO_ERROR;
    }
    if (type != DATA && type != HEADERS) return NO_ERROR;
    if (id <= order->last) {
        uint32_t error = check_known(order, type, id);
        if (error) return error;
    } else if (type == HEADERS) {
        open_stream(order, id);
    }
    if (flags & END_STREAM) end(order, id);
    return NO_ERROR;
}
