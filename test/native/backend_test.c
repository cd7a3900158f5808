/* The list of back ends, and what a refusal looks like. */
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"
#include "loop.h"
#include "refuse.h"

static void they_are_found_by_name(void)
{
    size_t count = 0;
    for (; raffia_backends[count]; count++) {
        const struct raffia_backend *backend = raffia_backends[count];
        CHECK(raffia_backend_named(backend->name) == (backend->absence ? NULL : backend));
        CHECK(raffia_backend_absence(backend->name) == backend->absence);
    }
    CHECK(count > 0);
    CHECK(strcmp(raffia_backends[count - 1]->name, "poll") == 0);
    CHECK(raffia_backend_named("none") == NULL);
}

static void poll_always_works(void)
{
    char why[100];
    CHECK_EQUAL(raffia_backend_probe(raffia_backend_named("poll"), why, sizeof(why)), 0);
    CHECK_EQUAL(why[0], '\0');
    CHECK_EQUAL(raffia_backend_probe(raffia_backend_named("poll"), NULL, 0), 0);
}

/* Nothing stays open, and the reason is in words. */
static void without_descriptors_none_opens(void)
{
    struct rlimit limit, none;
    CHECK_CALL(getrlimit(RLIMIT_NOFILE, &limit));
    int open = check_open_descriptors();
    for (int spare = 0; spare < 2; spare++) {
        for (size_t i = 0; raffia_backends[i]; i++) {
            char why[100] = "";
            if (raffia_backends[i]->absence) continue;
            none = (struct rlimit){(rlim_t)(3 + spare), limit.rlim_max};
            CHECK_CALL(setrlimit(RLIMIT_NOFILE, &none));
            int failure = raffia_backend_probe(raffia_backends[i], why, sizeof(why));
            CHECK_CALL(setrlimit(RLIMIT_NOFILE, &limit));
            CHECK_EQUAL(failure, -EMFILE);
            CHECK(strstr(why, strerror(EMFILE)) != NULL);
        }
    }
    CHECK_EQUAL(check_open_descriptors(), open);
}

/* The ways in which it is refused: what is refused, how, and what the reason then says. */
static const struct refusal {
    int call, error;
    const char *what, *hint;
} refusals[] = {
    {SYS_io_uring_setup, EPERM, "io_uring_setup: ", "container"},
    {SYS_io_uring_setup, EACCES, "io_uring_setup: ", "container"},
    {SYS_io_uring_setup, ENOSYS, "io_uring_setup: ", "no io_uring"},
    {SYS_io_uring_setup, ENOMEM, "io_uring_setup: ", "locked memory"},
    {SYS_io_uring_setup, EINVAL, "io_uring_setup: ", ""},
    {SYS_io_uring_enter, EPERM, "wake-up: ", "container"},
    {SYS_io_uring_enter, ENOSYS, "wake-up: ", "hides"},
};

static void expect_refusal(const struct raffia_backend *uring, const struct refusal *refusal)
{
    char why[200];
    int open = check_open_descriptors();
    if (!refuse_system_call(refusal->call, refusal->error)) return;
    CHECK_EQUAL(raffia_backend_probe(uring, why, sizeof(why)), -refusal->error);
    CHECK(strstr(why, refusal->what) == why);
    CHECK(strstr(why, strerror(refusal->error)) != NULL);
    CHECK(strstr(why, refusal->hint) != NULL);
    CHECK_EQUAL(check_open_descriptors(), open);
    CHECK_EQUAL(raffia_backend_probe(raffia_backend_named("poll"), why, sizeof(why)), 0);
}

/* Each in a process of its own: a filter is for ever. */
static void containers_without_io_uring(void)
{
    char why[200];
    const struct raffia_backend *uring = raffia_backend_named("uring");
    if (!uring || raffia_backend_probe(uring, why, sizeof(why)) < 0) return;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        int status;
        pid_t pid = CHECK_CALL(fork());
        if (pid == 0) {
            expect_refusal(uring, &refusals[i]);
            _exit(0);
        }
        CHECK_EQUAL(waitpid(pid, &status, 0), pid);
        CHECK_EQUAL(status, 0);
    }
}

static void a_container_without_epoll_pwait2(void)
{
    struct raffia_loop loop;
    struct raffia_completion completion;
    raffia_id id;
    const struct raffia_backend *epoll = raffia_backend_named("epoll");
    if (!epoll || !refuse_system_call(SYS_epoll_pwait2, EPERM)) return;
    CHECK_EQUAL(raffia_loop_open(&loop, epoll, NULL), 0);
    for (int i = 0; i < 3; i++) {
        uint64_t before = loop.metrics.waits;
        CHECK_EQUAL(raffia_loop_after(&loop, 1500000, 7, &id), 0);
        while (!raffia_loop_shift(&loop, &completion))
            CHECK(raffia_loop_poll(&loop, -1) >= 0);
        CHECK_EQUAL(completion.result, -ETIME);
        CHECK(loop.metrics.waits - before <=
              5); /* rounded up: it does not turn until the timer is due */
    }
    raffia_loop_close(&loop);
}

int main(void)
{
    static const struct check_test tests[] = {
        TEST(they_are_found_by_name),
        TEST(poll_always_works),
        TEST(without_descriptors_none_opens),
        TEST(containers_without_io_uring),
        /* For ever, so it comes last. */
        TEST(a_container_without_epoll_pwait2),
    };
    return check_run("backends", tests, COUNT(tests));
}
