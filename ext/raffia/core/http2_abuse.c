#include "http2_abuse.h"

#include <stdlib.h>
#include <string.h>

enum {
    DATA,
    HEADERS,
    PRIORITY,
    RST_STREAM,
    SETTINGS,
    PUSH_PROMISE,
    PING,
    GOAWAY,
    WINDOW_UPDATE,
    CONTINUATION
};
enum { END_STREAM = 1, END_HEADERS = 4 };
enum { FRAME_HEAD = 9, PREFACE = 24 };
enum {
    MOST_CONTINUATIONS = 8,
    MOST_EMPTY = 100,   /* in a row */
    MOST_SETTINGS = 32, /* in a frame */
    UPDATES = 1000,     /* of windows, and more for each stream and DATA frame */
    UPDATES_EACH = 10,
    PRIORITIES_EACH = 10, /* for each stream */
    MOST_SAVED = 10000,   /* of those that may still come */
    OVERHEAD = 8,         /* times the payload, and more */
    OVERHEAD_FREE = 1 << 20,
};
static const int64_t SECOND = 1000000000, IN_FLIGHT = 2 * SECOND, PERIOD = 3600 * SECOND;

/* Tokens at first and at most, tokens a second, and what it means when there are none. */
static const struct {
    int64_t size, rate;
    const char *kind;
} buckets[RAFFIA_HTTP2_BUCKETS] = {
    [RAFFIA_HTTP2_RESETS] = {1000, 33, "resets"},
    [RAFFIA_HTTP2_OWN_RESETS] = {200, 10, "provoked_resets"},
    [RAFFIA_HTTP2_PINGS] = {100, 10, "pings"},
    [RAFFIA_HTTP2_SETTINGS] = {100, 10, "settings"},
    [RAFFIA_HTTP2_EMPTY] = {1000, 50, "empty_frames"},
    [RAFFIA_HTTP2_PRIORITIES] = {200, 20, "priorities"},
};

void raffia_http2_abuse_init(struct raffia_http2_abuse *abuse, uint32_t block_limit)
{
    memset(abuse, 0, sizeof(*abuse));
    abuse->block_limit = block_limit;
    abuse->left = PREFACE;
    abuse->window_updates = UPDATES;
}

/* Frames that may still come; a client cannot save them for a flood. */
static void allow(int64_t *allowed, int64_t more)
{
    *allowed = *allowed + more < MOST_SAVED ? *allowed + more : MOST_SAVED;
}

void raffia_http2_abuse_free(struct raffia_http2_abuse *abuse)
{
    free(abuse->recent);
    abuse->recent = NULL;
}

static void exceed(struct raffia_http2_abuse *abuse, const char *kind)
{
    if (!abuse->kind) abuse->kind = kind;
}

/* A bucket is the time at which it will be full again. */
void raffia_http2_abuse_take(struct raffia_http2_abuse *abuse, enum raffia_http2_bucket bucket,
                             int64_t tokens, int64_t now)
{
    int64_t token = SECOND / buckets[bucket].rate, *full = &abuse->buckets[bucket];
    if (*full < now) *full = now;
    *full += tokens * token;
    if (*full - now > buckets[bucket].size * token) exceed(abuse, buckets[bucket].kind);
}

void raffia_http2_abuse_empty(struct raffia_http2_abuse *abuse, int64_t now)
{
    if (++abuse->empty > MOST_EMPTY) exceed(abuse, buckets[RAFFIA_HTTP2_EMPTY].kind);
    raffia_http2_abuse_take(abuse, RAFFIA_HTTP2_EMPTY, 1, now);
}

void raffia_http2_abuse_payload(struct raffia_http2_abuse *abuse, size_t size)
{
    abuse->payload += size;
    abuse->empty = 0;
}

void raffia_http2_abuse_sent(struct raffia_http2_abuse *abuse, size_t size)
{
    abuse->payload += FRAME_HEAD + size;
    allow(&abuse->window_updates, UPDATES_EACH);
    allow(&abuse->pings, 1);
}

void raffia_http2_abuse_reset(struct raffia_http2_abuse *abuse, int32_t id)
{
    if (!abuse->recent) abuse->recent = calloc(RAFFIA_HTTP2_RECENT, sizeof(*abuse->recent));
    if (!abuse->recent) return;
    abuse->recent[abuse->recent_count++ % RAFFIA_HTTP2_RECENT] =
        (struct raffia_http2_recent){id, 0};
}

int raffia_http2_abuse_is_recent(struct raffia_http2_abuse *abuse, int32_t id, int64_t now)
{
    uint32_t count =
        abuse->recent_count < RAFFIA_HTTP2_RECENT ? abuse->recent_count : RAFFIA_HTTP2_RECENT;
    for (uint32_t i = 0; i < count; i++) {
        struct raffia_http2_recent *recent = &abuse->recent[i];
        if (recent->id != id) continue;
        if (recent->until == 0) recent->until = now + IN_FLIGHT;
        return now < recent->until;
    }
    return 0;
}

