/* A million operations that are disarmed at random points, while data, connections, timers and
 * signals come in. Of each op there is one last completion, or the word that there will be none;
 * each byte and each connection arrives once or is still there; and in the end everything is back
 * where it was.
 *
 * RAFFIA_STORM_SEED repeats a run, as far as the kernel does; RAFFIA_STORM_OPS makes it longer or
 * shorter. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#include "contract.h"

enum {
    TASKS = 256,
    PIPES = 8,
    STREAMS = 24,
    LISTENERS = 2,
    BYTES = 32,
    HERE = RAFFIA_CURRENT_POSITION
};

enum action { POLL, TIMER, READ, RECV, SEND, ACCEPT, RECEIVE, CLOSE, ACTIONS };

/* A slot for an op: `serial` makes the data word of each op another one. */
struct task {
    int active, disarmed;
    enum action action;
    raffia_id id;
    uint32_t serial;
    int place; /* of what it uses: a pipe, a stream, a listener */
    char buffer[BYTES];
};

struct line {
    int ends[2]; /* 0 is received from */
    int64_t in, out;
    int busy; /* has a RAFFIA_RECEIVE */
};

struct storm {
    struct raffia_loop *loop;
    struct task tasks[TASKS];
    struct line pipes[PIPES];   /* read by many */
    struct line sockets[PIPES]; /* received from, sent to by many */
    struct line streams[STREAMS];
    int listeners[LISTENERS];
    int64_t connected, accepted;
    struct raffia_completion held[CONTRACT_BUFFERS];
    int holding;
    uint64_t submitted, completed, off;
};

static uint64_t seed;

static uint32_t any(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16) % below;
}

/* -- what there is -- */

static void open_line(struct line *line, int sockets)
{
    memset(line, 0, sizeof(*line));
    if (sockets)
        CHECK_CALL(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, line->ends));
    else
        CHECK_CALL(pipe(line->ends));
}

/* An address that Linux chooses, and that is nowhere in the file system. */
static int open_listener(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = CHECK_CALL(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0));
    CHECK_CALL(bind(fd, (struct sockaddr *)&address, sizeof(address.sun_family)));
    CHECK_CALL(listen(fd, 64));
    return fd;
}

static void open_all(struct storm *storm)
{
    for (int i = 0; i < PIPES; i++) {
        open_line(&storm->pipes[i], 0);
        open_line(&storm->sockets[i], 1);
    }
    for (int i = 0; i < STREAMS; i++)
        open_line(&storm->streams[i], 1);
    for (int i = 0; i < LISTENERS; i++)
        storm->listeners[i] = open_listener();
}

/* -- what comes from outside -- */

static void send_on_stream(struct line *line)
{
    unsigned char bytes[200];
    int count = 1 + (int)any(sizeof(bytes));
    for (int i = 0; i < count; i++)
        bytes[i] = (unsigned char)(line->in + i);
    ssize_t sent = send(line->ends[1], bytes, (size_t)count, MSG_DONTWAIT);
    if (sent > 0) line->in += sent;
}

/* So few that no writer waits: the pipes' writers would block. */
static void write_some(struct line *line)
{
    char bytes[BYTES] = {0};
    if (line->in - line->out > 1000) return;
    ssize_t written = write(line->ends[1], bytes, 1 + any(BYTES));
    if (written > 0) line->in += written;
}

/* Bytes of other senders, or left behind. */
static void read_some(struct line *line, size_t most)
{
    char bytes[4096];
    ssize_t count = recv(line->ends[0], bytes, most, MSG_DONTWAIT);
    if (count > 0) line->out += count;
}

static void connect_once(struct storm *storm)
{
    struct sockaddr_un address = {0};
    socklen_t length = sizeof(address);
    CHECK_CALL(getsockname(storm->listeners[any(LISTENERS)], (struct sockaddr *)&address, &length));
    int fd = CHECK_CALL(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0));
    if (connect(fd, (struct sockaddr *)&address, length) == 0) storm->connected++;
    CHECK_CALL(close(fd));
}

