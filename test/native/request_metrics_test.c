/* Request metrics in shared memory. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "request_metrics.h"

enum {
    NUMBERS = sizeof(struct raffia_request_metrics) / sizeof(raffia_counter),
    CHILDREN = 4,
    EACH = 20000
};

static void a_request_is_counted(void)
{
    struct raffia_request_metrics *metrics =
        (struct raffia_request_metrics *)(void *)raffia_counters_map(NUMBERS);
    CHECK(metrics);
    raffia_request_metrics_add(metrics, 204, 100, 101, 5, 6);
    raffia_request_metrics_add(metrics, 0, 50000001, -1, 0, 0);
    raffia_request_metrics_add(metrics, 999, 0, -1, -1, -1);
    CHECK_EQUAL(metrics->requests, 3);
    CHECK_EQUAL(metrics->classes[1], 1);
    CHECK_EQUAL(metrics->received, 5);
    CHECK_EQUAL(metrics->sent, 6);
    CHECK_EQUAL(metrics->duration.buckets[0], 2);
    CHECK_EQUAL(metrics->duration.buckets[RAFFIA_BUCKETS - 1], 1);
    CHECK_EQUAL(metrics->duration.sum, 50000101);
    CHECK_EQUAL(metrics->queued.buckets[1], 1);
    raffia_counters_unmap(&metrics->requests, NUMBERS);
}

static void children_count_together(void)
{
    raffia_counter *numbers = raffia_counters_map(NUMBERS + 1);
    struct raffia_request_metrics *metrics = (struct raffia_request_metrics *)(void *)numbers;
    for (int child = 0; child < CHILDREN; child++) {
        if (fork() != 0) continue;
        for (int i = 1; i <= EACH; i++) {
            raffia_request_metrics_add(metrics, 200, i, i, 1, 1);
            raffia_counter_raise(&numbers[NUMBERS], i);
        }
        _exit(0);
    }
    while (wait(NULL) > 0)
        continue;
    CHECK_EQUAL(metrics->requests, CHILDREN * EACH);
    int64_t total = 0;
    for (int bucket = 0; bucket < RAFFIA_BUCKETS; bucket++)
        total += metrics->duration.buckets[bucket];
    CHECK_EQUAL(total, CHILDREN * EACH);
    CHECK_EQUAL(metrics->duration.sum, (int64_t)CHILDREN * EACH * (EACH + 1) / 2);
    CHECK_EQUAL(numbers[NUMBERS], EACH);
    raffia_counters_unmap(numbers, NUMBERS + 1);
}

static const struct check_test tests[] = {TEST(a_request_is_counted),
                                          TEST(children_count_together)};

int main(void)
{
    return check_run("metrics", tests, COUNT(tests));
}
