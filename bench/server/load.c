/*
 * The load: connections that send requests and check every answer: its status, its length, each
 * byte of its body. A process of its own, in C, so that the CPU time of a server is the server's,
 * and so that the load is not what is measured.
 *
 *     load PORT CONNECTIONS [mix=hello:14,json:4] [depth=1] [warm=0.3] [seconds=1] [bursts=0]
 *          [cold=0] [rate=0] [open=1] [patience=20]
 *
 * Phases: all connections are made, with a request each; `warm` seconds and then `seconds` in a
 * closed loop, in which a connection sends its next `depth` requests when those before are answered
 * (with bursts: so many times one request on all connections at once); and, given a rate, `open`
 * seconds in an open loop: requests are due at random times, `rate` of them in a second, whatever
 * the server does, and their latency counts from when they were due. So a server that stalls is
 * charged with everybody who would have come meanwhile.
 *
 * Standard input and output are the control: a word goes out ("idle", "parked", "begin", "end",
 * "open", "close") and a byte must come in before it goes on, so whoever measures reads its meters
 * while nothing is under way. The last line is the result as JSON.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "answer.h"
#include "latency.h"

enum { DEPTH_MAX = 64, EVENTS = 512, CONNECTING = 256, MIX_MAX = 64, ADDRESSES = 200 };

struct connection {
    int fd;
    uint32_t number;
    uint64_t sent, written, answered,
        mark; /* requests: asked for, all written, answered; answered when it was connected */
    size_t written_part; /* bytes of the first that is not all written */
    uint64_t due[DEPTH_MAX];
    struct answer answer;
};

static enum { CONNECT, CLOSED, BURST, OPEN } mode;
static int poller, count, port, depth = 1, cold;
static struct connection *connections, **idle;
static uint32_t idle_first, idle_count;
static const struct kind *mix[MIX_MAX], **wanted, *only_hello[1] = {&kinds[0]};
static int mix_size, wanted_size;
static uint64_t under_way, done, reconnects, patience = 20;
static int stopping;
static char input[1 << 18];

static void fail(const char *what)
{
    fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void wrong(const char *what, const struct connection *c)
{
    fprintf(stderr, "load: connection %u, request %llu: %s\n", c->number,
            (unsigned long long)c->answered, what);
    exit(1);
}

static uint64_t clock_of(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t now(void)
{
    return clock_of(CLOCK_MONOTONIC);
}

static const struct kind *kind_of(const struct connection *c, uint64_t sequence)
{
    return wanted[(c->number + sequence) % (uint64_t)wanted_size];
}

/* Each from another address, so that ports do not run out. */
static void open_connection(struct connection *c)
{
    static uint32_t opened;
    int yes = 1;
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in from = {.sin_family = AF_INET,
                               .sin_addr.s_addr = htonl(INADDR_LOOPBACK + opened++ % ADDRESSES)};
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = c};
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (c->fd < 0) fail("socket");
    if (setsockopt(c->fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes))
        fail("setsockopt");
    if (bind(c->fd, (struct sockaddr *)&from, sizeof from)) fail("bind");
    if (setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes)) fail("setsockopt");
    if (connect(c->fd, (struct sockaddr *)&to, sizeof to) && errno != EINPROGRESS) fail("connect");
    if (epoll_ctl(poller, EPOLL_CTL_ADD, c->fd, &event)) fail("epoll_ctl");
    c->mark = c->written = c->answered;
    c->written_part = 0;
    answer_reset(&c->answer);
}

static void close_connection(struct connection *c)
{
    close(c->fd);
    c->fd = -1;
}

/* @return how many pieces it takes to send what was asked for */
static int gather(struct connection *c, struct iovec *pieces, char (*stamps)[STAMP_SIZE])
{
    int used = 0;
    size_t skip = c->written_part;
    for (uint64_t n = c->written; n < c->sent; n++) {
        const struct kind *k = kind_of(c, n);
        pieces[used++] = (struct iovec){k->request, k->request_size};
        if (!k->stamped) continue;
        stamp(stamps[n - c->written], c->number, n);
        pieces[used++] = (struct iovec){stamps[n - c->written], STAMP_SIZE};
        pieces[used++] = (struct iovec){k->body, k->body_size};
    }
    for (int i = 0; skip; i++) {
        size_t part = skip < pieces[i].iov_len ? skip : pieces[i].iov_len;
        pieces[i].iov_base = (char *)pieces[i].iov_base + part;
        pieces[i].iov_len -= part;
        skip -= part;
    }
    return used;
}

static void wrote(struct connection *c, size_t size)
{
    size += c->written_part;
    while (c->written < c->sent) {
        const struct kind *k = kind_of(c, c->written);
        size_t whole = k->request_size + (k->stamped ? JSON_SIZE : 0);
        if (size < whole) break;
        size -= whole;
        c->written++;
    }
    c->written_part = size;
}

