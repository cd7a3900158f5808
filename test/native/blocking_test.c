/* The blocking pool by itself, and what loops let it do. One process has one pool, so each test
 * leaves it without work. */
#include <netdb.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "blocking_pool.h"
#include "check.h"
#include "loop.h"
#include "refuse.h"
#include "resolution.h"

#define SECONDS ((int64_t)1000000000)

enum { HERE = RAFFIA_CURRENT_POSITION };

/* A gate that jobs stop at. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t moved;
    int open, arrived;
} gate = {.lock = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};

static void set_gate(int open)
{
    pthread_mutex_lock(&gate.lock);
    gate.open = open;
    if (!open) gate.arrived = 0;
    pthread_cond_broadcast(&gate.moved);
    pthread_mutex_unlock(&gate.lock);
}

static void pass_gate(void)
{
    pthread_mutex_lock(&gate.lock);
    gate.arrived++;
    pthread_cond_broadcast(&gate.moved);
    while (!gate.open)
        pthread_cond_wait(&gate.moved, &gate.lock);
    pthread_mutex_unlock(&gate.lock);
}

static void await_arrivals(int count)
{
    pthread_mutex_lock(&gate.lock);
    while (gate.arrived < count)
        pthread_cond_wait(&gate.moved, &gate.lock);
    pthread_mutex_unlock(&gate.lock);
}

struct task {
    struct raffia_job job;
    int number, ran;
    char *word; /* its own memory */
};

static atomic_int freed;

static void run_at_once(struct raffia_job *job)
{
    ((struct task *)job)->ran++;
}

static void run_at_the_gate(struct raffia_job *job)
{
    pass_gate();
    strcpy(((struct task *)job)->word, "done");
    run_at_once(job);
}

static void free_task(struct raffia_job *job)
{
    free(((struct task *)job)->word);
    free(job);
    freed++;
}

static struct task *new_task(void (*run)(struct raffia_job *job), int number)
{
    struct task *task = calloc(1, sizeof(*task));
    CHECK(task != NULL);
    task->job.run = run;
    task->job.free = free_task;
    task->number = number;
    task->word = malloc(8);
    return task;
}

static struct task *submit(struct raffia_client *client, void (*run)(struct raffia_job *job),
                           int number)
{
    struct task *task = new_task(run, number);
    CHECK_EQUAL(raffia_blocking_submit(client, &task->job), 0);
    return task;
}

struct bench {
    struct raffia_wake wake;
    struct raffia_client client;
};

static void open_bench(struct bench *bench)
{
    CHECK_EQUAL(raffia_wake_init(&bench->wake), 0);
    raffia_client_init(&bench->client, &bench->wake);
    freed = 0;
    set_gate(0);
}

static void close_bench(struct bench *bench)
{
    raffia_client_close(&bench->client);
    CHECK_EQUAL(bench->client.jobs, 0);
    CHECK_EQUAL(raffia_client_empty(&bench->client), 1);
    raffia_wake_close(&bench->wake);
}

static struct task *next(struct raffia_client *client)
{
    struct raffia_job *job;
    while (!(job = raffia_blocking_take(client)))
        sched_yield();
    return (struct task *)job;
}

static void expect_task(struct raffia_client *client, int number)
{
    struct task *task = next(client);
    CHECK_EQUAL(task->number, number);
    CHECK_EQUAL(task->ran, 1);
    free_task(&task->job);
}

static struct raffia_blocking_metrics metrics(void)
{
    return raffia_blocking_metrics();
}

static void await_threads(uint64_t count)
{
    while (metrics().threads != count)
        sched_yield();
}

/* So that a test finds the pool as in a new process. */
static void retire(void)
{
    struct bench bench;
    raffia_blocking_idle(0);
    if (metrics().threads > 0) {
        /* Each thread takes one, and sees the new time afterwards. */
        open_bench(&bench);
        int count = (int)metrics().threads;
        for (int i = 0; i < count; i++)
            submit(&bench.client, run_at_the_gate, i);
        await_arrivals(count);
        set_gate(1);
        await_threads(0);
        close_bench(&bench);
    }
    raffia_blocking_idle(10 * SECONDS);
}

