/*
 * The requests that the load knows, and the answers that each must get. The same services are in
 * service.rb, limit.c and net_http.go.
 */
#ifndef RAFFIA_BENCH_REQUESTS_H
#define RAFFIA_BENCH_REQUESTS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    JSON_SIZE = 1024,
    STAMP_SIZE = 48,
    UPLOAD_SIZE = 64 * 1024,
    CHUNK_SIZE = 8 * 1024,
    DOWNLOAD_SIZE = 1024 * 1024
};

struct kind {
    const char *name, *line;
    char *request, *body;           /* what is sent, and the body that comes back */
    size_t request_size, body_size; /* both without the stamp */
    int stamped; /* says whose it is, so that an answer to somebody else is seen */
};

static struct kind kinds[] = {
    {.name = "hello", .line = "GET / HTTP/1.1"},
    {.name = "json", .line = "POST /json HTTP/1.1", .stamped = 1},
    {.name = "upload", .line = "POST /upload HTTP/1.1"},
    {.name = "download", .line = "GET /download HTTP/1.1"},
    {.name = "wait", .line = "GET /wait HTTP/1.1"},
    {.name = "nap", .line = "GET /nap HTTP/1.1"},
    {.name = "cpu", .line = "GET /cpu HTTP/1.1"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static inline char *letters(char *into, size_t size)
{
    for (size_t i = 0; i < size; i++)
        into[i] = (char)('a' + i % 26);
    return into + size;
}

static inline char *chunked(char *into)
{
    char *body = malloc(UPLOAD_SIZE);
    letters(body, UPLOAD_SIZE);
    for (size_t at = 0; at < UPLOAD_SIZE; at += CHUNK_SIZE) {
        into += sprintf(into, "%x\r\n", CHUNK_SIZE);
        memcpy(into, body + at, CHUNK_SIZE);
        into += CHUNK_SIZE;
        into += sprintf(into, "\r\n");
    }
    free(body);
    return into + sprintf(into, "0\r\n\r\n");
}

/* What a browser or a proxy sends is longer, what wrk sends is shorter. */
static inline void make_request(struct kind *k, const char *host, int port)
{
    char *at = k->request = malloc(2 * UPLOAD_SIZE);
    at += sprintf(at, "%s\r\nHost: %s:%d\r\nUser-Agent: load/1\r\nAccept: */*\r\n", k->line, host,
                  port);
    if (k->stamped)
        at += sprintf(at, "Content-Type: application/json\r\nContent-Length: %d\r\n", JSON_SIZE);
    if (!strcmp(k->name, "upload"))
        at +=
            sprintf(at, "Content-Type: application/octet-stream\r\nTransfer-Encoding: chunked\r\n");
    at += sprintf(at, "\r\n");
    if (!strcmp(k->name, "upload")) at = chunked(at);
    k->request_size = (size_t)(at - k->request);
}

/* The stamp's bytes are followed by these. */
static inline size_t make_json(char *into)
{
    size_t size = JSON_SIZE - STAMP_SIZE;
    char *at = into + sprintf(into, ",\"text\":\"");
    letters(at, size - (size_t)(at - into) - 2);
    memcpy(into + size - 2, "\"}", 2);
    return size;
}

static inline void make_body(struct kind *k)
{
    k->body = malloc(DOWNLOAD_SIZE);
    if (k->stamped)
        k->body_size = make_json(k->body);
    else if (!strcmp(k->name, "download"))
        k->body_size = (size_t)(letters(k->body, DOWNLOAD_SIZE) - k->body);
    else if (!strcmp(k->name, "upload"))
        k->body_size = (size_t)sprintf(k->body, "received %d\n", UPLOAD_SIZE);
    else
        k->body_size =
            (size_t)sprintf(k->body, strcmp(k->name, "hello") ? "done\n" : "Hello, world\n");
}

static inline void make_requests(const char *host, int port)
{
    for (int i = 0; i < KINDS; i++) {
        make_request(&kinds[i], host, port);
        make_body(&kinds[i]);
    }
}

/* STAMP_SIZE characters, the beginning of a JSON document. */
static inline void stamp(char *into, uint32_t connection, uint64_t sequence)
{
    char text[2 * STAMP_SIZE];
    snprintf(text, sizeof text, "{\"connection\":%8u,\"sequence\":%14llu", connection,
             (unsigned long long)sequence);
    memcpy(into, text, STAMP_SIZE);
}

/* "hello:14,json:4" as a list of 18 kinds. */
static inline int parse_mix(const char *text, const struct kind **into, int room)
{
    int count = 0, share;
    for (const char *at = text; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char name[16];
        int found = sscanf(at, "%15[a-z]:%d", name, &share), kind = 0;
        while (kind < KINDS && strcmp(kinds[kind].name, name))
            kind++;
        if (!found || kind == KINDS) return -1;
        for (int i = 0; i < (found == 2 ? share : 1) && count < room; i++)
            into[count++] = &kinds[kind];
    }
    return count;
}

#endif