/* Writes what fits. When the rest does, epoll says so. */
static void flush(struct connection *c)
{
    while (c->written < c->sent) {
        struct iovec pieces[3 * DEPTH_MAX];
        char stamps[DEPTH_MAX][STAMP_SIZE];
        struct msghdr message = {.msg_iov = pieces,
                                 .msg_iovlen = (size_t)gather(c, pieces, stamps)};
        ssize_t size = sendmsg(c->fd, &message, MSG_NOSIGNAL);
        if (size < 0 && (errno == EPIPE || errno == ECONNRESET))
            return; /* reading says what happened */
        if (size < 0 && errno != EAGAIN) fail("send");
        if (size < 0) return;
        wrote(c, (size_t)size);
    }
}

static void ask(struct connection *c, int requests, uint64_t due)
{
    if (c->fd < 0) open_connection(c);
    for (int i = 0; i < requests; i++)
        c->due[c->sent++ % DEPTH_MAX] = due;
    under_way += (uint64_t)requests;
    flush(c);
}

/* Everything that this connection asked for was answered. */
static void free_again(struct connection *c, uint64_t at)
{
    if (cold && mode != CONNECT) close_connection(c);
    if (mode == CLOSED && !stopping) ask(c, depth, at);
    if (mode == OPEN) idle[(idle_first + idle_count++) % (uint32_t)count] = c;
}

static void answered(struct connection *c, uint64_t at)
{
    latency_add(at - c->due[c->answered % DEPTH_MAX]);
    c->answered++;
    done++;
    under_way--;
}

/* A server may close between answers, and is asked again; but not without having answered anything.
 * */
static void closed(struct connection *c)
{
    if (c->answer.held || c->answer.in_body) wrong("closed in the middle of an answer", c);
    if (c->sent != c->answered && c->mark == c->answered) wrong("closed without an answer", c);
    close_connection(c);
    reconnects++;
    if (c->sent == c->answered) return;
    open_connection(c);
    flush(c);
}

/* @param ended whether the server has closed: that is no event of its own when it comes with the
 * last bytes */
static void readable(struct connection *c, int ended)
{
    for (;;) {
        memcpy(input, c->answer.head, c->answer.held);
        size_t room = sizeof input - c->answer.held;
        ssize_t got = recv(c->fd, input + c->answer.held, room, 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (got < 0 && errno != ECONNRESET) fail("recv");
        if (got <= 0) return closed(c);
        uint64_t at = now();
        const char *from = input, *end = input + c->answer.held + got;
        while (from < end) {
            if (c->answered == c->sent) wrong("an answer that nobody asked for", c);
            int state = answer_read(&c->answer, &from, end, kind_of(c, c->answered), c->number,
                                    c->answered);
            if (state < 0) wrong(c->answer.trouble, c);
            if (!state) break;
            answered(c, at);
        }
        if (c->answered == c->sent) {
            int before = c->fd;
            free_again(c, at);
            if (c->fd != before) return;
        }
        if ((size_t)got < room && !ended)
            return; /* drained: the next arrival is an event of its own */
    }
}

/* @param until when to come back at the latest, 0 for never */
static void turn(uint64_t until)
{
    struct epoll_event events[EVENTS];
    uint64_t at = until ? now() : 0, span = until > at ? until - at : 0;
    if (!until) span = patience * 1000000000u;
    struct timespec limit = {(time_t)(span / 1000000000u), (long)(span % 1000000000u)};
    int n = epoll_pwait2(poller, events, EVENTS, &limit, NULL);
    if (n < 0 && errno != EINTR) fail("epoll_pwait2");
    if (n == 0 && !until) errno = ETIMEDOUT, fail("waiting for an answer");
    for (int i = 0; i < n; i++) {
        struct connection *c = events[i].data.ptr;
        if (events[i].events & EPOLLOUT) flush(c);
        if (events[i].events & (EPOLLIN | EPOLLRDHUP | EPOLLERR | EPOLLHUP))
            readable(c, (events[i].events & (EPOLLRDHUP | EPOLLERR | EPOLLHUP)) != 0);
    }
}

/* @return how many requests are not answered although everybody's patience is at its end */
static uint64_t settle(void)
{
    uint64_t limit = now() + patience * 1000000000u;
    stopping = 1;
    while (under_way && now() < limit)
        turn(limit);
    return under_way;
}

static uint64_t closed_loop(double seconds)
{
    uint64_t end = now() + (uint64_t)(seconds * 1e9);
    mode = CLOSED;
    stopping = 0;
    for (int i = 0; i < count; i++)
        ask(&connections[i], depth, now());
    while (now() < end)
        turn(end);
    return settle();
}

static uint64_t burst(int times)
{
    mode = BURST;
    for (; times; times--) {
        uint64_t at = now();
        for (int i = 0; i < count; i++)
            ask(&connections[i], 1, at);
        if (settle()) break;
    }
    return under_way;
}

/* Waiting times of a Poisson process, always the same ones. */
static uint64_t gap(double rate)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint64_t)(-log(((double)(state >> 11) + 1) / 9007199254740993.0) / rate * 1e9);
}

