/* Waiting for descriptors: the contract of every back end. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>
#include "contract.h"

enum { R = RAFFIA_READABLE, W = RAFFIA_WRITABLE, P = RAFFIA_PRIORITY };

static void readable_when_something_was_written(struct raffia_loop *loop)
{
    int pipes[2];
    make_pipe(pipes);
    arm(loop, pipes[0], R, 11);
    expect_nothing(loop);
    CHECK_EQUAL(raffia_loop_pending(loop), 1);
    send_byte(pipes[1]);
    expect(loop, 11, R);
    CHECK_EQUAL(raffia_loop_pending(loop), 0);
    close_pair(pipes);
}

static void writable_at_once(struct raffia_loop *loop)
{
    int pipes[2];
    make_pipe(pipes);
    arm(loop, pipes[1], W, 12);
    expect(loop, 12, W);
    close_pair(pipes);
}

static void a_wait_is_for_once(struct raffia_loop *loop)
{
    int pipes[2];
    make_pipe(pipes);
    send_byte(pipes[1]);
    arm(loop, pipes[0], R, 1);
    expect(loop, 1, R);
    expect_nothing(loop);
    /* Still readable, and said so again when asked again: nothing is edge-triggered for the
     * caller. */
    arm(loop, pipes[0], R, 2);
    expect(loop, 2, R);
    take_byte(pipes[0]);
    arm(loop, pipes[0], R, 3);
    expect_nothing(loop);
    close_pair(pipes);
}

/* Bytes that are left, and bytes that came and went without a waiter. */
static void what_happens_while_nobody_waits(struct raffia_loop *loop)
{
    int sockets[2];
    make_sockets(sockets);
    for (raffia_data i = 1; i <= 20; i++) {
        arm(loop, sockets[0], R, i);
        if (i % 2) expect_nothing(loop);
        send_byte(sockets[1]);
        send_byte(sockets[1]);
        expect(loop, i, R);
        take_byte(sockets[0]);
        if (i % 3) expect_nothing(loop);
        arm(loop, sockets[0], R, 100 + i);
        expect(loop, 100 + i, R);
        send_byte(sockets[1]);
        take_byte(sockets[0]);
        if (i % 3) expect_nothing(loop);
        take_byte(sockets[0]);
        raffia_id id = arm(loop, sockets[0], R, 200 + i);
        expect_nothing(loop);
        CHECK_EQUAL(raffia_loop_disarm(loop, id), 1);
    }
    close_pair(sockets);
}

static void one_wait_for_two_events(struct raffia_loop *loop)
{
    int sockets[2];
    make_sockets(sockets);
    arm(loop, sockets[0], R | W, 1);
    expect(loop, 1, W);
    send_byte(sockets[1]);
    arm(loop, sockets[0], R | W, 2);
    expect(loop, 2, R | W);
    close_pair(sockets);
}

/* The sum tells which ones came, in whatever order. */
static void expect_some(struct raffia_loop *loop, int count, raffia_data sum, int64_t result)
{
    raffia_data seen = 0;
    for (int i = 0; i < count; i++) {
        struct raffia_completion completion = next_completion(loop);
        CHECK_EQUAL(completion.result, result);
        seen += completion.data;
    }
    CHECK_EQUAL(seen, sum);
}

static void several_waiters_on_one_descriptor(struct raffia_loop *loop)
{
    int sockets[2];
    make_sockets(sockets);
    arm(loop, sockets[0], R, 1);
    arm(loop, sockets[0], R, 10);
    arm(loop, sockets[0], W, 100);
    arm(loop, sockets[0], R, 1000);
    arm(loop, sockets[0], W, 10000);
    expect_some(loop, 2, 10100, W);
    expect_nothing(loop);
    CHECK_EQUAL(raffia_loop_pending(loop), 3);
    send_byte(sockets[1]);
    expect_some(loop, 3, 1011, R);
    expect_nothing(loop);
    close_pair(sockets);
}

static void disarming_one_leaves_the_others(struct raffia_loop *loop)
{
    int sockets[2];
    raffia_id ids[4];
    make_sockets(sockets);
    for (size_t i = 0; i < 4; i++)
        ids[i] = arm(loop, sockets[0], R, 1 << i);
    expect_nothing(loop);
    CHECK_EQUAL(raffia_loop_disarm(loop, ids[3]), 1);
    CHECK_EQUAL(raffia_loop_disarm(loop, ids[1]), 1);
    send_byte(sockets[1]);
    expect_some(loop, 2, 1 + 4, R);
    expect_nothing(loop);
    close_pair(sockets);
}

