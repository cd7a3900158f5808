/* Counters of frames with which a client could keep a server busy (rapid reset, CONTINUATION
 * floods, ...). They read the heads of frames by themselves, in front of libnghttp2: it reports
 * neither unknown frames nor those of closed streams, and its own counters differ by version. */
#ifndef RAFFIA_HTTP2_ABUSE_H
#define RAFFIA_HTTP2_ABUSE_H

#include "http2_order.h"

#include <stddef.h>
#include <stdint.h>

enum raffia_http2_bucket {
    RAFFIA_HTTP2_RESETS,     /* that were received, and refused streams */
    RAFFIA_HTTP2_OWN_RESETS, /* that the client has caused */
    RAFFIA_HTTP2_PINGS,
    RAFFIA_HTTP2_SETTINGS,
    RAFFIA_HTTP2_EMPTY,
    RAFFIA_HTTP2_PRIORITIES,
    RAFFIA_HTTP2_BUCKETS
};

/* Streams that were reset a short time ago; the client could not know when it sent a frame. */
enum { RAFFIA_HTTP2_RECENT = 64 };
struct raffia_http2_recent {
    int32_t id;
    int64_t until; /* 0: since its next frame */
};

struct raffia_http2_abuse {
    const char *kind; /* of the limit that was exceeded; NULL: none was */
    uint32_t error;   /* of the order of frames; 0: none */
    uint32_t block_limit;
    uint32_t left; /* of the frame's payload, or of the preface */
    uint8_t head[9], head_size;
    uint8_t in_block; /* a block of fields has begun and not ended */
    uint8_t end_headers;
    uint32_t block, continuations; /* of the block so far */
    uint32_t empty;                /* frames in a row */
    int32_t last_stream;
    uint64_t total, payload;
    int64_t period;                            /* when it has begun */
    int64_t priorities, window_updates, pings; /* that may still come */
    int64_t buckets[RAFFIA_HTTP2_BUCKETS];     /* when each is full */
    struct raffia_http2_recent *recent;
    uint32_t recent_count;
    struct raffia_http2_order order;
};

/* `block_limit`: bytes of a block of fields, as they are sent. */
void raffia_http2_abuse_init(struct raffia_http2_abuse *abuse, uint32_t block_limit);
void raffia_http2_abuse_free(struct raffia_http2_abuse *abuse);
/* Counts the frames of an input. Returns how many of the bytes come before the frame that exceeds a
 * limit or breaks the order; then `kind` or `error` is set. */
size_t raffia_http2_abuse_scan(struct raffia_http2_abuse *abuse, const char *bytes, size_t size,
                               int64_t now);
/* Takes that many tokens. */
void raffia_http2_abuse_take(struct raffia_http2_abuse *abuse, enum raffia_http2_bucket bucket,
                             int64_t tokens, int64_t now);
/* A frame without content. */
void raffia_http2_abuse_empty(struct raffia_http2_abuse *abuse, int64_t now);
/* Bytes of a body were received. */
void raffia_http2_abuse_payload(struct raffia_http2_abuse *abuse, size_t size);
/* A frame of a response was sent. The client may answer it by updates of windows, and measure the
 * time that it took by a PING, as gRPC does. */
void raffia_http2_abuse_sent(struct raffia_http2_abuse *abuse, size_t size);
/* A stream was reset by us. */
void raffia_http2_abuse_reset(struct raffia_http2_abuse *abuse, int32_t id);
int raffia_http2_abuse_is_recent(struct raffia_http2_abuse *abuse, int32_t id, int64_t now);

#endif
