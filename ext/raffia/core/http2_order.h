/* The order of a client's frames. libnghttp2 forgets a stream when it closes, and ignores what
 * comes for it later; RFC 9113 (5.1, 5.1.1) has errors of the connection for that. PRIORITY is
 * ignored too, but has an error of its own (6.3). What came after a reset of ours was in flight,
 * and is no error. */
#ifndef RAFFIA_HTTP2_ORDER_H
#define RAFFIA_HTTP2_ORDER_H

#include <stdint.h>

/* How many streams, and ranges of them, are remembered: the latest ones. */
enum { RAFFIA_HTTP2_ENDED = 32, RAFFIA_HTTP2_SKIPPED = 4 };

struct raffia_http2_order {
    int32_t last;                      /* stream that was opened; 0: none */
    int32_t ended[RAFFIA_HTTP2_ENDED]; /* by the client: END_STREAM or RST_STREAM */
    struct {
        int32_t first, last;
    } skipped[RAFFIA_HTTP2_SKIPPED]; /* never opened, but a later one was */
    uint32_t ended_count, skipped_count;
};

/* Takes the head of the next frame. Returns 0, or the code of the error. */
uint32_t raffia_http2_order_check(struct raffia_http2_order *order, uint8_t type, uint8_t flags,
                                  int32_t id);

#endif