static void one_direction_goes_the_other_stays(struct raffia_loop *loop)
{
    int sockets[2];
    make_sockets(sockets);
    raffia_id writer = arm(loop, sockets[0], W, 1);
    arm(loop, sockets[0], R, 2);
    CHECK_EQUAL(raffia_loop_disarm(loop, writer), 1);
    expect_nothing(loop);
    send_byte(sockets[1]);
    expect(loop, 2, R);
    close_pair(sockets);
}

static void stale_ids_find_nothing(struct raffia_loop *loop)
{
    int pipes[2];
    make_pipe(pipes);
    raffia_id first = arm(loop, pipes[0], R, 1);
    CHECK_EQUAL(raffia_loop_disarm(loop, first), 1);
    CHECK_EQUAL(raffia_loop_disarm(loop, first), -ENOENT);
    raffia_id second = arm(loop, pipes[0], R, 2);
    CHECK(first != second);
    CHECK_EQUAL(raffia_loop_disarm(loop, first), -ENOENT);
    CHECK_EQUAL(raffia_loop_disarm(loop, 0), -ENOENT);
    CHECK_EQUAL(raffia_loop_disarm(loop, UINT64_MAX), -ENOENT);
    send_byte(pipes[1]);
    expect(loop, 2, R);
    CHECK_EQUAL(raffia_loop_disarm(loop, second), -ENOENT);
    close_pair(pipes);
}

static void a_completion_that_waits_to_be_shifted_is_not_disarmed(struct raffia_loop *loop)
{
    int pipes[2];
    make_pipe(pipes);
    send_byte(pipes[1]);
    raffia_id id = arm(loop, pipes[0], R, 1);
    while (raffia_loop_poll(loop, 1000000000) == 0)
        continue;
    CHECK_EQUAL(raffia_loop_disarm(loop, id), -ENOENT);
    expect(loop, 1, R);
    close_pair(pipes);
}

/* A report about a disarmed wait reaches no op, not even the next user of the slot. */
static void late_reports_are_dropped(struct raffia_loop *loop)
{
    int pipes[2], others[2];
    make_pipe(pipes);
    make_pipe(others);
    for (int i = 0; i < 20; i++) {
        raffia_id id = arm(loop, pipes[0], R, 1);
        if (i % 2) expect_nothing(loop);
        send_byte(pipes[1]);
        CHECK_EQUAL(raffia_loop_disarm(loop, id), 1);
        id = arm(loop, others[0], R, 2);
        expect_nothing(loop);
        CHECK_EQUAL(raffia_loop_disarm(loop, id), 1);
        take_byte(pipes[0]);
    }
    close_pair(pipes);
    close_pair(others);
}

/* A hang-up answers every question, so that who waits finds out by trying. */
static void hang_up_of_a_pipe(struct raffia_loop *loop)
{
    int pipes[2], others[2];
    make_pipe(pipes);
    make_pipe(others);
    arm(loop, pipes[0], R, 1);
    expect_nothing(loop);
    CHECK_CALL(close(pipes[1]));
    expect(loop, 1, R);
    CHECK_CALL(close(pipes[0]));
    CHECK_CALL(close(others[0]));
    arm(loop, others[1], W, 2);
    expect(loop, 2, W);
    CHECK_CALL(close(others[1]));
}

static void hang_up_of_a_socket(struct raffia_loop *loop)
{
    int sockets[2];
    make_sockets(sockets);
    arm(loop, sockets[0], R, 1);
    if (priority_is_known(loop)) {
        arm(loop, sockets[0], P, 10);
        arm(loop, sockets[0], R | P, 100);
    }
    expect_nothing(loop);
    size_t waiters = raffia_loop_pending(loop);
    CHECK_CALL(close(sockets[1]));
    raffia_data seen = 0;
    for (size_t i = 0; i < waiters; i++) {
        struct raffia_completion completion = next_completion(loop);
        CHECK_EQUAL(completion.result, completion.data == 1    ? R
                                       : completion.data == 10 ? P
                                                               : R | P);
        seen += completion.data;
    }
    CHECK_EQUAL(seen, waiters == 3 ? 111 : 1);
    CHECK_CALL(close(sockets[0]));
}

static void regular_files_are_always_ready(struct raffia_loop *loop)
{
    int fd = make_file();
    arm(loop, fd, R, 1);
    expect(loop, 1, R);
    arm(loop, fd, W, 2);
    expect(loop, 2, W);
    arm(loop, fd, R | W, 3);
    expect(loop, 3, R | W);
    CHECK_CALL(close(fd));
}

/* epoll refuses it, and kqueue may. */
static void devices_that_cannot_be_waited_for(struct raffia_loop *loop)
{
    int fd = CHECK_CALL(open("/dev/null", O_RDWR));
    arm(loop, fd, R, 1);
    expect(loop, 1, R);
    arm(loop, fd, R | W, 2);
    expect(loop, 2, R | W);
    CHECK_CALL(close(fd));
}

