/* The list of back ends, and what a refusal looks like. */
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include "check.h"
#include "loop.h"
#include "refuse.h"

static void they_are_found_by_name(void)
{
    size_t count = 0;
    for (; raffia_backends[count]; count++)
        CHECK(raffia_backend_named(raffia_backends[count]->name) == raffia_backends[count]);
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

static void a_container_without_io_uring(void)
{
    char why[200];
    const struct raffia_backend *uring = raffia_backend_named("uring");
    if (!uring || !refuse_system_call(SYS_io_uring_setup, EPERM)) return;
    CHECK_EQUAL(raffia_backend_probe(uring, why, sizeof(why)), -EPERM);
    CHECK(strstr(why, "io_uring_setup: ") == why);
    CHECK(strstr(why, "container") != NULL);
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
        CHECK(loop.metrics.waits - before <= 2); /* rounded up: it does not turn until the timer is due */
    }
    raffia_loop_close(&loop);
}

int main(void)
{
    static const struct check_test tests[] = {
        TEST(they_are_found_by_name),
        TEST(poll_always_works),
        TEST(without_descriptors_none_opens),
        /* These are for ever, so they come last. */
        TEST(a_container_without_epoll_pwait2),
        TEST(a_container_without_io_uring),
    };
    return check_run("backends", tests, COUNT(tests));
}
