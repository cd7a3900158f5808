/* Descriptors that are closed while a fiber waits. Their numbers come back as other files. */
#include <sys/wait.h>
#include <unistd.h>
#include "contract.h"

enum { R = RAFFIA_READABLE, W = RAFFIA_WRITABLE };

/* A new pipe whose reader has this number, which was free. */
static void reuse_number(int number, int pipes[2])
{
    make_pipe(pipes);
    if (pipes[0] == number) return;
    int moved = pipes[1] == number ? CHECK_CALL(dup(pipes[1])) : pipes[1];
    CHECK_CALL(dup2(pipes[0], number));
    CHECK_CALL(close(pipes[0]));
    pipes[0] = number;
    pipes[1] = moved;
}

static void reused_under_a_waiter(struct raffia_loop *loop)
{
    int pipes[2], others[2];
    make_pipe(pipes);
    raffia_id old = arm(loop, pipes[0], R, 1);
    expect_nothing(loop);
    CHECK_CALL(close(pipes[0]));
    reuse_number(pipes[0], others);
    arm(loop, others[0], R, 2);
    /* epoll notices that the file of the first one is gone. The others wait for it until they
     * get a report. */
    if (backend_is(loop, "epoll"))
        expect(loop, 1, -EBADF);
    else
        CHECK_EQUAL(raffia_loop_disarm(loop, old), 1);
    expect_nothing(loop);
    send_byte(others[1]);
    expect(loop, 2, R);
    expect_nothing(loop);
    CHECK_CALL(close(pipes[1]));
    close_pair(others);
}

static void closed_under_a_waiter_that_is_disarmed(struct raffia_loop *loop)
{
    int pipes[2];
    make_pipe(pipes);
    raffia_id id = arm(loop, pipes[0], R, 1);
    expect_nothing(loop);
    CHECK_CALL(close(pipes[0]));
    CHECK_EQUAL(raffia_loop_disarm(loop, id), 1);
    expect_nothing(loop);
    CHECK_CALL(close(pipes[1]));
}

static void disarmed_then_closed_then_reused(struct raffia_loop *loop)
{
    int pipes[2], others[2];
    make_pipe(pipes);
    raffia_id id = arm(loop, pipes[0], R, 1);
    expect_nothing(loop);
    CHECK_EQUAL(raffia_loop_disarm(loop, id), 1);
    CHECK_CALL(close(pipes[0]));
    reuse_number(pipes[0], others);
    arm(loop, others[0], R, 2);
    expect_nothing(loop);
    send_byte(others[1]);
    expect(loop, 2, R);
    CHECK_CALL(close(pipes[1]));
    close_pair(others);
}

/* Like the connections of a server. */
static void one_number_for_many_files_in_turn(struct raffia_loop *loop)
{
    for (raffia_data i = 0; i < 100; i++) {
        int sockets[2];
        make_sockets(sockets);
        arm(loop, sockets[0], W, 1000 + i);
        expect(loop, 1000 + i, W);
        arm(loop, sockets[0], R, i);
        if (i % 3 == 0) expect_nothing(loop);
        send_byte(sockets[1]);
        expect(loop, i, R);
        close_pair(sockets);
    }
}

/* A kernel takes the knotes of a descriptor off when it is closed. libkqueue does not notice: it
 * has an epoll set inside, and may take a report of the old file for the new one's. */
static int hears_of_closes(const struct raffia_loop *loop)
{
#ifdef __linux__
    return !backend_is(loop, "kqueue");
#else
    (void)loop;
    return 1;
#endif
}

/* epoll continues to report a closed number while a duplicate keeps the file open. */
static void a_duplicate_keeps_the_old_file_open(struct raffia_loop *loop)
{
    int pipes[2], others[2];
    if (!hears_of_closes(loop)) return;
    make_pipe(pipes);
    raffia_id id = arm(loop, pipes[0], R, 1);
    expect_nothing(loop);
    CHECK_EQUAL(raffia_loop_disarm(loop, id), 1);
    int duplicate = CHECK_CALL(dup(pipes[0]));
    CHECK_CALL(close(pipes[0]));
    reuse_number(pipes[0], others);
    arm(loop, others[0], R, 2);
    send_byte(pipes[1]);
    expect_nothing(loop);
    send_byte(others[1]);
    expect(loop, 2, R);
    CHECK_CALL(close(duplicate));
    CHECK_CALL(close(pipes[1]));
    close_pair(others);
}

