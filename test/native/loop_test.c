/* Timers, completions of the caller's own, wake-ups and signals: the same on every back end. */
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#include "contract.h"

#define MILLISECOND ((int64_t)1000000)

static void timers_come_in_the_order_of_their_deadlines(struct raffia_loop *loop)
{
    raffia_id id;
    CHECK_EQUAL(raffia_loop_after(loop, 30 * MILLISECOND, 3, &id), 0);
    CHECK_EQUAL(raffia_loop_after(loop, 10 * MILLISECOND, 1, &id), 0);
    CHECK_EQUAL(raffia_loop_after(loop, INT64_MAX, 4, &id), 0);
    CHECK_EQUAL(raffia_loop_after(loop, 20 * MILLISECOND, 2, &id), 0);
    CHECK_EQUAL(raffia_loop_pending(loop), 4);
    for (raffia_data i = 1; i <= 3; i++)
        expect(loop, i, -ETIME);
    CHECK_EQUAL(raffia_loop_disarm(loop, id), -ENOENT);
    expect_nothing(loop);
}

static void timers_that_are_due_come_at_once(struct raffia_loop *loop)
{
    raffia_id id;
    uint64_t before = syscalls(loop);
    CHECK_EQUAL(raffia_loop_after(loop, 0, 1, &id), 0);
    CHECK_EQUAL(raffia_loop_after(loop, INT64_MIN, 2, &id), 0);
    CHECK_EQUAL(raffia_loop_poll(loop, 0), 2);
    CHECK_EQUAL(raffia_loop_disarm(loop, id), -ENOENT);
    CHECK_EQUAL(next_completion(loop).data + next_completion(loop).data, 3);
    CHECK_EQUAL(syscalls(loop), before);
}

static void a_cancelled_timer_stays_away(struct raffia_loop *loop)
{
    raffia_id ids[100];
    for (size_t i = 0; i < COUNT(ids); i++)
        CHECK_EQUAL(raffia_loop_after(loop, (int64_t)(i % 7) * MILLISECOND / 10, i, &ids[i]), 0);
    for (size_t i = 0; i < COUNT(ids); i++) {
        if (i != 42) CHECK_EQUAL(raffia_loop_disarm(loop, ids[i]), 1);
    }
    expect(loop, 42, -ETIME);
    expect_nothing(loop);
    CHECK_EQUAL(raffia_loop_disarm(loop, ids[0]), -ENOENT);
}

static void a_timer_does_not_disturb_a_waiter(struct raffia_loop *loop)
{
    int pipes[2];
    raffia_id id;
    make_pipe(pipes);
    arm(loop, pipes[0], RAFFIA_READABLE, 1);
    CHECK_EQUAL(raffia_loop_after(loop, MILLISECOND, 2, &id), 0);
    expect(loop, 2, -ETIME);
    send_byte(pipes[1]);
    expect(loop, 1, RAFFIA_READABLE);
    close_pair(pipes);
}

static void pushed_completions_keep_their_order(struct raffia_loop *loop)
{
    for (raffia_data i = 0; i < 1000; i++) {
        CHECK_EQUAL(i % 2 ? raffia_loop_inject(loop, 5000 + i, -(int64_t)i)
                          : raffia_loop_push(loop, i, (int64_t)i),
                    0);
    }
    raffia_id ids[200];
    for (size_t i = 0; i < COUNT(ids); i++) {
        CHECK_EQUAL(raffia_loop_after(loop, INT64_MAX, i, &ids[i]), 0);
    }
    expect_balance(loop);
    CHECK_EQUAL(raffia_loop_poll(loop, 0), 1000);
    expect_balance(loop);
    for (size_t i = 0; i < COUNT(ids); i++)
        CHECK_EQUAL(raffia_loop_disarm(loop, ids[i]), 1);
    for (raffia_data i = 0; i < 1000; i += 2)
        expect(loop, i, (int64_t)i);
    for (raffia_data i = 1; i < 1000; i += 2)
        expect(loop, 5000 + i, -(int64_t)i);
    CHECK_EQUAL(raffia_loop_metrics(loop).injected, 500);
    CHECK_EQUAL(raffia_loop_metrics(loop).sleeps, 0);
    CHECK_EQUAL(loop->wake.writes, 0);
}

