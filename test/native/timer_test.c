/* The timers: the wheel and its heap, with a clock of the tests' own. */
#include <stdlib.h>
#include "check.h"
#include "timer.h"

#define MICROSECOND ((int64_t)1000)
#define MILLISECOND (1000 * MICROSECOND)
#define SECOND      (1000 * MILLISECOND)
#define DAY         (86400 * SECOND)
#define START       (400 * DAY) /* an uptime */
#define TICK        ((int64_t)1 << 15)

static struct raffia_ops ops;
static struct raffia_timers timers;
static int64_t now;

static void begin(void)
{
    raffia_ops_init(&ops);
    raffia_timers_init(&timers);
    now = START;
}

/* And nothing is left: not in a slot, not in the heap. */
static void end(void)
{
    CHECK_EQUAL(timers.count, 0);
    CHECK_EQUAL(raffia_timers_next(&timers), INT64_MAX);
    CHECK(raffia_timers_expire(&timers, INT64_MAX) == NULL);
    CHECK(timers.heap == NULL);
    for (size_t i = 0; i < COUNT(timers.slots); i++)
        CHECK(timers.slots[i] == NULL);
    raffia_ops_free(&ops);
}

static struct raffia_op *add(int64_t deadline, raffia_data data)
{
    struct raffia_op *op = raffia_ops_acquire(&ops, RAFFIA_TIMER, data);
    op->deadline = deadline;
    raffia_timers_add(&timers, op, now);
    return op;
}

static void drop(struct raffia_op *op)
{
    raffia_timers_remove(&timers, op);
    raffia_ops_release(&ops, op);
}

static void expect(raffia_data data)
{
    struct raffia_op *op = raffia_timers_expire(&timers, now);
    CHECK(op != NULL);
    CHECK_EQUAL(op->data, data);
    raffia_ops_release(&ops, op);
}

static void expect_nothing(void)
{
    CHECK(raffia_timers_expire(&timers, now) == NULL);
}

/* -- when -- */

static void a_timer_expires_at_its_deadline_to_the_nanosecond(void)
{
    static const int64_t after[] = {1,          MICROSECOND, TICK - 1,   TICK,
                                    TICK + 1,   64 * TICK,   SECOND,     DAY,
                                    1000 * DAY, 10000 * DAY, 40000 * DAY};
    begin();
    for (size_t i = 0; i < COUNT(after); i++) {
        int64_t deadline = now + after[i];
        add(deadline, i);
        expect_nothing();
        CHECK_EQUAL(raffia_timers_next(&timers), deadline);
        now = deadline - 1;
        expect_nothing();
        CHECK_EQUAL(raffia_timers_next(&timers), deadline);
        now = deadline;
        expect(i);
        expect_nothing();
    }
    end();
}

static void what_is_past_expires_at_once_and_in_order(void)
{
    begin();
    add(now, 5);
    add(now - 1, 4);
    add(0, 3);
    add(-1, 2);
    add(INT64_MIN, 1);
    CHECK_EQUAL(raffia_timers_next(&timers), INT64_MIN);
    for (raffia_data i = 1; i <= 5; i++)
        expect(i);
    end();
}

static void the_end_of_time_is_a_deadline_too(void)
{
    begin();
    add(INT64_MAX, 2);
    add(INT64_MAX, 3);
    add(INT64_MAX - 1, 1);
    now += 100000 * DAY;
    expect_nothing();
    now = INT64_MAX - 1;
    expect(1);
    expect_nothing();
    now = INT64_MAX;
    expect(2);
    expect(3);
    end();
}

static void equal_deadlines_expire_in_the_order_of_arming(void)
{
    begin();
    int64_t deadline = now + 10 * SECOND;
    /* From each level that the deadline is on as it comes nearer, and from the heap. */
    static const int64_t before[] = {
        10 * SECOND, SECOND, 100 * MILLISECOND, 20 * MILLISECOND, MICROSECOND, 0, -1};
    for (raffia_data i = 0; i < 50 * COUNT(before); i++) {
        now = deadline - before[i / 50];
        if (before[i / 50] > 0) expect_nothing();
        add(deadline, i);
    }
    for (raffia_data i = 0; i < 50 * COUNT(before); i++)
        expect(i);
    end();
}