static uint64_t open_loop(double rate, double seconds)
{
    uint64_t due = now(), end = due + (uint64_t)(seconds * 1e9);
    mode = OPEN;
    idle_count = 0;
    for (int i = 0; i < count; i++)
        idle[idle_count++] = &connections[i];
    while (due < end) {
        uint64_t at = now();
        if (at > end + patience * 1000000000u) break;
        for (; idle_count && due <= at && due < end; due += gap(rate)) {
            struct connection *c = idle[idle_first];
            idle_first = (idle_first + 1) % (uint32_t)count;
            idle_count--;
            ask(c, 1, due);
        }
        if (due < end) turn(idle_count ? due : end + patience * 1000000000u);
    }
    return settle();
}

/* In small groups, each of which gets an answer, so that the queue of the listener never overflows.
 * */
static void connect_all(int total)
{
    mode = CONNECT;
    wanted = only_hello;
    wanted_size = 1;
    for (int first = 0; first < total; first += CONNECTING) {
        for (int i = first; i < total && i < first + CONNECTING; i++) {
            connections[i].number = (uint32_t)i;
            connections[i].fd = -1;
            ask(&connections[i], 1, now());
        }
        while (under_way)
            turn(0);
    }
    wanted = mix;
    wanted_size = mix_size;
}

static void control(const char *word)
{
    char byte;
    printf("%s\n", word);
    fflush(stdout);
    if (read(0, &byte, 1) != 1) exit(1); /* whoever measures is gone */
}

static struct {
    double warm, seconds, rate, open;
    int bursts;
} plan = {.warm = 0.3, .seconds = 1, .open = 1};

static int option(const char *text)
{
    const char *value = strchr(text, '=');
    if (!value++) return 0;
    if (!strncmp(text, "mix=", 4)) return (mix_size = parse_mix(value, mix, MIX_MAX)) > 0;
    if (!strncmp(text, "depth=", 6)) return (depth = atoi(value)) > 0 && depth <= DEPTH_MAX;
    if (!strncmp(text, "bursts=", 7)) return (plan.bursts = atoi(value)) >= 0;
    if (!strncmp(text, "cold=", 5)) return (cold = atoi(value)) >= 0;
    if (!strncmp(text, "patience=", 9)) return (patience = strtoull(value, NULL, 10)) > 0;
    double *number = !strncmp(text, "warm=", 5)      ? &plan.warm
                     : !strncmp(text, "seconds=", 8) ? &plan.seconds
                     : !strncmp(text, "rate=", 5)    ? &plan.rate
                     : !strncmp(text, "open=", 5)    ? &plan.open
                                                     : NULL;
    return number && (*number = atof(value)) >= 0;
}

int main(int argc, char **argv)
{
    int good = argc >= 3 && (port = atoi(argv[1])) > 0 && (count = atoi(argv[2])) > 0;
    mix[0] = &kinds[0];
    mix_size = 1;
    for (int i = 3; i < argc; i++)
        good = good && option(argv[i]);
    if (!good)
        return fprintf(stderr, "usage: load PORT CONNECTIONS [NAME=VALUE]... (see load.c)\n"), 2;
    make_requests("127.0.0.1", port);
    connections = calloc((size_t)count, sizeof *connections);
    idle = calloc((size_t)count, sizeof *idle);
    poller = epoll_create1(EPOLL_CLOEXEC);
    if (!connections || !idle || poller < 0 || latency_setup()) fail("setting up");
    prctl(PR_SET_TIMERSLACK, 1);

    control("idle");
    connect_all(count);
    control("parked");
    if (!plan.bursts) closed_loop(plan.warm);
    if (under_way) errno = ETIMEDOUT, fail("warming up");
    control("begin");
    latency_reset();
    done = 0;
    uint64_t began = now(), used = clock_of(CLOCK_PROCESS_CPUTIME_ID);
    uint64_t unanswered = plan.bursts ? burst(plan.bursts) : closed_loop(plan.seconds);
    double wall = (double)(now() - began) / 1e9,
           cpu = (double)(clock_of(CLOCK_PROCESS_CPUTIME_ID) - used) / 1e9;
    control("end");
    report("closed", done, unanswered, wall, cpu);
    if (plan.rate > 0 && !unanswered) {
        control("open");
        done = 0;
        began = now(), used = clock_of(CLOCK_PROCESS_CPUTIME_ID);
        unanswered = open_loop(plan.rate, plan.open);
        wall = (double)(now() - began) / 1e9,
        cpu = (double)(clock_of(CLOCK_PROCESS_CPUTIME_ID) - used) / 1e9;
        control("close");
        report("open", done, unanswered, wall, cpu);
    }
    printf("{%s\"reconnects\": %llu}\n", results, (unsigned long long)reconnects);
    return 0;
}
