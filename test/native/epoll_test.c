/* When a wait goes to epoll, and when to poll(2): counted in system calls. */
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "contract.h"
#include "refuse.h"

enum { R = RAFFIA_READABLE, SOME = 10, TRIAL = 64 };

static uint64_t calls_of_a_turn(struct raffia_loop *loop)
{
    uint64_t before = syscalls(loop);
    CHECK_EQUAL(raffia_loop_poll(loop, 0), 0);
    return syscalls(loop) - before;
}

/* Ten at once: a turn for one is not cheaper. */
static void a_wait_that_lasts_is_registered_once(struct raffia_loop *loop)
{
    int pipes[SOME][2], registering = 0;
    if (!backend_is(loop, "epoll")) return;
    for (size_t i = 0; i < SOME; i++) {
        make_pipe(pipes[i]);
        uint64_t before = syscalls(loop);
        arm(loop, pipes[i][0], R, i);
        CHECK_EQUAL(syscalls(loop), before);
    }
    for (int i = 0; i < 10; i++) {
        uint64_t calls = calls_of_a_turn(loop);
        CHECK(calls == 1 || calls == 1 + SOME);
        if (calls > 1) registering++;
    }
    CHECK_EQUAL(registering, 1);
    for (size_t i = 0; i < SOME; i++) {
        send_byte(pipes[i][1]);
        expect(loop, i, R);
        close_pair(pipes[i]);
    }
}

static void lasting_wait(struct raffia_loop *loop, int pipes[2])
{
    arm(loop, pipes[0], R, 1);
    expect_nothing(loop);
    send_byte(pipes[1]);
    expect(loop, 1, R);
    take_byte(pipes[0]);
}

static void short_wait(struct raffia_loop *loop, int pipes[2])
{
    arm(loop, pipes[0], R, 1);
    send_byte(pipes[1]);
    expect(loop, 1, R);
    take_byte(pipes[0]);
}

static uint64_t calls_of_an_arm(struct raffia_loop *loop, int pipes[2])
{
    uint64_t before = syscalls(loop);
    raffia_id id = arm(loop, pipes[0], R, 1);
    CHECK_EQUAL(raffia_loop_disarm(loop, id), 1);
    return syscalls(loop) - before;
}

static void where_waits_last_they_are_registered_at_once(struct raffia_loop *loop)
{
    int pipes[2], turns = 0;
    if (!backend_is(loop, "epoll")) return;
    make_pipe(pipes);
    for (int i = 0; i < TRIAL; i++)
        lasting_wait(loop, pipes);
    CHECK_EQUAL(calls_of_an_arm(loop, pipes), 1);
    lasting_wait(loop, pipes);
    /* For a time only: then it is tried again, and stays on when polling pays. */
    while (calls_of_an_arm(loop, pipes) > 0)
        CHECK(++turns < 10000);
    for (int i = 0; i < 2 * TRIAL; i++)
        short_wait(loop, pipes);
    CHECK_EQUAL(calls_of_an_arm(loop, pipes), 0);
    close_pair(pipes);
}

/* A bad number is answered, a file is ready, also where the kernel is asked at once. */
static void errors_of_waits_that_are_registered_at_once(struct raffia_loop *loop)
{
    int pipes[2];
    if (!backend_is(loop, "epoll")) return;
    make_pipe(pipes);
    for (int i = 0; i < TRIAL; i++)
        lasting_wait(loop, pipes);
    int file = make_file();
    arm(loop, file, R, 2);
    expect(loop, 2, R);
    CHECK_CALL(close(file));
    arm(loop, file, R, 3);
    expect(loop, 3, -EBADF);
    close_pair(pipes);
}

/* Its limit of watches is reached: the wait continues, and is answered all the same. This holds for
 * the rest of the process's life. */
static void a_kernel_that_registers_no_more(struct raffia_loop *loop)
{
    int pipes[2];
    if (!backend_is(loop, "epoll")) return;
    make_pipe(pipes);
    if (!refuse_system_call(SYS_epoll_ctl, ENOSPC)) return close_pair(pipes);
    for (int i = 0; i < 3; i++)
        lasting_wait(loop, pipes);
    close_pair(pipes);
}

int main(void)
{
    static const struct contract_test tests[] = {
        TEST(a_wait_that_lasts_is_registered_once),
        TEST(where_waits_last_they_are_registered_at_once),
        TEST(errors_of_waits_that_are_registered_at_once),
        TEST(a_kernel_that_registers_no_more),
    };
    return contract_run("epoll", tests, COUNT(tests));
}