static void happen(struct storm *storm)
{
    switch (any(6)) {
    case 0: connect_once(storm); break;
    case 1: write_some(&storm->pipes[any(PIPES)]); break;
    case 2: write_some(&storm->sockets[any(PIPES)]); break;
    case 3: read_some(&storm->sockets[any(PIPES)], BYTES); break;
    default: send_on_stream(&storm->streams[any(STREAMS)]);
    }
}

/* -- submitting -- */

static int transfer(struct storm *storm, struct task *task, enum raffia_kind kind,
                    const struct line *line, raffia_data data)
{
    memset(task->buffer, 'f', sizeof(task->buffer));
    return raffia_loop_transfer(storm->loop, kind, line->ends[kind == RAFFIA_SEND], task->buffer,
                                1 + any(BYTES), HERE, data, &task->id);
}

static int poll_one(struct storm *storm, struct task *task, raffia_data data)
{
    const struct line *line = &storm->sockets[task->place];
    uint32_t events = any(2) ? RAFFIA_READABLE : RAFFIA_WRITABLE;
    return raffia_loop_arm(storm->loop, line->ends[any(2)], events, data, &task->id);
}

static int receive(struct storm *storm, struct task *task, raffia_data data)
{
    struct line *line = &storm->streams[task->place = (int)any(STREAMS)];
    if (line->busy) return -EBUSY;
    int result = raffia_loop_receive(storm->loop, line->ends[0], data, &task->id);
    line->busy = result == 0;
    return result;
}

static int close_one(struct storm *storm, struct task *task, raffia_data data)
{
    int fd = CHECK_CALL(fcntl(storm->listeners[0], F_DUPFD_CLOEXEC, 0));
    return raffia_loop_close_descriptor(storm->loop, fd, data, &task->id);
}

static int begin(struct storm *storm, struct task *task, raffia_data data)
{
    task->place = (int)any(PIPES);
    switch (task->action) {
    case POLL: return poll_one(storm, task, data);
    case TIMER: return raffia_loop_after(storm->loop, any(300000), data, &task->id);
    case READ:
        if (!storm->loop->backend->transfers) return -EBUSY;
        return transfer(storm, task, RAFFIA_READ, &storm->pipes[task->place], data);
    case RECV: return transfer(storm, task, RAFFIA_RECV, &storm->sockets[task->place], data);
    case SEND: return transfer(storm, task, RAFFIA_SEND, &storm->sockets[task->place], data);
    case ACCEPT:
        return raffia_loop_accept(storm->loop, storm->listeners[any(LISTENERS)], data, &task->id);
    case RECEIVE: return receive(storm, task, data);
    default: return close_one(storm, task, data);
    }
}

static void submit(struct storm *storm)
{
    uint32_t index = any(TASKS);
    struct task *task = &storm->tasks[index];
    if (task->active) return;
    task->action = (enum action)any(ACTIONS);
    task->serial++;
    int result = begin(storm, task, (raffia_data)task->serial << 16 | index);
    CHECK(result == 0 || result == -EBUSY);
    if (result < 0) return;
    task->active = 1;
    task->disarmed = 0;
    storm->submitted++;
}

/* -- and the other end -- */

/* The op wrote into its buffer as many bytes as it said, and none before it was submitted or after
 * it was off. */
static void check_buffer(const struct task *task, int64_t bytes)
{
    for (int64_t i = bytes > 0 ? bytes : 0; i < BYTES; i++)
        CHECK_EQUAL(task->buffer[i], 'f');
}

static int transfers(const struct task *task)
{
    return task->action == READ || task->action == RECV || task->action == SEND;
}

static void end(struct storm *storm, struct task *task)
{
    if (task->action == RECEIVE) storm->streams[task->place].busy = 0;
    task->active = 0;
}

static void disarm(struct storm *storm, struct task *task)
{
    if (!task->active) return;
    int result = raffia_loop_disarm(storm->loop, task->id);
    CHECK(result == 0 || result == 1 || result == -ENOENT);
    if (result == 0) task->disarmed = 1;
    if (result != 1) return;
    if (transfers(task)) check_buffer(task, 0);
    CHECK(task->action != ACCEPT && task->action != RECEIVE && task->action != CLOSE);
    end(storm, task);
    storm->off++;
}

