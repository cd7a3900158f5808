/* The set-up of the limits: a listener and one epoll. */
#ifndef LISTEN_H
#define LISTEN_H

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 512, BACKLOG = 4096 };

static int poller;

static void fail(const char *what)
{
    fprintf(stderr, "limit: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void watch(int fd, uint32_t events, void *data)
{
    struct epoll_event event = {.events = events, .data.ptr = data};
    if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event)) fail("epoll_ctl");
}

/* Its events have no data. */
static int open_listener(uint16_t port)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), yes = 1;
    poller = epoll_create1(EPOLL_CLOEXEC);
    if (listener < 0 || poller < 0) fail("setting up");
    if (setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes)) fail("setsockopt");
    if (bind(listener, (struct sockaddr *)&at, sizeof at) || listen(listener, BACKLOG))
        fail("bind");
    watch(listener, EPOLLIN, NULL);
    return listener;
}

/* @return a client's socket; negative: there is none */
static int accept_client(int listener)
{
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), yes = 1;
    if (fd >= 0 && setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes)) fail("setsockopt");
    return fd;
}

/* Waits. @return how many events there are */
static int await_events(struct epoll_event events[EVENTS])
{
    int count = epoll_wait(poller, events, EVENTS, -1);
    if (count < 0 && errno != EINTR) fail("epoll_wait");
    return count;
}

#endif