static void threads_start_when_there_is_work(void)
{
    struct bench bench;
    retire();
    CHECK_EQUAL(metrics().threads, 0);
    open_bench(&bench);
    CHECK_EQUAL(metrics().threads, 0);
    for (int i = 0; i < 10; i++) {
        submit(&bench.client, run_at_once, i);
        expect_task(&bench.client, i);
    }
    /* One at a time needs one thread, or a second when the first was not back yet. */
    CHECK(metrics().threads >= 1 && metrics().threads <= 2);
    close_bench(&bench);
}

static void no_more_threads_than_the_limit(void)
{
    struct bench bench;
    retire();
    raffia_blocking_limit(3);
    CHECK_EQUAL(metrics().limit, 3);
    open_bench(&bench);
    for (int i = 0; i < 20; i++)
        submit(&bench.client, run_at_the_gate, i);
    await_arrivals(3);
    CHECK_EQUAL(metrics().threads, 3);
    CHECK_EQUAL(metrics().running, 3);
    CHECK_EQUAL(metrics().queued, 17);
    uint64_t done = metrics().done;
    set_gate(1);
    for (int i = 0; i < 20; i++)
        free_task(&next(&bench.client)->job);
    CHECK_EQUAL(metrics().threads, 3);
    CHECK_EQUAL(metrics().done - done, 20);
    CHECK(metrics().longest_wait > 0);
    CHECK(metrics().peak >= 3);
    /* Those above a lower limit end with their job. */
    raffia_blocking_limit(1);
    set_gate(0);
    for (int i = 0; i < 3; i++)
        submit(&bench.client, run_at_the_gate, i);
    set_gate(1);
    for (int i = 0; i < 3; i++)
        free_task(&next(&bench.client)->job);
    for (int i = 0; metrics().threads > 1; i++) {
        submit(&bench.client, run_at_once, i);
        expect_task(&bench.client, i);
    }
    raffia_blocking_limit(0);
    CHECK(metrics().limit >= 4);
    close_bench(&bench);
}

static void idle_threads_end(void)
{
    struct bench bench;
    retire();
    raffia_blocking_idle(1000000);
    open_bench(&bench);
    for (int round = 0; round < 5; round++) {
        submit(&bench.client, run_at_once, round);
        expect_task(&bench.client, round);
        await_threads(0);
    }
    raffia_blocking_idle(10 * SECONDS);
    close_bench(&bench);
}

static void jobs_begin_in_order(void)
{
    struct bench bench;
    retire();
    raffia_blocking_limit(1);
    open_bench(&bench);
    for (int i = 0; i < 100; i++)
        submit(&bench.client, i == 0 ? run_at_the_gate : run_at_once, i);
    set_gate(1);
    for (int i = 0; i < 100; i++)
        expect_task(&bench.client, i);
    raffia_blocking_limit(0);
    close_bench(&bench);
}

static void a_queued_job_is_off_at_once(void)
{
    struct bench bench;
    retire();
    raffia_blocking_limit(1);
    open_bench(&bench);
    struct raffia_blocking_metrics before = metrics();
    struct task *tasks[5];
    for (int i = 0; i < 5; i++)
        tasks[i] = submit(&bench.client, run_at_the_gate, i);
    await_arrivals(1);
    for (int i = 1; i < 5; i += 2)
        CHECK_EQUAL(raffia_blocking_cancel(&tasks[i]->job), 1);
    CHECK_EQUAL(freed, 2);
    CHECK_EQUAL(metrics().queued, 2);
    set_gate(1);
    for (int i = 0; i < 5; i += 2)
        expect_task(&bench.client, i);
    CHECK_EQUAL(raffia_client_empty(&bench.client), 1);
    CHECK_EQUAL(metrics().cancelled - before.cancelled, 2);
    CHECK_EQUAL(metrics().done - before.done, 3);
    raffia_blocking_limit(0);
    close_bench(&bench);
}

