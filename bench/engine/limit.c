/*
 * The limit: what the kernel lets one thread do. The same echo and HTTP services as the Ruby ones,
 * on epoll, with no more system calls than a request needs: one read, one write, and a share of one
 * epoll_wait. No Ruby target can be below it for long.
 *
 *     limit echo|http        prints its port, and serves until it is killed
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BUFFER = 4096, EVENTS = 512, BACKLOG = 4096 };

#define ANSWER                                                                                     \
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\nHello, world\n"

struct client {
    int fd;
    size_t held; /* bytes of a request that is not complete */
    char buffer[BUFFER];
};

static int http, poller;

static void fail(const char *what)
{
    fprintf(stderr, "limit: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void answer(struct client *c, const char *bytes, size_t size)
{
    if (send(c->fd, bytes, size, MSG_NOSIGNAL) != (ssize_t)size) fail("send");
}

static void respond(struct client *c)
{
    char *end;
    while ((end = memmem(c->buffer, c->held, "\r\n\r\n", 4))) {
        size_t taken = (size_t)(end - c->buffer) + 4;
        answer(c, ANSWER, sizeof ANSWER - 1);
        memmove(c->buffer, c->buffer + taken, c->held - taken);
        c->held -= taken;
    }
    if (c->held == BUFFER) fail("a request that is too long");
}

static void serve(struct client *c)
{
    ssize_t got = recv(c->fd, c->buffer + c->held, BUFFER - c->held, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) {
        close(c->fd);
        free(c);
        return;
    }
    if (!http) return answer(c, c->buffer, (size_t)got);
    c->held += (size_t)got;
    respond(c);
}

static void welcome(int listener)
{
    int fd, yes = 1;
    while ((fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)) >= 0) {
        struct client *c = calloc(1, sizeof *c);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
        if (!c) fail("calloc");
        c->fd = fd;
        if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes)) fail("setsockopt");
        if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event)) fail("epoll_ctl");
    }
    if (errno != EAGAIN) fail("accept");
}

static int listen_on(struct sockaddr_in *at)
{
    socklen_t size = sizeof *at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    if (fd < 0 || bind(fd, (struct sockaddr *)at, size) || listen(fd, BACKLOG)) fail("listen");
    if (getsockname(fd, (struct sockaddr *)at, &size)) fail("getsockname");
    if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event)) fail("epoll_ctl");
    return fd;
}

int main(int argc, char **argv)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct epoll_event events[EVENTS];
    if (argc != 2) return fprintf(stderr, "usage: limit echo|http\n"), 2;
    http = !strcmp(argv[1], "http");
    if ((poller = epoll_create1(EPOLL_CLOEXEC)) < 0) fail("epoll_create1");
    int listener = listen_on(&at);
    printf("%d\n", ntohs(at.sin_port));
    fflush(stdout);
    for (;;) {
        int n = epoll_wait(poller, events, EVENTS, -1);
        if (n < 0 && errno != EINTR) fail("epoll_wait");
        for (int i = 0; i < n; i++) {
            if (events[i].data.ptr)
                serve(events[i].data.ptr);
            else
                welcome(listener);
        }
    }
}