static pid_t child_that_waits_for(int fd)
{
    char byte;
    pid_t child = CHECK_CALL(fork());
    if (child > 0) return child;
    alarm(30);
    _exit(read(fd, &byte, 1) != 1);
}

/* A server that forks for each connection, and continues. Events for the child must not reach the
 * new owner of the number, whether the wait was young or had been registered. */
static void a_child_keeps_the_old_file_open(struct raffia_loop *loop)
{
    for (int lasting = 0; lasting < 2 && hears_of_closes(loop); lasting++) {
        int pipes[2], others[2], ends[2], status;
        make_pipe(pipes);
        make_pipe(ends);
        raffia_id id = arm(loop, pipes[0], R, 1);
        if (lasting) expect_nothing(loop);
        CHECK_EQUAL(raffia_loop_disarm(loop, id), 1);
        pid_t child = child_that_waits_for(ends[0]);
        CHECK_CALL(close(pipes[0]));
        reuse_number(pipes[0], others);
        arm(loop, others[0], R, 2);
        for (int i = 0; i < 10; i++) {
            send_byte(pipes[1]);
            CHECK_EQUAL(raffia_loop_poll(loop, 0), 0);
        }
        CHECK_CALL(close(pipes[1]));
        expect_nothing(loop);
        send_byte(others[1]);
        expect(loop, 2, R);
        send_byte(ends[1]);
        CHECK_EQUAL(waitpid(child, &status, 0), child);
        CHECK_EQUAL(status, 0);
        close_pair(others);
        close_pair(ends);
    }
}

/* These reports have no listener; they must not keep the loop from sleeping either. */
static void reports_for_nobody_end(struct raffia_loop *loop)
{
    int pipes[2];
    raffia_id id;
    make_pipe(pipes);
    id = arm(loop, pipes[0], R, 1);
    expect_nothing(loop);
    CHECK_EQUAL(raffia_loop_disarm(loop, id), 1);
    int duplicate = CHECK_CALL(dup(pipes[0]));
    CHECK_CALL(close(pipes[0]));
    send_byte(pipes[1]);
    CHECK_CALL(close(pipes[1])); /* a hang-up, which cannot be masked */
    CHECK_EQUAL(raffia_loop_after(loop, 20000000, 9, &id), 0);
    uint64_t before = raffia_loop_metrics(loop).stale;
    expect(loop, 9, -ETIME);
    CHECK(raffia_loop_metrics(loop).stale - before <= 1);
    CHECK_CALL(close(duplicate));
}

/* The number is back, and it is the same file: the set still has it. */
static void closed_and_duplicated_back(struct raffia_loop *loop)
{
    int pipes[2];
    raffia_id id;
    make_pipe(pipes);
    arm(loop, pipes[1], W, 1);
    expect(loop, 1, W);
    int duplicate = CHECK_CALL(dup(pipes[1]));
    CHECK_CALL(close(pipes[1]));
    int result = raffia_loop_arm(loop, pipes[1], W, 2, &id);
    if (result == 0)
        expect(loop, 2, -EBADF);
    else
        CHECK_EQUAL(result, -EBADF);
    CHECK_CALL(dup2(duplicate, pipes[1]));
    arm(loop, pipes[1], W, 3);
    expect(loop, 3, W);
    CHECK_CALL(close(duplicate));
    close_pair(pipes);
}

static void a_file_takes_the_place_of_a_pipe(struct raffia_loop *loop)
{
    int pipes[2];
    make_pipe(pipes);
    raffia_id old = arm(loop, pipes[0], R, 1);
    expect_nothing(loop);
    int file = make_file();
    CHECK_CALL(dup2(file, pipes[0]));
    arm(loop, pipes[0], R, 2);
    if (backend_is(loop, "epoll"))
        expect(loop, 1, -EBADF);
    else
        CHECK_EQUAL(raffia_loop_disarm(loop, old), 1);
    expect(loop, 2, R);
    expect_nothing(loop);
    CHECK_CALL(close(file));
    close_pair(pipes);
}

int main(void)
{
    static const struct contract_test tests[] = {
        TEST(reused_under_a_waiter),
        TEST(closed_under_a_waiter_that_is_disarmed),
        TEST(disarmed_then_closed_then_reused),
        TEST(one_number_for_many_files_in_turn),
        TEST(a_duplicate_keeps_the_old_file_open),
        TEST(a_child_keeps_the_old_file_open),
        TEST(reports_for_nobody_end),
        TEST(closed_and_duplicated_back),
        TEST(a_file_takes_the_place_of_a_pipe),
    };
    return contract_run("closing", tests, COUNT(tests));
}