enum { SENDERS = 4, LETTERS = 3000 };

struct sender {
    struct raffia_loop *loop;
    raffia_data number;
};

static void *send_letters(void *arg)
{
    struct sender *sender = arg;
    for (int64_t i = 0; i < LETTERS; i++)
        CHECK_EQUAL(raffia_loop_inject(sender->loop, sender->number, i), 0);
    return NULL;
}

/* No message is lost, each sender's keep their order, and the descriptor is written at most
 * once for each sleep. */
static void threads_inject_while_the_loop_sleeps(struct raffia_loop *loop)
{
    pthread_t threads[SENDERS];
    struct sender senders[SENDERS];
    int64_t expected[SENDERS] = {0};
    if (!threads_run_beside(loop)) return;
    for (size_t i = 0; i < SENDERS; i++) {
        senders[i] = (struct sender){loop, i};
        CHECK_EQUAL(pthread_create(&threads[i], NULL, send_letters, &senders[i]), 0);
    }
    for (int i = 0; i < SENDERS * LETTERS; i++) {
        struct raffia_completion completion = next_completion(loop);
        CHECK_EQUAL(completion.result, expected[completion.data]++);
    }
    for (size_t i = 0; i < SENDERS; i++)
        CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
    struct raffia_metrics metrics = raffia_loop_metrics(loop);
    CHECK_EQUAL(metrics.injected, SENDERS * LETTERS);
    CHECK(loop->wake.writes <= metrics.polls);
    expect_nothing(loop);
}

static void *echo(void *arg)
{
    struct raffia_loop **loops = arg;
    for (int i = 0; i < 500; i++) {
        expect(loops[1], 1, i);
        CHECK_EQUAL(raffia_loop_inject(loops[0], 2, i), 0);
    }
    return NULL;
}

/* Each round is a sleep on either side, so a wake-up that is lost once hangs. */
static void two_loops_wake_each_other(struct raffia_loop *loop)
{
    pthread_t thread;
    struct raffia_loop other, *loops[] = {loop, &other};
    if (!threads_run_beside(loop)) return;
    /* Opened here and run there, so movable. */
    CHECK_EQUAL(raffia_loop_open(&other, loop->backend, &(struct raffia_options){.movable = 1}), 0);
    CHECK_EQUAL(pthread_create(&thread, NULL, echo, loops), 0);
    for (int i = 0; i < 500; i++) {
        CHECK_EQUAL(raffia_loop_inject(&other, 1, i), 0);
        expect(loop, 2, i);
    }
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
    raffia_loop_close(&other);
}

static void a_wake_ends_the_next_sleep(struct raffia_loop *loop)
{
    CHECK_EQUAL(raffia_loop_wake(loop), 0);
    CHECK_EQUAL(raffia_loop_wake(loop), 0);
    CHECK_EQUAL(raffia_loop_poll(loop, -1), 0);
    CHECK_EQUAL(loop->wake.writes, 0);
    CHECK_EQUAL(raffia_loop_metrics(loop).sleeps, 0);
}

static void a_wake_ends_the_sleep_that_was_announced(struct raffia_loop *loop)
{
    for (uint64_t i = 1; i <= 5; i++) {
        int64_t sleep = raffia_loop_prepare(loop, -1);
        CHECK_EQUAL(sleep, RAFFIA_FOREVER);
        CHECK_EQUAL(raffia_loop_wake(loop), 1);
        CHECK_EQUAL(raffia_loop_wake(loop), 0);
        CHECK_EQUAL(raffia_loop_inject(loop, i, 0), 0);
        CHECK_EQUAL(raffia_loop_finish(loop, raffia_loop_wait(loop, sleep)), 1);
        expect(loop, i, 0);
        CHECK_EQUAL(loop->wake.writes, i);
        CHECK_EQUAL(raffia_loop_metrics(loop).wakes, i);
    }
}

