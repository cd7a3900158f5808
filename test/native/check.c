#include "check.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIMIT = 60 }; /* seconds for one test; under valgrind it is slow */

static const char *current_group = "", *current_test = "";

static void fail(const char *file, int line)
{
    printf("  in %s: %s (%s:%d)\n", current_group, current_test, file, line);
    fflush(stdout);
    exit(1);
}

void check_that(int holds, const char *what, const char *file, int line)
{
    if (holds) return;
    printf("FAILED: %s\n", what);
    fail(file, line);
}

void check_equal(int64_t actual, int64_t expected, const char *what, const char *file, int line)
{
    if (actual == expected) return;
    printf("FAILED: %s is %lld, not %lld\n", what, (long long)actual, (long long)expected);
    fail(file, line);
}

int check_call(int result, const char *what, const char *file, int line)
{
    if (result >= 0) return result;
    printf("FAILED: %s: %s\n", what, strerror(errno));
    fail(file, line);
    return result;
}

/* Only what a signal handler may call. */
static void hang(int number)
{
    static const char message[] = "FAILED: the test hangs: ";
    (void)number;
    if (write(1, message, sizeof(message) - 1) > 0 &&
        write(1, current_test, strlen(current_test)) > 0)
        (void)!write(1, "\n", 1);
    _exit(70);
}

void check_begin(const char *group, const char *name)
{
    current_group = group;
    current_test = name;
    signal(SIGALRM, hang);
    signal(SIGPIPE, SIG_IGN);
    alarm(LIMIT);
}

int check_run(const char *group, const struct check_test *tests, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int before = check_open_descriptors();
        check_begin(group, tests[i].name);
        tests[i].run();
        CHECK_EQUAL(check_open_descriptors(), before);
    }
    printf("%s: %zu tests\n", group, count);
    return 0;
}

int check_open_descriptors(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (!folder) return 0;
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

int check_valgrind(void)
{
    const char *preloaded = getenv("LD_PRELOAD");
    return preloaded && strstr(preloaded, "vgpreload");
}

uint32_t check_random(uint32_t below)
{
    static uint32_t seed = 20240229;
    seed ^= seed << 13;
    seed ^= seed >> 17;
    seed ^= seed << 5;
    return seed % below;
}
