/* The least that a C test needs. A check that fails says where and what, and ends the program; a
 * test that hangs is ended by alarm(2), so no run needs a watcher. */
#ifndef RAFFIA_CHECK_H
#define RAFFIA_CHECK_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#define CHECK(condition) check_that((condition) != 0, #condition, __FILE__, __LINE__)
#define CHECK_EQUAL(actual, expected)                                                              \
    check_equal((int64_t)(actual), (int64_t)(expected), #actual, __FILE__, __LINE__)
/* For calls that set errno. Their value. */
#define CHECK_CALL(call) check_call((call), #call, __FILE__, __LINE__)

void check_that(int holds, const char *what, const char *file, int line);
void check_equal(int64_t actual, int64_t expected, const char *what, const char *file, int line);
int check_call(int result, const char *what, const char *file, int line);

struct check_test {
    const char *name;
    void (*run)(void);
};

#define TEST(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Announces a test and sets its alarm. */
void check_begin(const char *group, const char *name);
/* Runs them all; what main returns. */
int check_run(const char *group, const struct check_test *tests, size_t count);
/* How many descriptors are open. */
int check_open_descriptors(void);
/* Whether valgrind runs this program. */
int check_valgrind(void);
/* Numbers that are the same in each run. */
uint32_t check_random(uint32_t below);

#endif