static void prepare_says_how_long(struct raffia_loop *loop)
{
    raffia_id id;
    CHECK_EQUAL(raffia_loop_prepare(loop, 5), 5);
    CHECK_EQUAL(raffia_loop_finish(loop, 0), 0);
    CHECK_EQUAL(raffia_loop_after(loop, 1000 * MILLISECOND, 1, &id), 0);
    CHECK_EQUAL(raffia_loop_prepare(loop, 5), 5);
    CHECK_EQUAL(raffia_loop_finish(loop, 0), 0);
    int64_t sleep = raffia_loop_prepare(loop, -1);
    CHECK(sleep > 0 && sleep <= 1000 * MILLISECOND);
    CHECK_EQUAL(raffia_loop_finish(loop, 0), 0);
    CHECK_EQUAL(raffia_loop_disarm(loop, id), 1);
}

/* Sleeping is over, and no letter is lost, when the caller never gets to wait: an exception between
 * prepare and wait. */
static void a_turn_without_its_wait(struct raffia_loop *loop)
{
    CHECK(raffia_loop_prepare(loop, -1) > 0);
    CHECK_EQUAL(raffia_loop_inject(loop, 1, 2), 0);
    CHECK_EQUAL(raffia_loop_finish(loop, -EINTR), 1);
    expect(loop, 1, 2);
    CHECK_EQUAL(raffia_loop_poll(loop, MILLISECOND), 0);
}

static void ignore(int number)
{
    (void)number;
}

struct signaller {
    pthread_t target;
    atomic_int done;
};

static void *send_signals(void *arg)
{
    struct signaller *signaller = arg;
    while (!atomic_load(&signaller->done)) {
        pthread_kill(signaller->target, SIGUSR1);
        usleep(1000);
    }
    return NULL;
}

static void with_signals(void (*handler)(int), void (*run)(struct raffia_loop *loop),
                         struct raffia_loop *loop)
{
    pthread_t thread;
    struct signaller signaller = {.target = pthread_self()};
    if (!threads_run_beside(loop)) return;
    struct sigaction action = {.sa_handler = handler}; /* without SA_RESTART, as Ruby has it */
    CHECK_CALL(sigaction(SIGUSR1, &action, NULL));
    CHECK_EQUAL(pthread_create(&thread, NULL, send_signals, &signaller), 0);
    run(loop);
    atomic_store(&signaller.done, 1);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
}

static void sleep_until_interrupted(struct raffia_loop *loop)
{
    int pipes[2];
    make_pipe(pipes);
    for (int i = 0; i < 5; i++) {
        raffia_id id =
            arm(loop, pipes[0], RAFFIA_READABLE, 1); /* so that there is something to submit, too */
        CHECK_EQUAL(raffia_loop_poll(loop, -1), 0);
        CHECK_EQUAL(raffia_loop_disarm(loop, id), 1);
    }
    close_pair(pipes);
}

static void a_signal_ends_a_sleep(struct raffia_loop *loop)
{
    with_signals(ignore, sleep_until_interrupted, loop);
}

static struct raffia_loop *signalled;

static void wake_from_handler(int number)
{
    (void)number;
    raffia_loop_wake(signalled);
}

static void a_signal_handler_may_wake(struct raffia_loop *loop)
{
    signalled = loop;
    with_signals(wake_from_handler, sleep_until_interrupted, loop);
}

static void count_and_change(raffia_data *data, void *arg)
{
    raffia_data *sum = arg;
    *sum += *data;
    *data *= 10;
}

static void each_visits_all_that_is_held(struct raffia_loop *loop)
{
    int pipes[2];
    raffia_id id;
    raffia_data sum = 0;
    make_pipe(pipes);
    arm(loop, pipes[0], RAFFIA_READABLE, 1);
    CHECK_EQUAL(raffia_loop_after(loop, 0, 20, &id), 0);
    CHECK_EQUAL(raffia_loop_push(loop, 300, 0), 0);
    CHECK_EQUAL(raffia_loop_inject(loop, 4000, 0), 0);
    raffia_loop_each(loop, count_and_change, &sum);
    CHECK_EQUAL(sum, 4321);
    CHECK(raffia_loop_memsize(loop) > 0);
    expect(loop, 3000, 0);
    expect(loop, 200, -ETIME);
    expect(loop, 40000, 0);
    send_byte(pipes[1]);
    expect(loop, 10, RAFFIA_READABLE);
    close_pair(pipes);
}