/* A back end may know at once, or learn it from the kernel later. */
static void bad_descriptors(struct raffia_loop *loop)
{
    int pipes[2];
    raffia_id id;
    make_pipe(pipes);
    close_pair(pipes);
    CHECK_EQUAL(raffia_loop_arm(loop, -1, R, 1, &id), -EBADF);
    int numbers[] = {pipes[0], INT_MAX};
    for (size_t i = 0; i < COUNT(numbers); i++) {
        int result = raffia_loop_arm(loop, numbers[i], R, 7, &id);
        if (result == 0)
            expect(loop, 7, -EBADF);
        else
            CHECK_EQUAL(result, -EBADF);
    }
    CHECK_EQUAL(raffia_loop_pending(loop), 0);
}

static void bad_events(struct raffia_loop *loop)
{
    raffia_id id;
    CHECK_EQUAL(raffia_loop_arm(loop, 0, 0, 1, &id), -EINVAL);
    CHECK_EQUAL(raffia_loop_arm(loop, 0, 8, 1, &id), -EINVAL);
    CHECK_EQUAL(raffia_loop_pending(loop), 0);
}

static int listen_locally(struct sockaddr_in *address)
{
    socklen_t size = sizeof(*address);
    int fd = CHECK_CALL(socket(AF_INET, SOCK_STREAM, 0));
    *address =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    CHECK_CALL(bind(fd, (struct sockaddr *)address, size));
    CHECK_CALL(listen(fd, 8));
    CHECK_CALL(getsockname(fd, (struct sockaddr *)address, &size));
    return fd;
}

static void urgent_data(struct raffia_loop *loop, int client, int server)
{
    raffia_id id;
    if (!priority_is_known(loop)) {
        send_byte(client);
        CHECK_EQUAL(raffia_loop_arm(loop, server, P, 2, &id), -ENOTSUP);
        arm(loop, server, R | P, 3); /* but who waits for data as well waits for that */
        expect(loop, 3, R);
        return;
    }
    arm(loop, server, P, 2);
    expect_nothing(loop);
    send_byte(client);
    arm(loop, server, R, 3);
    expect(loop, 3, R);
    expect_nothing(loop);
    CHECK_EQUAL(send(client, "!", 1, MSG_OOB), 1);
    expect(loop, 2, P);
}

static void a_connection_and_urgent_data(struct raffia_loop *loop)
{
    struct sockaddr_in address;
    int listener = listen_locally(&address);
    arm(loop, listener, R, 1);
    expect_nothing(loop);
    int client = CHECK_CALL(socket(AF_INET, SOCK_STREAM, 0));
    CHECK_CALL(connect(client, (struct sockaddr *)&address, sizeof(address)));
    expect(loop, 1, R);
    int server = CHECK_CALL(accept(listener, NULL, NULL));
    urgent_data(loop, client, server);
    CHECK_CALL(close(client));
    CHECK_CALL(close(server));
    CHECK_CALL(close(listener));
}

static void allow_descriptors(rlim_t count)
{
    struct rlimit limit;
    CHECK_CALL(getrlimit(RLIMIT_NOFILE, &limit));
    if (limit.rlim_cur < count) limit.rlim_cur = limit.rlim_max;
    CHECK_CALL(setrlimit(RLIMIT_NOFILE, &limit));
}

enum { MANY = 2000 };

/* More than any ring of requests holds. */
static void two_thousand_descriptors(struct raffia_loop *loop)
{
    allow_descriptors(MANY + 100);
    static int fds[MANY];
    static char seen[MANY];
    memset(seen, 0, sizeof(seen));
    for (int i = 0; i < MANY; i++) {
        fds[i] = CHECK_CALL(eventfd(0, 0));
        arm(loop, fds[i], R, (raffia_data)i);
    }
    expect_nothing(loop);
    CHECK_EQUAL(raffia_loop_pending(loop), MANY);
    for (int i = 0; i < MANY; i++)
        CHECK_EQUAL(write(fds[i], &(uint64_t){1}, 8), 8);
    for (int i = 0; i < MANY; i++) {
        struct raffia_completion completion = next_completion(loop);
        CHECK_EQUAL(completion.result, R);
        CHECK_EQUAL(seen[completion.data]++, 0);
    }
    for (int i = 0; i < MANY; i++)
        CHECK_CALL(close(fds[i]));
}