static void take_stream(struct storm *storm, const struct raffia_completion *completion)
{
    const struct task *task = &storm->tasks[completion->data & 0xffff];
    struct line *line = &storm->streams[task->place];
    const unsigned char *bytes = raffia_loop_buffer(storm->loop, completion->buffer);
    CHECK(completion->result > 0 && completion->result <= CONTRACT_BUFFER_SIZE);
    for (int64_t i = 0; i < completion->result; i++)
        CHECK_EQUAL(bytes[i], (unsigned char)(line->out + i));
    line->out += completion->result;
    CHECK(storm->holding < CONTRACT_BUFFERS);
    storm->held[storm->holding++] = *completion;
}

static void take_more(struct storm *storm, struct task *task,
                      const struct raffia_completion *completion)
{
    if (task->action == RECEIVE) {
        take_stream(storm, completion);
        return;
    }
    CHECK_EQUAL(task->action, ACCEPT);
    CHECK_EQUAL(completion->flags, RAFFIA_MORE | RAFFIA_DESCRIPTOR);
    CHECK_CALL(close((int)completion->result));
    storm->accepted++;
}

static void take_transfer(struct storm *storm, const struct task *task, int64_t result)
{
    struct line *line =
        task->action == READ ? &storm->pipes[task->place] : &storm->sockets[task->place];
    CHECK(result > 0 || (result == -ECANCELED && task->disarmed));
    if (task->action == SEND) {
        if (result > 0) line->in += result;
        return;
    }
    /* Bytes of ops and of write_some are mixed, so only the rest is known. */
    if (result > 0) line->out += result;
    check_buffer(task, result);
}

static void take_last(struct storm *storm, struct task *task, int64_t result)
{
    switch (task->action) {
    case TIMER: CHECK_EQUAL(result, -ETIME); break;
    case POLL: CHECK(result > 0); break;
    case CLOSE: CHECK_EQUAL(result, 0); break;
    case ACCEPT:
    case RECEIVE:
        CHECK_EQUAL(result, -ECANCELED);
        CHECK(task->disarmed);
        break;
    default: take_transfer(storm, task, result);
    }
    end(storm, task);
    storm->completed++;
}

static void take(struct storm *storm, const struct raffia_completion *completion)
{
    struct task *task = &storm->tasks[completion->data & 0xffff];
    CHECK(task->active);
    CHECK_EQUAL(task->serial, completion->data >> 16);
    if (completion->flags & RAFFIA_MORE)
        take_more(storm, task, completion);
    else
        take_last(storm, task, completion->result);
}

static void give_back(struct storm *storm)
{
    if (storm->holding == 0) return;
    struct raffia_completion *last = &storm->held[--storm->holding],
                             *one = &storm->held[any((uint32_t)storm->holding + 1)];
    CHECK_EQUAL(raffia_loop_return_buffer(storm->loop, one->buffer), 0);
    *one = *last;
}

/* Some, or all that are there. */
static void turn(struct storm *storm, uint32_t most)
{
    struct raffia_completion completion;
    CHECK(raffia_loop_poll(storm->loop, any(32) ? 0 : 50000) >= 0);
    while (most-- > 0 && raffia_loop_shift(storm->loop, &completion))
        take(storm, &completion);
}

static void blow(struct storm *storm)
{
    switch (any(16)) {
    case 0: turn(storm, 1 + any(2 * TASKS)); break;
    case 1:
    case 2:
    case 3: happen(storm); break;
    case 4:
    case 5:
    case 6:
    case 7: disarm(storm, &storm->tasks[any(TASKS)]); break;
    case 8: give_back(storm); break;
    default: submit(storm);
    }
}

/* -- afterwards -- */