static void a_running_job_arrives_all_the_same(void)
{
    struct bench bench;
    open_bench(&bench);
    struct task *task = submit(&bench.client, run_at_the_gate, 7);
    await_arrivals(1);
    CHECK_EQUAL(raffia_blocking_cancel(&task->job), 0);
    set_gate(1);
    while (raffia_client_empty(&bench.client))
        sched_yield();
    CHECK_EQUAL(raffia_blocking_cancel(&task->job), 0);
    expect_task(&bench.client, 7);
    close_bench(&bench);
}

static void a_detachable_job_is_left_to_itself(void)
{
    struct bench bench;
    open_bench(&bench);
    struct task *task = new_task(run_at_the_gate, 7);
    task->job.detachable = 1;
    CHECK_EQUAL(raffia_blocking_submit(&bench.client, &task->job), 0);
    await_arrivals(1);
    CHECK_EQUAL(raffia_blocking_cancel(&task->job), 1);
    CHECK_EQUAL(metrics().running, 1);
    close_bench(&bench); /* does not wait */
    CHECK_EQUAL(freed, 0);
    set_gate(1);
    while (freed == 0)
        sched_yield();
    CHECK_EQUAL(metrics().running, 0);
}

static void *open_gate_later(void *unused)
{
    usleep(2000);
    set_gate(1);
    return unused;
}

static void a_detachable_job_that_has_ended(void)
{
    struct bench bench;
    open_bench(&bench);
    struct task *task = new_task(run_at_once, 7);
    task->job.detachable = 1;
    CHECK_EQUAL(raffia_blocking_submit(&bench.client, &task->job), 0);
    while (raffia_client_empty(&bench.client))
        sched_yield();
    CHECK_EQUAL(raffia_blocking_cancel(&task->job), 1);
    CHECK_EQUAL(freed, 1);
    CHECK_EQUAL(raffia_client_empty(&bench.client), 1);
    close_bench(&bench);
}

static void who_leaves_waits_for_what_runs(void)
{
    struct bench bench, other;
    retire();
    raffia_blocking_limit(2);
    open_bench(&bench);
    CHECK_EQUAL(raffia_wake_init(&other.wake), 0);
    raffia_client_init(&other.client, &other.wake);
    for (int i = 0; i < 4; i++)
        submit(&bench.client, run_at_the_gate, i);
    submit(&other.client, run_at_once, 9);
    await_arrivals(2);
    pthread_t opener;
    CHECK_EQUAL(pthread_create(&opener, NULL, open_gate_later, NULL), 0);
    close_bench(&bench);
    CHECK_EQUAL(freed, 4);
    expect_task(&other.client, 9); /* the others' jobs stay */
    CHECK_EQUAL(pthread_join(opener, NULL), 0);
    raffia_blocking_limit(0);
    close_bench(&other);
}

/* With signals, a stack that overflows, or a name of their own, other parts of the program would
 * notice them. */
static sigset_t mask_of_thread;
static char name_of_thread[32];

static void look_around(struct raffia_job *job)
{
    pthread_sigmask(SIG_SETMASK, NULL, &mask_of_thread);
    pthread_getname_np(pthread_self(), name_of_thread, sizeof(name_of_thread));
    run_at_once(job);
}

static void threads_block_all_signals(void)
{
    struct bench bench;
    sigset_t before, after;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    retire();
    open_bench(&bench);
    submit(&bench.client, look_around, 1);
    expect_task(&bench.client, 1);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int signal = 1; signal < 32; signal++) {
        if (signal != SIGKILL && signal != SIGSTOP) CHECK(sigismember(&mask_of_thread, signal));
        CHECK_EQUAL(sigismember(&after, signal), sigismember(&before, signal));
    }
    CHECK_EQUAL(strcmp(name_of_thread, "raffia-blocking"), 0);
    close_bench(&bench);
}

/* 10^5 jobs of several clients, some called off at any time. */
enum { CLIENTS = 4, JOBS = 25000, AT_ONCE = 64 };

