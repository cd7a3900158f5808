/* A process that ends with its parent. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"
#include "fork.h"

#ifdef __linux__
/* Says that it is ready, and then does nothing until it is killed. */
static void wait_for_end(int ready)
{
    char byte = raffia_process_die_with_parent(getppid()) == 0 ? 'y' : 'n';
    if (write(ready, &byte, 1) < 0) _exit(1);
    for (;;)
        pause();
}

static void it_is_killed_with_its_parent(void)
{
    int ends[2];
    char byte = 0;
    CHECK_CALL(pipe(ends));
    pid_t parent = CHECK_CALL(fork());
    if (parent == 0) {
        if (fork() == 0) wait_for_end(ends[1]);
        for (;;)
            pause();
    }
    close(ends[1]);
    CHECK_EQUAL(read(ends[0], &byte, 1), 1);
    CHECK_EQUAL(byte, 'y');
    CHECK_CALL(kill(parent, SIGKILL));
    CHECK_EQUAL(CHECK_CALL(waitpid(parent, NULL, 0)), parent);
    /* The end of the pipe is the end of all who hold it. */
    CHECK_EQUAL(read(ends[0], &byte, 1), 0);
    close(ends[0]);
}

static void a_parent_that_is_gone(void)
{
    int status;
    pid_t child = CHECK_CALL(fork());
    /* This is not the parent of it. */
    if (child == 0) _exit(raffia_process_die_with_parent(getpid()) == -ESRCH ? 0 : 1);
    CHECK_CALL(waitpid(child, &status, 0));
    CHECK_EQUAL(status, 0);
}

/* Its parent ends at once; who adopted it reaps it. */
static void an_orphan_is_adopted(void)
{
    int status, ends[2];
    pid_t orphan;
    CHECK_EQUAL(raffia_process_set_subreaper(1), 0);
    CHECK_CALL(pipe(ends));
    pid_t child = CHECK_CALL(fork());
    if (child == 0) {
        orphan = fork();
        if (orphan == 0) _exit(7);
        _exit(write(ends[1], &orphan, sizeof orphan) == sizeof orphan ? 0 : 1);
    }
    CHECK_EQUAL(CHECK_CALL(waitpid(child, &status, 0)), child);
    CHECK_EQUAL(read(ends[0], &orphan, sizeof orphan), sizeof orphan);
    CHECK_EQUAL(CHECK_CALL(waitpid(orphan, &status, 0)), orphan);
    CHECK_EQUAL(WEXITSTATUS(status), 7);
    CHECK_EQUAL(raffia_process_set_subreaper(0), 0);
    close(ends[0]), close(ends[1]);
}

static const struct check_test tests[] = {TEST(it_is_killed_with_its_parent),
                                          TEST(a_parent_that_is_gone), TEST(an_orphan_is_adopted)};

int main(void)
{
    return check_run("process", tests, COUNT(tests));
}
#else
int main(void)
{
    CHECK_EQUAL(raffia_process_die_with_parent(getppid()), -ENOSYS);
    CHECK_EQUAL(raffia_process_set_subreaper(1), -ENOSYS);
    return 0;
}
#endif
