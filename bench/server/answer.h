/*
 * One connection's answers, read as they come: status, length (given, or chunked), and every byte
 * of the body.
 */
#ifndef RAFFIA_BENCH_ANSWER_H
#define RAFFIA_BENCH_ANSWER_H

#define _GNU_SOURCE
#include <strings.h>
#include "requests.h"

enum { HEAD_MAX = 4096 };

struct answer {
    int in_body, chunked, last; /* last: the chunk of size zero was seen */
    uint32_t held;              /* bytes of a head, or of a chunk's line, that is not complete */
    size_t left, at; /* bytes that this body, or chunk, still has; how much of the body has come */
    const char *trouble;
    char head[HEAD_MAX];
};

static inline void answer_reset(struct answer *a)
{
    a->in_body = a->chunked = a->last = 0;
    a->held = 0;
    a->left = a->at = 0;
}

static inline int answer_fail(struct answer *a, const char *trouble)
{
    a->trouble = trouble;
    return -1;
}

/* Keeps what came of a line or a head until there is more. @return 0, or -1 */
static inline int answer_hold(struct answer *a, const char **from, const char *end)
{
    size_t size = (size_t)(end - *from);
    if (size >= HEAD_MAX) return answer_fail(a, "a head, or a chunk's line, that is too long");
    memcpy(a->head, *from, size);
    a->held = (uint32_t)size;
    *from = end;
    return 0;
}

/* @return the value of the head's line with this name (given with its colon), or NULL */
static inline const char *answer_field(const char *head, const char *end, const char *name)
{
    size_t size = strlen(name);
    for (const char *line = head;
         (line = memchr(line, '\n', (size_t)(end - line))) && ++line < end;)
        if ((*line | 32) == *name && (size_t)(end - line) > size && !strncasecmp(line, name, size))
            return line + size;
    return NULL;
}

static inline int answer_head(struct answer *a, const char **from, const char *end, size_t size)
{
    const char *rest = memmem(*from, (size_t)(end - *from), "\r\n\r\n", 4), *field;
    if (!rest) return answer_hold(a, from, end);
    if (memcmp(*from, "HTTP/1.1 200", 12)) return answer_fail(a, "its status is not 200");
    if ((field = answer_field(*from, rest, "content-length:")))
        a->left = strtoul(field, NULL, 10);
    else if ((field = answer_field(*from, rest, "transfer-encoding:")))
        a->chunked = 1;
    else
        return answer_fail(a, "it says nothing of its length");
    if (!a->chunked && a->left != size) return answer_fail(a, "its length is wrong");
    *from = rest + 4;
    a->in_body = 1;
    a->held = 0;
    return 1;
}

/* The line before a chunk; the empty lines after chunks are part of it, so are no trailers. @return
 * 1, 0 for more, -1 */
static inline int answer_chunk(struct answer *a, const char **from, const char *end)
{
    const char *at = *from, *line;
    if (a->at && end - at >= 2 && !memcmp(at, "\r\n", 2)) at += 2;
    if (!(line = memchr(at, '\n', (size_t)(end - at)))) return answer_hold(a, from, end);
    a->left = strtoul(at, NULL, 16);
    if (!a->left && end - line < 3) return answer_hold(a, from, end);
    a->last = !a->left;
    *from = line + (a->left ? 1 : 3);
    a->held = 0;
    return 1;
}

/* @return whether these bytes are those that belong there */
static inline int answer_same(const struct kind *k, size_t at, const char *bytes, size_t size,
                              uint32_t connection, uint64_t sequence)
{
    char mine[STAMP_SIZE];
    size_t ahead = 0;
    if (!k->stamped) return at + size <= k->body_size && !memcmp(k->body + at, bytes, size);
    if (at + size > JSON_SIZE) return 0;
    stamp(mine, connection, sequence);
    if (at < STAMP_SIZE) ahead = size < STAMP_SIZE - at ? size : STAMP_SIZE - at;
    if (ahead && memcmp(mine + at, bytes, ahead)) return 0;
    return !memcmp(k->body + at + ahead - STAMP_SIZE, bytes + ahead, size - ahead);
}

/* @return 1 at the end of the answer, 0 when more has to come, -1 when it is wrong */
static inline int answer_read(struct answer *a, const char **from, const char *end,
                              const struct kind *k, uint32_t connection, uint64_t sequence)
{
    size_t size = k->stamped ? JSON_SIZE : k->body_size;
    int state = a->in_body ? 1 : answer_head(a, from, end, size);
    while (state > 0) {
        size_t part = (size_t)(end - *from) < a->left ? (size_t)(end - *from) : a->left;
        if (!answer_same(k, a->at, *from, part, connection, sequence))
            return answer_fail(a, "its body is wrong");
        a->left -= part;
        a->at += part;
        *from += part;
        if (a->left) return 0;
        if (!a->chunked || a->last) break;
        state = answer_chunk(a, from, end);
    }
    if (state <= 0) return state;
    if (a->at != size) return answer_fail(a, "its body is too short");
    answer_reset(a);
    return 1;
}

#endif
