/*
 * The load: N connections, each sends a request, waits for its answer, checks it byte by byte, and
 * sends the next one. It is a process of its own, in C, so that the CPU time of the server is the
 * server's, and so that it is not what is measured.
 *
 *     load echo|http PORT CONNECTIONS WARM REQUESTS        (WARM and REQUESTS for each connection)
 *
 * Standard input and output are the control: a word goes out ("parked", "begin", "end") and a byte
 * must come in before it goes on, so whoever measures reads its meters while nothing is under way.
 * The last line is the result as JSON.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { ECHO_SIZE = 64, ANSWER_MAX = 256, EVENTS = 512, CONNECTING = 256 };

#define HTTP_REQUEST                                                                               \
    "GET /hello HTTP/1.1\r\nHost: localhost\r\nUser-Agent: load\r\nAccept: */*\r\n\r\n"
#define HTTP_ANSWER                                                                                \
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\nHello, world\n"

struct connection {
    int fd;
    uint32_t number,
        sequence; /* both are in the bytes of an echo, so that an answer to somebody else is seen */
    uint32_t left; /* requests of this phase */
    uint32_t received;
    uint64_t sent_at;
    char answer[ANSWER_MAX];
};

static int http, poller, count;
static struct connection *connections;
static uint64_t *latencies, done;
static int record;

static void fail(const char *what)
{
    fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
    exit(1);
}

static void wrong(const char *what, const struct connection *c)
{
    fprintf(stderr, "load: connection %u, request %u: %s\n", c->number, c->sequence, what);
    exit(1);
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static size_t request(const struct connection *c, char *into)
{
    if (http) {
        memcpy(into, HTTP_REQUEST, sizeof HTTP_REQUEST - 1);
        return sizeof HTTP_REQUEST - 1;
    }
    memset(into, 'a' + (int)(c->number % 26), ECHO_SIZE);
    memcpy(into, &c->number, sizeof c->number);
    memcpy(into + sizeof c->number, &c->sequence, sizeof c->sequence);
    return ECHO_SIZE;
}

static size_t expected(const struct connection *c, char *into)
{
    if (!http) return request(c, into);
    memcpy(into, HTTP_ANSWER, sizeof HTTP_ANSWER - 1);
    return sizeof HTTP_ANSWER - 1;
}

static void send_next(struct connection *c)
{
    char bytes[ANSWER_MAX];
    size_t size = request(c, bytes);
    c->sent_at = now();
    c->received = 0;
    /* A request is small and the one before it is answered, so the socket's buffer is empty. */
    if (send(c->fd, bytes, size, MSG_NOSIGNAL) != (ssize_t)size)
        wrong("the request was not taken", c);
}

static void answered(struct connection *c)
{
    char bytes[ANSWER_MAX];
    size_t size = expected(c, bytes);
    if (c->received > size || memcmp(c->answer, bytes, c->received)) wrong("a wrong answer", c);
    if (c->received < size) return;
    if (record) latencies[done] = now() - c->sent_at;
    done++;
    c->sequence++;
    if (--c->left) send_next(c);
}

static void readable(struct connection *c)
{
    ssize_t got =
        recv(c->fd, c->answer + c->received, sizeof c->answer - c->received, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got < 0) fail("recv");
    if (got == 0) wrong("closed by the server", c);
    if (!c->left) wrong("an answer that nobody asked for", c);
    c->received += (uint32_t)got;
    answered(c);
}

/* Every connection makes `requests` round trips. */
static void phase(uint32_t requests)
{
    struct epoll_event events[EVENTS];
    uint64_t goal = (uint64_t)requests * (uint64_t)count;
    done = 0;
    for (int i = 0; i < count && requests; i++) {
        connections[i].left = requests;
        send_next(&connections[i]);
    }
    while (done < goal) {
        int n = epoll_wait(poller, events, EVENTS, -1);
        if (n < 0 && errno != EINTR) fail("epoll_wait");
        for (int i = 0; i < n; i++)
            readable(events[i].data.ptr);
    }
}

static void control(const char *word)
{
    char byte;
    printf("%s\n", word);
    fflush(stdout);
    if (read(0, &byte, 1) != 1) exit(1); /* whoever measures is gone */
}

static void connect_one(struct connection *c, int number, uint16_t port)
{
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    int yes = 1;
    c->number = (uint32_t)number;
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (c->fd < 0) fail("socket");
    if (connect(c->fd, (struct sockaddr *)&to, sizeof to)) fail("connect");
    if (setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes)) fail("setsockopt");
    if (epoll_ctl(poller, EPOLL_CTL_ADD, c->fd, &event)) fail("epoll_ctl");
}

/* In small groups, each of which makes a round trip, so that the queue of the listener never
 * overflows. */
static void connect_all(int total, uint16_t port)
{
    struct connection *all = connections;
    for (int first = 0; first < total; first += count) {
        connections = all + first;
        count = total - first < CONNECTING ? total - first : CONNECTING;
        for (int i = 0; i < count; i++)
            connect_one(&connections[i], first + i, port);
        phase(1);
    }
    connections = all;
    count = total;
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return fprintf(stderr, "usage: load echo|http PORT CONNECTIONS WARM REQUESTS\n"), 2;
    http = !strcmp(argv[1], "http");
    int total = atoi(argv[3]);
    uint32_t requests = (uint32_t)atoi(argv[5]);
    uint64_t all = (uint64_t)total * requests;
    connections = calloc((size_t)total, sizeof *connections);
    latencies = calloc(all, sizeof *latencies);
    poller = epoll_create1(EPOLL_CLOEXEC);
    if (!connections || !latencies || poller < 0) fail("setting up");

    connect_all(total, (uint16_t)atoi(argv[2]));
    control("parked");
    phase((uint32_t)atoi(argv[4]));
    control("begin");
    uint64_t began = now(), used = cpu();
    record = 1;
    phase(requests);
    uint64_t wall = now() - began;
    used = cpu() - used;
    control("end");
    for (int i = 0; i < total; i++)
        close(connections[i].fd);
    qsort(latencies, all, sizeof *latencies, ascending);
    printf("{\"requests\": %llu, \"wall\": %.9f, \"cpu\": %.9f, \"p50\": %.9f, \"p99\": %.9f}\n",
           (unsigned long long)all, wall / 1e9, used / 1e9, latencies[all / 2] / 1e9,
           latencies[all * 99 / 100] / 1e9);
    return 0;
}