static void *storm(void *argument)
{
    uint32_t seed = (uint32_t)(uintptr_t)argument;
    struct bench bench;
    struct task *flying[AT_ONCE] = {NULL};
    CHECK_EQUAL(raffia_wake_init(&bench.wake), 0);
    raffia_client_init(&bench.client, &bench.wake);
    size_t gone = 0, taken = 0;
    for (int i = 0; i < JOBS; i++) {
        int place = i % AT_ONCE;
        seed = seed * 1103515245 + 12345;
        if (flying[place] && seed >> 16 & 1 && raffia_blocking_cancel(&flying[place]->job) == 1) {
            flying[place] = NULL;
            gone++;
        }
        if (flying[place]) {
            struct task *task = next(&bench.client);
            place = task->number;
            CHECK(task == flying[place]);
            CHECK_EQUAL(task->ran, 1);
            free_task(&task->job);
            taken++;
        }
        flying[place] = submit(&bench.client, run_at_once, place);
    }
    raffia_client_close(&bench.client);
    CHECK(gone + taken <= JOBS);
    raffia_wake_close(&bench.wake);
    return NULL;
}

static void many_jobs_of_several_clients(void)
{
    pthread_t threads[CLIENTS];
    freed = 0;
    struct raffia_blocking_metrics before = metrics();
    for (size_t i = 0; i < CLIENTS; i++)
        CHECK_EQUAL(pthread_create(&threads[i], NULL, storm, (void *)(i + 1)), 0);
    for (size_t i = 0; i < CLIENTS; i++)
        CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
    CHECK_EQUAL(freed, CLIENTS * JOBS);
    CHECK_EQUAL(metrics().queued + metrics().running, 0);
    CHECK_EQUAL(metrics().done + metrics().cancelled - before.done - before.cancelled,
                CLIENTS * JOBS);
}

/* 0 when all is as it should be, or the line. */
#define WRONG_UNLESS(condition)                                                                    \
    do {                                                                                           \
        if (!(condition)) return __LINE__;                                                         \
    } while (0)

static struct bench *parents;

static int start_over(void)
{
    struct bench own;
    /* The gate is the parent's, whose threads may have held its lock. */
    pthread_mutex_init(&gate.lock, NULL);
    pthread_cond_init(&gate.moved, NULL);
    WRONG_UNLESS(metrics().threads == 0);
    WRONG_UNLESS(metrics().queued == 0 && metrics().running == 0);
    raffia_client_close(&parents->client); /* waits for nobody */
    set_gate(1);
    WRONG_UNLESS(raffia_wake_init(&own.wake) == 0);
    raffia_client_init(&own.client, &own.wake);
    for (int i = 0; i < 10; i++)
        submit(&own.client, run_at_the_gate, i);
    for (int i = 0; i < 10; i++)
        free_task(&next(&own.client)->job);
    WRONG_UNLESS(metrics().threads > 0);
    raffia_client_close(&own.client);
    return 0;
}

static void in_child(int (*live)(void))
{
    int status;
    pid_t child = CHECK_CALL(fork());
    if (child == 0) {
        alarm(30);
        _exit(live() & 255);
    }
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), 0);
}

static void a_fork_while_busy(void)
{
    struct bench bench;
    retire();
    raffia_blocking_limit(2);
    open_bench(&bench);
    struct task *left = new_task(run_at_the_gate, 9);
    left->job.detachable = 1;
    CHECK_EQUAL(raffia_blocking_submit(&bench.client, &left->job), 0);
    await_arrivals(1);
    CHECK_EQUAL(raffia_blocking_cancel(&left->job), 1);
    for (int i = 0; i < 5; i++)
        submit(&bench.client, run_at_the_gate, i);
    await_arrivals(2);
    parents = &bench;
    in_child(start_over);
    in_child(start_over);
    CHECK_EQUAL(metrics().threads, 2);
    set_gate(1);
    for (int i = 0; i < 5; i++)
        free_task(&next(&bench.client)->job);
    raffia_blocking_limit(0);
    close_bench(&bench);
}