static void deadlines_of_one_tick_expire_in_their_order(void)
{
    begin();
    for (raffia_data i = 0; i < 1000; i++)
        add(now + SECOND + (int64_t)(i * 7919 % 1000), i * 7919 % 1000);
    now += SECOND - 1;
    expect_nothing();
    for (raffia_data i = 0; i < 1000; i++) {
        now++;
        expect(i);
        expect_nothing();
    }
    end();
}

/* -- cancelling -- */

static void cancelling_on_each_level(void)
{
    static const int orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                    {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    struct raffia_op *held[3]; /* a list has a first, a middle and a last */
    begin();
    now = 0;
    for (uint32_t level = 0; level < RAFFIA_TIMER_LEVELS; level++) {
        int64_t deadline = TICK << 6 * level;
        for (size_t order = 0; order < COUNT(orders); order++) {
            for (raffia_data i = 0; i < 3; i++)
                held[i] = add(deadline, i);
            CHECK_EQUAL(timers.levels, 1 << level);
            for (int i = 0; i < 3; i++) {
                CHECK_EQUAL(raffia_timers_next(&timers), deadline);
                drop(held[orders[order][i]]);
            }
            CHECK_EQUAL(timers.levels, 0);
        }
    }
    CHECK_EQUAL(timers.moves, 0);
    end();
}

static void cancelling_in_the_heap(void)
{
    enum { MANY = 200 };
    struct raffia_op *held[MANY];
    begin();
    for (int round = 0; round < 100; round++) {
        for (uint32_t i = 0; i < MANY; i++)
            held[i] = add(now - check_random(50), i);
        /* An expiry gives the heap a shape; then half of the others go, from anywhere in it. */
        struct raffia_op *first = raffia_timers_expire(&timers, now);
        held[first->data] = NULL;
        raffia_ops_release(&ops, first);
        for (uint32_t i = 0; i < MANY; i++) {
            uint32_t chosen = check_random(MANY);
            if (held[chosen]) drop(held[chosen]);
            held[chosen] = NULL;
        }
        int64_t last = INT64_MIN;
        raffia_data previous = 0;
        for (struct raffia_op *op; (op = raffia_timers_expire(&timers, now));) {
            CHECK(held[op->data] == op);
            CHECK(op->deadline > last || (op->deadline == last && op->data > previous));
            last = op->deadline;
            previous = op->data;
            held[op->data] = NULL;
            raffia_ops_release(&ops, op);
        }
        for (uint32_t i = 0; i < MANY; i++)
            CHECK(held[i] == NULL);
    }
    end();
}

/* An expired timer cancels others that are due as well, and arms new ones. */
static void cancelling_and_arming_during_expiry(void)
{
    struct raffia_op *held[100];
    begin();
    for (raffia_data i = 0; i < COUNT(held); i++)
        held[i] = add(now + (int64_t)(1 + i) * MILLISECOND, i);
    now += SECOND;
    for (raffia_data i = 0; i < COUNT(held); i += 2) {
        expect(i);
        drop(held[i + 1]);
        add(now + 1, 1000 + i);
    }
    expect_nothing();
    now++;
    for (raffia_data i = 0; i < COUNT(held); i += 2)
        expect(1000 + i);
    end();
}

/* -- what it costs, in counts -- */

static void a_timer_that_is_cancelled_is_never_moved(void)
{
    begin();
    struct raffia_op *standing = add(now + 60 * SECOND, 0);
    for (int i = 0; i < 10000; i++) {
        struct raffia_op *op = add(now + 30 * SECOND, 1);
        now += MILLISECOND;
        expect_nothing();
        drop(op);
    }
    CHECK(timers.moves <= RAFFIA_TIMER_LEVELS); /* of the one that stands */
    drop(standing);
    end();
}

static void a_timer_moves_down_once_a_level_at_most(void)
{
    begin();
    for (raffia_data i = 0; i < 1000; i++)
        add(now + (int64_t)i * SECOND, i);
    for (raffia_data i = 0; i < 1000; i++) {
        expect(i);
        for (int step = 0; step < 100; step++, now += 10 * MILLISECOND)
            expect_nothing();
    }
    CHECK(timers.moves <= 5 * 1000); /* 1,000 seconds are 5 levels */
    end();
}

static void a_clock_that_jumps_costs_no_more(void)
{
    begin();
    for (raffia_data i = 0; i < 1000; i++)
        add(now + (int64_t)(i + 1) * DAY, i);
    now += 500 * DAY;
    for (raffia_data i = 0; i < 500; i++)
        expect(i);
    expect_nothing();
    now += 10000 * DAY;
    for (raffia_data i = 500; i < 1000; i++)
        expect(i);
    CHECK(timers.moves <= 1000 * RAFFIA_TIMER_LEVELS);
    end();
}

static void a_wheel_that_was_empty_for_long_is_not_behind(void)
{
    begin();
    for (int i = 0; i < 100; i++) {
        now += 100 * DAY + i * 17 * TICK;
        add(now + 10 * MILLISECOND, 1);
        now += 10 * MILLISECOND;
        expect(1);
    }
    CHECK(timers.moves <= 100 * 3); /* 10 ms are on level 1, at a border on a higher one */
    end();
}

static void a_clock_that_goes_back_loses_nothing(void)
{
    begin();
    add(now + 100 * DAY, 3);
    now += 50 * DAY;
    expect_nothing();
    add(now + 10 * MILLISECOND, 2);
    now -= 49 * DAY;
    expect_nothing();
    add(now + DAY, 1);
    CHECK_EQUAL(raffia_timers_next(&timers), now + DAY);
    now += DAY - 1;
    expect_nothing();
    now++;
    expect(1);
    expect_nothing();
    now = START + 50 * DAY + 10 * MILLISECOND;
    expect(2);
    CHECK_EQUAL(raffia_timers_next(&timers), START + 100 * DAY);
    now = START + 100 * DAY;
    expect(3);
    end();
}

/* -- how long a loop may sleep -- */

/* Sleeps as a loop does, until nothing is left; how often it woke. */
static int sleep_to_the_end(void)
{
    int wakes = 0;
    for (; timers.count > 0; wakes++) {
        int64_t next = raffia_timers_next(&timers);
        CHECK(next > now);
        now = next;
        for (struct raffia_op *op; (op = raffia_timers_expire(&timers, now));) {
            CHECK_EQUAL(op->deadline, now); /* nobody is woken late */
            raffia_ops_release(&ops, op);
        }
    }
    return wakes;
}

static void few_timers_need_one_wake_up_each(void)
{
    begin();
    for (int64_t after = 1; after < 10000 * DAY; after = after * 3 + 1) {
        add(now + after, 1);
        CHECK_EQUAL(sleep_to_the_end(), 1);
    }
    for (raffia_data i = 0; i < 8; i++)
        add(now + DAY + (int64_t)i, i);
    CHECK_EQUAL(sleep_to_the_end(), 8);
    end();
}

static void many_timers_share_a_wake_up_for_each_level(void)
{
    begin();
    for (raffia_data i = 0; i < 10000; i++)
        add(now + 10 * DAY, i);
    int wakes = sleep_to_the_end();
    CHECK(wakes > 1 && wakes <= RAFFIA_TIMER_LEVELS);
    end();
}

/* Looking at a timer that is far off brings it no nearer: those before it stay out of the heap. */
static void looking_ahead_changes_nothing(void)
{
    begin();
    add(now + 10 * SECOND, 1);
    CHECK_EQUAL(raffia_timers_next(&timers), now + 10 * SECOND);
    expect_nothing();
    for (int64_t i = 1; i < 100; i++)
        drop(add(now + i * 2 * TICK, 2));
    struct raffia_op *near = add(now + 2 * TICK, 2);
    CHECK(timers.heap == NULL);
    CHECK_EQUAL(raffia_timers_next(&timers), near->deadline);
    drop(near);
    CHECK_EQUAL(sleep_to_the_end(), 1);
    end();
}

/* -- against a model -- */

enum { MODEL = 100000 };

static struct entry {
    int64_t deadline;
    struct raffia_op *op; /* NULL: cancelled */
} model[MODEL];

static const struct entry *sorted[MODEL];

static int compare(const void *a, const void *b)
{
    const struct entry *x = *(const struct entry *const *)a, *y = *(const struct entry *const *)b;
    if (x->deadline != y->deadline) return x->deadline < y->deadline ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Delays of all orders of magnitude, with equal ones among them. */
static int64_t random_deadline(void)
{
    int64_t most = (int64_t)1 << check_random(43);
    return START +
           (int64_t)((uint64_t)check_random(UINT32_MAX) * check_random(1000) % (uint64_t)most);
}

/* All that are due, and no others, in the model's order. From which of the sorted ones to go on. */
static size_t expire_as_sorted(size_t next)
{
    for (struct raffia_op *op; (op = raffia_timers_expire(&timers, now)); next++) {
        while (!sorted[next]->op)
            next++;
        CHECK(sorted[next]->op == op);
        CHECK(op->deadline <= now);
        model[op->data].op = NULL;
        raffia_ops_release(&ops, op);
    }
    while (next < MODEL && !sorted[next]->op)
        next++;
    CHECK(next == MODEL || sorted[next]->deadline > now);
    CHECK(raffia_timers_next(&timers) <= (next < MODEL ? sorted[next]->deadline : INT64_MAX));
    CHECK(raffia_timers_next(&timers) > now);
    return next;
}

static void hundred_thousand_timers_half_of_them_cancelled(void)
{
    begin();
    for (size_t i = 0; i < MODEL; i++) {
        model[i].deadline = random_deadline();
        model[i].op = add(model[i].deadline, i);
        sorted[i] = &model[i];
    }
    qsort(sorted, MODEL, sizeof(*sorted), compare);
    size_t next = 0, cancelled = 0;
    for (int64_t step = 1; next < MODEL; now += step = step * 11 / 10 + 1) {
        next = expire_as_sorted(next);
        for (int i = 0; i < 2000 && cancelled < MODEL / 2; i++) {
            struct entry *entry = &model[check_random(MODEL)];
            if (!entry->op) continue;
            drop(entry->op);
            entry->op = NULL;
            cancelled++;
        }
    }
    CHECK(timers.moves <= (uint64_t)MODEL * RAFFIA_TIMER_LEVELS);
    end();
}

int main(void)
{
    static const struct check_test tests[] = {
        TEST(a_timer_expires_at_its_deadline_to_the_nanosecond),
        TEST(what_is_past_expires_at_once_and_in_order),
        TEST(the_end_of_time_is_a_deadline_too),
        TEST(equal_deadlines_expire_in_the_order_of_arming),
        TEST(deadlines_of_one_tick_expire_in_their_order),
        TEST(cancelling_on_each_level),
        TEST(cancelling_in_the_heap),
        TEST(cancelling_and_arming_during_expiry),
        TEST(a_timer_that_is_cancelled_is_never_moved),
        TEST(a_timer_moves_down_once_a_level_at_most),
        TEST(a_clock_that_jumps_costs_no_more),
        TEST(a_wheel_that_was_empty_for_long_is_not_behind),
        TEST(a_clock_that_goes_back_loses_nothing),
        TEST(few_timers_need_one_wake_up_each),
        TEST(many_timers_share_a_wake_up_for_each_level),
        TEST(looking_ahead_changes_nothing),
        TEST(hundred_thousand_timers_half_of_them_cancelled),
    };
    return check_run("timers", tests, COUNT(tests));
}
