#include "contract.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#ifdef HAVE_KQUEUE
#include <sys/types.h>
#include <sys/event.h>
#endif

#define SECONDS ((int64_t)1000000000)

#define SMALL .buffers = CONTRACT_BUFFERS, .buffer_size = CONTRACT_BUFFER_SIZE

static const struct bed {
    const char *backend, *note;
    struct raffia_options options;
} beds[] = {
    {"uring", "uring", {.movable = 0, SMALL}}, {"uring", "uring, movable", {.movable = 1, SMALL}},
    {"epoll", "epoll", {.movable = 0, SMALL}}, {"kqueue", "kqueue", {.movable = 0, SMALL}},
    {"poll", "poll", {.movable = 0, SMALL}},
};

static int available(const struct bed *bed)
{
    char why[200] = "it is not in this build";
    const struct raffia_backend *backend = raffia_backend_named(bed->backend);
    if (backend && raffia_backend_probe(backend, why, sizeof(why)) == 0) return 1;
    printf("%s: skipped, %s\n", bed->note, why);
    return 0;
}

/* libkqueue hears of a close in a thread of its own, and then closes what it had opened besides;
 * the one before this loop's, the probe's, may still have been there at first. */
static void expect_descriptors(const struct bed *bed, int expected)
{
    int late = strcmp(bed->backend, "kqueue") == 0;
    for (int patience = 10000; late && check_open_descriptors() > expected && patience > 0;
         patience--)
        usleep(1000);
    CHECK(check_open_descriptors() <= expected);
    CHECK(late || check_open_descriptors() == expected);
}

static void run_one(const struct bed *bed, const struct contract_test *test)
{
    struct raffia_loop loop;
    int before = check_open_descriptors();
    check_begin(bed->note, test->name);
    CHECK_EQUAL(raffia_loop_open(&loop, raffia_backend_named(bed->backend), &bed->options), 0);
    test->run(&loop);
    if (loop.backend) expect_balance(&loop);
    raffia_loop_close(&loop);
    raffia_loop_close(&loop);
    expect_descriptors(bed, before);
}

int contract_run(const char *group, const struct contract_test *tests, size_t count)
{
    for (size_t i = 0; i < COUNT(beds); i++) {
        check_begin(beds[i].note, "probe");
        if (!available(&beds[i])) continue;
        for (size_t j = 0; j < count; j++)
            run_one(&beds[i], &tests[j]);
        printf("%s: %zu tests on %s\n", group, count, beds[i].note);
        fflush(stdout); /* or a forked child has it in its buffer too */
    }
    return 0;
}

int backend_is(const struct raffia_loop *loop, const char *name)
{
    return strcmp(loop->backend->name, name) == 0;
}

#if defined(HAVE_KQUEUE) && defined(__linux__)
/* libkqueue leaks memory when a descriptor is closed without a call of it. LeakSanitizer calls this
 * by name. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libkqueue";
}
#endif

int priority_is_known(const struct raffia_loop *loop)
{
#if defined(HAVE_KQUEUE) && !defined(EVFILT_EXCEPT)
    if (backend_is(loop, "kqueue")) return 0;
#endif
    (void)loop;
    return 1;
}

int threads_run_beside(const struct raffia_loop *loop)
{
    return !(backend_is(loop, "uring") && check_valgrind());
}

struct raffia_completion next_completion(struct raffia_loop *loop)
{
    struct raffia_completion completion;
    for (int64_t end = raffia_now() + 30 * SECONDS; !raffia_loop_shift(loop, &completion);) {
        int found = raffia_loop_poll(loop, 10 * SECONDS);
        CHECK(found >= 0);
        CHECK(found > 0 || raffia_now() < end);
    }
    return completion;
}

void expect(struct raffia_loop *loop, raffia_data data, int64_t result)
{
    struct raffia_completion completion = next_completion(loop);
    CHECK_EQUAL(completion.data, data);
    CHECK_EQUAL(completion.result, result);
}

void expect_nothing(struct raffia_loop *loop)
{
    for (int i = 0; i < 5; i++)
        CHECK_EQUAL(raffia_loop_poll(loop, 0), 0);
}

raffia_id arm(struct raffia_loop *loop, int fd, uint32_t events, raffia_data data)
{
    raffia_id id = 0;
    CHECK_EQUAL(raffia_loop_arm(loop, fd, events, data, &id), 0);
    CHECK(id != 0);
    return id;
}

void expect_balance(const struct raffia_loop *loop)
{
    struct raffia_metrics metrics = raffia_loop_metrics(loop);
    CHECK_EQUAL(metrics.armed, metrics.completed + metrics.disarmed + raffia_loop_pending(loop));
    /* There is a place for its completion, too. */
    CHECK(loop->ready.capacity - loop->ready.count >= raffia_loop_pending(loop));
}

uint64_t syscalls(const struct raffia_loop *loop)
{
    return raffia_loop_metrics(loop).syscalls;
}

void make_pipe(int pipes[2])
{
    CHECK_CALL(pipe(pipes));
}

void make_sockets(int sockets[2])
{
    CHECK_CALL(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
}

void close_pair(const int pair[2])
{
    CHECK_CALL(close(pair[0]));
    CHECK_CALL(close(pair[1]));
}

void send_byte(int fd)
{
    CHECK_EQUAL(write(fd, "x", 1), 1);
}

void take_byte(int fd)
{
    char byte;
    CHECK_EQUAL(read(fd, &byte, 1), 1);
}

int make_file(void)
{
    char name[] = "/tmp/raffia-native-XXXXXX";
    int fd = CHECK_CALL(mkstemp(name));
    CHECK_CALL(unlink(name));
    return fd;
}