/* Through a loop */

static struct raffia_completion next_completion(struct raffia_loop *loop)
{
    struct raffia_completion completion;
    while (!raffia_loop_shift(loop, &completion))
        CHECK(raffia_loop_poll(loop, 10 * SECONDS) >= 0);
    return completion;
}

static void open_loop(struct raffia_loop *loop, const char *name)
{
    CHECK_EQUAL(raffia_loop_open(loop, raffia_backend_named(name), NULL), 0);
}

static void count_address(const char *address, void *count)
{
    CHECK(strlen(address) > 0);
    ++*(int *)count;
}

static void a_loop_sleeps_until_a_name_is_known(void)
{
    struct raffia_loop loop;
    raffia_id id;
    open_loop(&loop, "poll");
    for (int round = 0; round < 20; round++) {
        struct raffia_resolution *resolution = raffia_resolution_new("127.0.0.1");
        int count = 0;
        CHECK_EQUAL(raffia_loop_resolve(&loop, resolution, 5, &id), 0);
        CHECK_EQUAL(raffia_loop_pending(&loop), 1);
        struct raffia_completion completion = next_completion(&loop);
        CHECK_EQUAL(completion.data, 5);
        CHECK_EQUAL(completion.result, 0);
        raffia_resolution_each(resolution, count_address, &count);
        CHECK_EQUAL(count, 1);
        CHECK_EQUAL(raffia_loop_disarm(&loop, id), -ENOENT);
        raffia_resolution_release(resolution);
    }
    CHECK_EQUAL(raffia_loop_pending(&loop), 0);
    raffia_loop_close(&loop);
}

static void a_name_that_nobody_knows(void)
{
    struct raffia_loop loop;
    raffia_id id;
    open_loop(&loop, "poll");
    struct raffia_resolution *resolution = raffia_resolution_new("no such name.invalid");
    CHECK_EQUAL(raffia_loop_resolve(&loop, resolution, 5, &id), 0);
    struct raffia_completion completion = next_completion(&loop);
    CHECK(completion.result != 0);
    CHECK_EQUAL(completion.result, resolution->error);
    CHECK(resolution->addresses == NULL);
    raffia_resolution_release(resolution);
    raffia_loop_close(&loop);
}

/* Called off at any time, and closed with some under way; the sanitizers watch the memory. */
static void names_that_are_not_wanted_any_more(void)
{
    struct raffia_loop loop;
    raffia_id ids[40];
    open_loop(&loop, "poll");
    for (int round = 0; round < 10; round++) {
        for (size_t i = 0; i < COUNT(ids); i++) {
            struct raffia_resolution *resolution = raffia_resolution_new("::1");
            CHECK_EQUAL(raffia_loop_resolve(&loop, resolution, i, &ids[i]), 0);
            raffia_resolution_release(resolution);
        }
        CHECK(raffia_loop_poll(&loop, 0) >= 0);
        for (size_t i = 0; i < COUNT(ids); i += 2)
            raffia_loop_disarm(&loop, ids[i]);
    }
    raffia_loop_close(&loop);
}

static void what_has_readiness_is_refused(void)
{
    struct raffia_loop loop;
    raffia_id id;
    int pipes[2];
    char byte;
    CHECK_CALL(pipe(pipes));
    open_loop(&loop, "poll");
    CHECK_EQUAL(raffia_loop_transfer(&loop, RAFFIA_READ, pipes[0], &byte, 1, HERE, 1, &id),
                -ENOTSUP);
    CHECK_EQUAL(raffia_loop_transfer(&loop, RAFFIA_WRITE, pipes[1], &byte, 1, HERE, 1, &id),
                -ENOTSUP);
    CHECK_CALL(close(pipes[0]));
    CHECK_CALL(close(pipes[1]));
    CHECK_EQUAL(raffia_loop_transfer(&loop, RAFFIA_READ, pipes[0], &byte, 1, HERE, 1, &id), -EBADF);
    CHECK_EQUAL(raffia_loop_pending(&loop), 0);
    raffia_loop_close(&loop);
}

