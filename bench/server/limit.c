/*
 * The limit: what the kernel lets one thread do. The services of service.rb on epoll, for requests
 * as the load sends them, with no more system calls than a request needs: one read, one write, and
 * a share of one epoll_wait. It is no server: it knows nothing of HTTP but where requests end.
 *
 *     limit PORT        serves until it is killed
 */
#define _GNU_SOURCE
#include <time.h>
#include "listen.h"
#include "requests.h"

enum { ROOM = 256 * 1024, OUT = 8 * 1024, HEAD = 128 };

struct client {
    int fd;
    size_t held,
        unsent_size; /* bytes of a request that is not complete; of an answer that did not fit */
    const char *unsent;
    char *bytes;
};

static char out[OUT], input[ROOM], big[DOWNLOAD_SIZE + HEAD], upload[UPLOAD_SIZE];
static size_t out_size, big_size;

static void drop(struct client *c)
{
    close(c->fd);
    free(c->bytes);
    free(c);
}

static void send_out(struct client *c)
{
    if (out_size && send(c->fd, out, out_size, MSG_NOSIGNAL) < 0 && errno != EPIPE &&
        errno != ECONNRESET)
        fail("send");
    out_size = 0;
}

static void answer(struct client *c, const char *type, const char *body, size_t size)
{
    if (out_size + HEAD + size > OUT) send_out(c);
    out_size += (size_t)sprintf(
        out + out_size, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %zu\r\n\r\n", type,
        size);
    memcpy(out + out_size, body, size);
    out_size += size;
}

/* As much of it as fits now; epoll says when there is room again. */
static void send_big(struct client *c)
{
    while (c->unsent_size) {
        ssize_t size = send(c->fd, c->unsent, c->unsent_size, MSG_NOSIGNAL);
        if (size < 0) return;
        c->unsent += size;
        c->unsent_size -= (size_t)size;
    }
}

static void spin(void)
{
    struct timespec t, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    end.tv_nsec += 1000000;
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    while ((t.tv_sec - end.tv_sec) * 1000000000L + t.tv_nsec < end.tv_nsec);
}

/* @return whether the chunks are those of the letters */
static int right_upload(const char *at, const char *end)
{
    size_t done = 0, size;
    while (at < end && (size = strtoul(at, NULL, 16))) {
        at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
        if (done + size > UPLOAD_SIZE || memcmp(at, upload + done, size)) return 0;
        done += size;
        at += size + 2;
    }
    return done == UPLOAD_SIZE;
}

/* @return how many bytes the request is that begins here, 0 when it is not all there */
static size_t request(struct client *c, const char *from, size_t size)
{
    const char *rest = memmem(from, size, "\r\n\r\n", 4), *end;
    if (!rest) return 0;
    rest += 4;
    if (!memcmp(from, "POST /json", 10)) {
        if ((size_t)(rest - from) + JSON_SIZE > size) return 0;
        answer(c, "application/json", rest, JSON_SIZE);
        return (size_t)(rest - from) + JSON_SIZE;
    }
    if (!memcmp(from, "POST /upload", 12)) {
        /* The last chunk is the end of what has come: the load does not pipeline these. */
        if (memcmp(from + size - 5, "0\r\n\r\n", 5) || !(end = from + size) ||
            end - rest < UPLOAD_SIZE)
            return 0;
        int right = right_upload(rest, end);
        answer(c, "text/plain", right ? "received 65536\n" : "wrong\n", right ? 15 : 6);
        return size;
    }
    if (!memcmp(from, "GET /download", 13)) {
        c->unsent = big;
        c->unsent_size = big_size;
        send_big(c);
    } else if (!memcmp(from, "GET /cpu", 8)) {
        spin();
        answer(c, "text/plain", "done\n", 5);
    } else
        answer(c, "text/plain", "Hello, world\n", 13);
    return (size_t)(rest - from);
}

/* What is not complete stays in the client's own bytes, and is read on there. */
static void serve(struct client *c)
{
    char *bytes = c->bytes ? c->bytes : input;
    ssize_t got = recv(c->fd, bytes + c->held, ROOM - c->held, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) return drop(c);
    size_t size = c->held + (size_t)got, at = 0, taken;
    while (at < size && (taken = request(c, bytes + at, size - at)))
        at += taken;
    send_out(c);
    c->held = size - at;
    if (!c->held || c->bytes) {
        if (c->held && at) memmove(c->bytes, bytes + at, c->held);
        return;
    }
    if (!(c->bytes = malloc(ROOM))) fail("malloc");
    memcpy(c->bytes, bytes + at, c->held);
}

static void admit(int listener)
{
    int fd;
    while ((fd = accept_client(listener)) >= 0) {
        struct client *c = calloc(1, sizeof *c);
        if (!c) fail("calloc");
        c->fd = fd;
        watch(fd, EPOLLIN | EPOLLOUT | EPOLLET, c);
    }
}

int main(int argc, char **argv)
{
    struct epoll_event events[EVENTS];
    if (argc != 2) return fprintf(stderr, "usage: limit PORT\n"), 2;
    int listener = open_listener((uint16_t)atoi(argv[1]));
    big_size = (size_t)sprintf(big, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", DOWNLOAD_SIZE);
    letters(big + big_size, DOWNLOAD_SIZE);
    letters(upload, UPLOAD_SIZE);
    big_size += DOWNLOAD_SIZE;
    for (;;) {
        int n = await_events(events);
        for (int i = 0; i < n; i++) {
            struct client *c = events[i].data.ptr;
            if (!c) {
                admit(listener);
                continue;
            }
            if (events[i].events & EPOLLOUT) send_big(c);
            if (events[i].events & (EPOLLIN | EPOLLERR | EPOLLHUP)) serve(c);
        }
    }
}