/* More than any ring of answers holds, all at once. */
static void six_thousand_answers_at_once(struct raffia_loop *loop)
{
    int pipes[2];
    make_pipe(pipes);
    for (raffia_data i = 1; i <= 6000; i++)
        arm(loop, pipes[0], R, i);
    expect_nothing(loop);
    send_byte(pipes[1]);
    expect_some(loop, 6000, (raffia_data)6000 * 6001 / 2, R);
    close_pair(pipes);
}

static void disarming_thousands(struct raffia_loop *loop)
{
    int pipes[2];
    static raffia_id ids[6000];
    make_pipe(pipes);
    for (size_t i = 0; i < COUNT(ids); i++)
        ids[i] = arm(loop, pipes[0], R, i);
    expect_nothing(loop);
    for (size_t i = 0; i < COUNT(ids); i++)
        CHECK_EQUAL(raffia_loop_disarm(loop, ids[i]), 1);
    send_byte(pipes[1]);
    expect_nothing(loop);
    CHECK_EQUAL(raffia_loop_pending(loop), 0);
    close_pair(pipes);
}

/* Each takes a byte and answers with one, as often as is said. */
static void throw_bytes(struct raffia_loop *loop, int (*pairs)[2], int count, int throws)
{
    for (int done = 0; done < throws; done++) {
        int number = (int)next_completion(loop).data;
        int *pair = pairs[number % count];
        int reader = number / count;
        take_byte(pair[reader]);
        send_byte(pair[reader]);
        arm(loop, pair[reader], R, (raffia_data)number);
    }
}

/* A descriptor's write to another one is answered in the same turn or the next: one call for
 * all, where epoll would take a thousand. A kqueue must be asked first whether it is a file. */
static void a_thousand_descriptors_in_a_busy_loop(struct raffia_loop *loop)
{
    enum { PAIRS = 500, THROWS = 20000 };
    static int pairs[PAIRS][2];
    allow_descriptors(2 * PAIRS + 100);
    for (int i = 0; i < PAIRS; i++) {
        make_sockets(pairs[i]);
        arm(loop, pairs[i][0], R, (raffia_data)i);
        arm(loop, pairs[i][1], R, (raffia_data)(PAIRS + i));
        send_byte(pairs[i][0]);
    }
    uint64_t before = syscalls(loop);
    throw_bytes(loop, pairs, PAIRS, THROWS);
    uint64_t limit = backend_is(loop, "kqueue") ? THROWS + THROWS / 100 : THROWS / 10;
    CHECK(syscalls(loop) - before <= limit);
    for (int i = 0; i < PAIRS; i++)
        close_pair(pairs[i]);
}

static void no_system_call_when_the_answer_is_known(struct raffia_loop *loop)
{
    int pipes[2];
    make_pipe(pipes);
    uint64_t before = syscalls(loop);
    expect_nothing(loop);
    CHECK_EQUAL(raffia_loop_push(loop, 5, 0), 0);
    CHECK_EQUAL(raffia_loop_poll(loop, -1), 1);
    expect(loop, 5, 0);
    CHECK_EQUAL(syscalls(loop), before);
    /* One wait: at most one call to ask, and one to sleep. */
    send_byte(pipes[1]);
    arm(loop, pipes[0], R, 6);
    CHECK_EQUAL(raffia_loop_poll(loop, -1), 1);
    CHECK(syscalls(loop) - before <= 2);
    expect(loop, 6, R);
    before = syscalls(loop);
    expect_nothing(loop);
    CHECK_EQUAL(syscalls(loop), before);
    close_pair(pipes);
}

int main(void)
{
    static const struct contract_test tests[] = {
        TEST(readable_when_something_was_written),
        TEST(writable_at_once),
        TEST(a_wait_is_for_once),
        TEST(what_happens_while_nobody_waits),
        TEST(one_wait_for_two_events),
        TEST(several_waiters_on_one_descriptor),
        TEST(disarming_one_leaves_the_others),
        TEST(one_direction_goes_the_other_stays),
        TEST(stale_ids_find_nothing),
        TEST(a_completion_that_waits_to_be_shifted_is_not_disarmed),
        TEST(late_reports_are_dropped),
        TEST(hang_up_of_a_pipe),
        TEST(hang_up_of_a_socket),
        TEST(regular_files_are_always_ready),
        TEST(devices_that_cannot_be_waited_for),
        TEST(bad_descriptors),
        TEST(bad_events),
        TEST(a_connection_and_urgent_data),
        TEST(two_thousand_descriptors),
        TEST(six_thousand_answers_at_once),
        TEST(disarming_thousands),
        TEST(a_thousand_descriptors_in_a_busy_loop),
        TEST(no_system_call_when_the_answer_is_known),
    };
    return contract_run("readiness", tests, COUNT(tests));
}