static void a_closed_loop_says_so(struct raffia_loop *loop)
{
    raffia_id id;
    struct raffia_completion completion;
    CHECK_EQUAL(raffia_loop_push(loop, 1, 1), 0);
    raffia_loop_close(loop);
    CHECK_EQUAL(raffia_loop_arm(loop, 0, RAFFIA_READABLE, 1, &id), -EBADF);
    CHECK_EQUAL(raffia_loop_after(loop, 0, 1, &id), -EBADF);
    CHECK_EQUAL(raffia_loop_disarm(loop, 1), -EBADF);
    CHECK_EQUAL(raffia_loop_push(loop, 1, 1), -EBADF);
    CHECK_EQUAL(raffia_loop_wake(loop), -EBADF);
    CHECK_EQUAL(raffia_loop_poll(loop, -1), -EBADF);
    CHECK_EQUAL(raffia_loop_shift(loop, &completion), 0);
    CHECK_EQUAL(raffia_loop_memsize(loop), 0);
    raffia_loop_each(loop, count_and_change, &id);
}

static void *poll_there(void *arg)
{
    return (void *)(intptr_t)raffia_loop_poll(arg, MILLISECOND);
}

/* A ring that is not movable is for one thread only, and says so instead of sleeping. */
static void another_thread_may_be_refused(struct raffia_loop *loop)
{
    int pipes[2];
    pthread_t thread;
    void *result;
    make_pipe(pipes);
    arm(loop, pipes[0], RAFFIA_READABLE, 1);
    CHECK_EQUAL(pthread_create(&thread, NULL, poll_there, loop), 0);
    CHECK_EQUAL(pthread_join(thread, &result), 0);
    CHECK((intptr_t)result == 0 || (backend_is(loop, "uring") && (intptr_t)result == -EEXIST));
    send_byte(pipes[1]);
    expect(loop, 1, RAFFIA_READABLE);
    close_pair(pipes);
}

/* And its descriptors are let go of: a closed pipe is closed, not held by what is left of a
 * ring. */
static void a_closed_loop_holds_no_files(struct raffia_loop *loop)
{
    int pipes[2];
    make_pipe(pipes);
    for (raffia_data i = 0; i < 1000; i++)
        arm(loop, pipes[0], RAFFIA_READABLE, i);
    expect_nothing(loop);
    raffia_loop_close(loop);
    CHECK_CALL(close(pipes[0]));
    CHECK_EQUAL(write(pipes[1], "x", 1), -1);
    CHECK_EQUAL(errno, EPIPE);
    CHECK_CALL(close(pipes[1]));
}

/* Whatever is under way when the loop closes is given back. */
static void closing_with_all_kinds_of_ops(struct raffia_loop *loop)
{
    int pipes[2];
    raffia_id id;
    make_pipe(pipes);
    arm(loop, pipes[0], RAFFIA_READABLE, 1);
    expect_nothing(loop);
    arm(loop, pipes[0], RAFFIA_READABLE, 2);
    CHECK_EQUAL(raffia_loop_after(loop, MILLISECOND, 3, &id), 0);
    CHECK_EQUAL(raffia_loop_inject(loop, 4, 0), 0);
    raffia_loop_close(loop);
    close_pair(pipes);
}

int main(void)
{
    static const struct contract_test tests[] = {
        TEST(timers_come_in_the_order_of_their_deadlines),
        TEST(timers_that_are_due_come_at_once),
        TEST(a_cancelled_timer_stays_away),
        TEST(a_timer_does_not_disturb_a_waiter),
        TEST(pushed_completions_keep_their_order),
        TEST(threads_inject_while_the_loop_sleeps),
        TEST(two_loops_wake_each_other),
        TEST(a_wake_ends_the_next_sleep),
        TEST(a_wake_ends_the_sleep_that_was_announced),
        TEST(prepare_says_how_long),
        TEST(a_turn_without_its_wait),
        TEST(a_signal_ends_a_sleep),
        TEST(a_signal_handler_may_wake),
        TEST(each_visits_all_that_is_held),
        TEST(a_closed_loop_says_so),
        TEST(closing_with_all_kinds_of_ops),
        TEST(a_closed_loop_holds_no_files),
        TEST(another_thread_may_be_refused),
    };
    return contract_run("loop", tests, COUNT(tests));
}
