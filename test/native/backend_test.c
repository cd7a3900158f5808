/* The list of back ends, and what a refusal looks like. */
#include <string.h>
#include <sys/resource.h>
#include "check.h"
#include "loop.h"

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

int main(void)
{
    static const struct check_test tests[] = {
        TEST(they_are_found_by_name),
        TEST(poll_always_works),
        TEST(without_descriptors_none_opens),
    };
    return check_run("backends", tests, COUNT(tests));
}