static void calm_down(struct storm *storm)
{
    for (int i = 0; i < TASKS; i++)
        disarm(storm, &storm->tasks[i]);
    for (int64_t limit = raffia_now() + (int64_t)30 * 1000000000;
         raffia_loop_pending(storm->loop) > 0;) {
        CHECK(raffia_now() < limit);
        turn(storm, UINT32_MAX);
    }
    turn(storm, UINT32_MAX);
    for (int i = 0; i < TASKS; i++)
        CHECK(!storm->tasks[i].active);
    CHECK_EQUAL(storm->loop->ready.count, 0);
    CHECK_EQUAL(storm->submitted, storm->completed + storm->off);
    while (storm->holding)
        give_back(storm);
    CHECK_EQUAL(raffia_buffers_free_count(&storm->loop->buffers), CONTRACT_BUFFERS);
}

static void settle(struct line *line, int sockets)
{
    char bytes[4096];
    ssize_t count;
    if (!sockets) CHECK_CALL(fcntl(line->ends[0], F_SETFL, O_NONBLOCK));
    while ((count = read(line->ends[0], bytes, sizeof(bytes))) > 0)
        line->out += count;
    CHECK_EQUAL(line->out, line->in);
    close_pair(line->ends);
}

static void settle_all(struct storm *storm)
{
    for (int i = 0; i < PIPES; i++) {
        settle(&storm->pipes[i], 0);
        settle(&storm->sockets[i], 1);
    }
    for (int i = 0; i < STREAMS; i++)
        settle(&storm->streams[i], 1);
    for (int i = 0, fd; i < LISTENERS; i++) {
        for (; (fd = accept(storm->listeners[i], NULL, NULL)) >= 0; storm->accepted++)
            CHECK_CALL(close(fd));
        CHECK_CALL(close(storm->listeners[i]));
    }
    CHECK_EQUAL(storm->accepted, storm->connected);
}

/* -- the whole -- */

static uint64_t number(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);
    return value && *value ? strtoull(value, NULL, 10) : otherwise;
}

/* In all; a quarter of it on each back end. */
static uint64_t operations(void)
{
#ifdef __SANITIZE_ADDRESS__
    return number("RAFFIA_STORM_OPS", 200000);
#else
    return number("RAFFIA_STORM_OPS", check_valgrind() ? 20000 : 1000000);
#endif
}

static void heard(int signal)
{
    (void)signal;
}

/* Interrupts whatever the loop is doing, each millisecond. */
static timer_t interrupt(void)
{
    timer_t timer;
    struct sigaction action = {.sa_handler = heard};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec each = {.it_interval = {.tv_nsec = 1000000},
                              .it_value = {.tv_nsec = 1000000}};
    CHECK_CALL(sigaction(SIGUSR1, &action, NULL));
    CHECK_CALL(timer_create(CLOCK_MONOTONIC, &event, &timer));
    CHECK_CALL(timer_settime(timer, 0, &each, NULL));
    return timer;
}

static void a_storm(struct raffia_loop *loop)
{
    static struct storm storm;
    memset(&storm, 0, sizeof(storm));
    storm.loop = loop;
    open_all(&storm);
    timer_t timer = interrupt();
    while (storm.submitted < operations() / 4)
        blow(&storm);
    calm_down(&storm);
    CHECK_CALL(timer_delete(timer));
    settle_all(&storm);
    printf(
        "  %s: %llu completed, %llu off, %llu more; %llu stale, %llu starved, %llu connections\n",
        loop->backend->name, (unsigned long long)storm.completed, (unsigned long long)storm.off,
        (unsigned long long)loop->metrics.produced, (unsigned long long)loop->metrics.stale,
        (unsigned long long)loop->metrics.starved, (unsigned long long)storm.connected);
}

int main(void)
{
    static const struct contract_test tests[] = {TEST(a_storm)};
    seed = number("RAFFIA_STORM_SEED", (uint64_t)raffia_now());
    if (seed == 0) seed = 1;
    printf("RAFFIA_STORM_SEED=%llu\n", (unsigned long long)seed);
    fflush(stdout);
    return contract_run("storm", tests, COUNT(tests));
}