/* Reads of many loops at once, each in a thread of its own. */
enum { LOOPS = 4, READS = 2500 };

static void *read_in_a_loop(void *file)
{
    struct raffia_loop loop;
    raffia_id id;
    char bytes[16][8];
    open_loop(&loop, "epoll");
    for (int round = 0; round < READS / 16; round++) {
        for (size_t i = 0; i < 16; i++)
            CHECK_EQUAL(raffia_loop_transfer(&loop, RAFFIA_READ, *(int *)file, bytes[i], 8,
                                             (int64_t)i, i, &id),
                        0);
        for (size_t i = 0; i < 16; i++) {
            struct raffia_completion completion = next_completion(&loop);
            CHECK_EQUAL(completion.result, 8);
            CHECK_EQUAL(bytes[completion.data][0], 'a' + (int)completion.data);
        }
    }
    for (size_t i = 0; i < 16; i++)
        raffia_loop_transfer(&loop, RAFFIA_READ, *(int *)file, bytes[i], 8, (int64_t)i, i, &id);
    raffia_loop_close(&loop); /* with reads under way */
    return NULL;
}

static void reads_of_several_loops(void)
{
    char name[] = "/tmp/raffia-native-XXXXXX";
    int fd = CHECK_CALL(mkstemp(name));
    CHECK_CALL(unlink(name));
    CHECK_EQUAL(write(fd, "abcdefghijklmnopqrstuvwxyz", 26), 26);
    pthread_t threads[LOOPS];
    for (size_t i = 0; i < LOOPS; i++)
        CHECK_EQUAL(pthread_create(&threads[i], NULL, read_in_a_loop, &fd), 0);
    for (size_t i = 0; i < LOOPS; i++)
        CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
    CHECK_CALL(close(fd));
    CHECK_EQUAL(metrics().queued + metrics().running, 0);
}

static int live_without_threads(void)
{
    struct bench bench;
    struct raffia_loop loop;
    raffia_id id;
    if (!refuse_system_call(SYS_clone, EAGAIN) || !refuse_system_call(SYS_clone3, EAGAIN)) return 0;
    open_bench(&bench);
    struct task *task = new_task(run_at_once, 1);
    WRONG_UNLESS(raffia_blocking_submit(&bench.client, &task->job) == -EAGAIN);
    WRONG_UNLESS(metrics().queued == 0);
    free_task(&task->job);
    close_bench(&bench);
    open_loop(&loop, "poll");
    struct raffia_resolution *resolution = raffia_resolution_new("127.0.0.1");
    WRONG_UNLESS(raffia_loop_resolve(&loop, resolution, 5, &id) == -EAGAIN);
    WRONG_UNLESS(raffia_loop_pending(&loop) == 0);
    raffia_resolution_release(resolution);
    raffia_loop_close(&loop);
    return 0;
}

static void where_no_thread_can_be_started(void)
{
    in_child(live_without_threads);
}

int main(void)
{
    static const struct check_test tests[] = {
        TEST(threads_start_when_there_is_work),
        TEST(no_more_threads_than_the_limit),
        TEST(idle_threads_end),
        TEST(jobs_begin_in_order),
        TEST(a_queued_job_is_off_at_once),
        TEST(a_running_job_arrives_all_the_same),
        TEST(a_detachable_job_is_left_to_itself),
        TEST(a_detachable_job_that_has_ended),
        TEST(who_leaves_waits_for_what_runs),
        TEST(threads_block_all_signals),
        TEST(many_jobs_of_several_clients),
        TEST(a_fork_while_busy),
        TEST(a_loop_sleeps_until_a_name_is_known),
        TEST(a_name_that_nobody_knows),
        TEST(names_that_are_not_wanted_any_more),
        TEST(what_has_readiness_is_refused),
        TEST(reads_of_several_loops),
        TEST(where_no_thread_can_be_started),
    };
    return check_run("blocking", tests, COUNT(tests));
}