static void begin_block(struct raffia_http2_abuse *abuse, int32_t id, uint32_t size)
{
    abuse->in_block = 1;
    abuse->block = size;
    abuse->continuations = 0;
    if (id <= abuse->last_stream) return;
    abuse->last_stream = id;
    allow(&abuse->priorities, PRIORITIES_EACH);
    allow(&abuse->window_updates, UPDATES_EACH);
}

static void count_block(struct raffia_http2_abuse *abuse, uint8_t type, uint8_t flags, int32_t id,
                        uint32_t size, int64_t now)
{
    if (type == HEADERS) {
        begin_block(abuse, id, size);
    } else {
        abuse->block += size;
        if (++abuse->continuations > MOST_CONTINUATIONS) exceed(abuse, "continuations");
    }
    abuse->end_headers = (flags & END_HEADERS) != 0;
    abuse->payload += size;
    if (abuse->block > abuse->block_limit) exceed(abuse, "head");
    if (size > 0)
        abuse->empty = 0;
    else if (!(flags & (END_HEADERS | END_STREAM)))
        raffia_http2_abuse_empty(abuse, now);
}

/* Takes one of the frames that may still come, else a token of the bucket. */
static void spend(struct raffia_http2_abuse *abuse, int64_t *allowed,
                  enum raffia_http2_bucket bucket, int64_t now)
{
    if (*allowed > 0)
        --*allowed;
    else
        raffia_http2_abuse_take(abuse, bucket, 1, now);
}

/* A connection may live for weeks. */
static void begin_period(struct raffia_http2_abuse *abuse, int64_t now)
{
    if (now - abuse->period < PERIOD) return;
    abuse->period = now;
    abuse->total = abuse->payload = 0;
    if (abuse->window_updates < UPDATES) abuse->window_updates = UPDATES;
}

static void count_frame(struct raffia_http2_abuse *abuse, int64_t now)
{
    const uint8_t *head = abuse->head;
    uint32_t size = (uint32_t)head[0] << 16 | (uint32_t)head[1] << 8 | head[2];
    uint8_t type = head[3], flags = head[4];
    int32_t id = (head[5] & 0x7f) << 24 | head[6] << 16 | head[7] << 8 | head[8];
    if (!abuse->in_block) /* else any frame but CONTINUATION is an error to libnghttp2 */
        abuse->error = raffia_http2_order_check(&abuse->order, type, flags, id);
    abuse->left = size;
    abuse->total += FRAME_HEAD + size;
    if (abuse->total / OVERHEAD > abuse->payload + OVERHEAD_FREE) exceed(abuse, "overhead");
    switch (type) {
    case DATA:
        if (size == 0 && !(flags & END_STREAM) && !raffia_http2_abuse_is_recent(abuse, id, now))
            raffia_http2_abuse_empty(abuse, now);
        break;
    case HEADERS:
    case CONTINUATION: count_block(abuse, type, flags, id, size, now); break;
    case SETTINGS:
        if (size > MOST_SETTINGS * 6) exceed(abuse, "settings");
        raffia_http2_abuse_take(abuse, RAFFIA_HTTP2_SETTINGS, 1, now);
        break;
    case PING: spend(abuse, &abuse->pings, RAFFIA_HTTP2_PINGS, now); break;
    case WINDOW_UPDATE:
        if (abuse->window_updates-- <= 0) {
            abuse->window_updates = 0;
            if (!raffia_http2_abuse_is_recent(abuse, id, now)) exceed(abuse, "window_updates");
        }
        break;
    case RST_STREAM: break; /* counted with what is known of its stream */
    case GOAWAY:            /* a useless one, too, after the first */
    default: spend(abuse, &abuse->priorities, RAFFIA_HTTP2_PRIORITIES, now); break;
    }
}

static void end_frame(struct raffia_http2_abuse *abuse)
{
    if (abuse->in_block && abuse->end_headers) abuse->in_block = 0;
}

size_t raffia_http2_abuse_scan(struct raffia_http2_abuse *abuse, const char *bytes, size_t size,
                               int64_t now)
{
    size_t at = 0;
    begin_period(abuse, now);
    while (at < size) {
        size_t count = size - at;
        if (abuse->left > 0) {
            if (count > abuse->left) count = abuse->left;
            abuse->left -= (uint32_t)count;
            at += count;
            if (abuse->left == 0) end_frame(abuse);
            continue;
        }
        size_t start = at, missing = FRAME_HEAD - abuse->head_size;
        if (count > missing) count = missing;
        memcpy(abuse->head + abuse->head_size, bytes + at, count);
        abuse->head_size += (uint8_t)count;
        at += count;
        if (abuse->head_size < FRAME_HEAD) break;
        abuse->head_size = 0;
        count_frame(abuse, now);
        if (abuse->kind || abuse->error) return start;
        if (abuse->left == 0) end_frame(abuse);
    }
    return size;
}
