/* The timers against a list of deadlines in which the earliest is looked for one by one. */
#include "input.h"
#include "timer.h"

/* FEW: that many timers are looked at before every sleep, so the next deadline is known exactly. */
enum { MOST = 300, FEW = 8 };

static struct raffia_ops ops;
static struct raffia_timers timers;
static int64_t now;
static struct raffia_op *armed[MOST]; /* in the order of arming */
static size_t count;

static size_t earliest(void)
{
    size_t first = 0;
    for (size_t i = 1; i < count; i++) {
        if (armed[i]->deadline < armed[first]->deadline) first = i;
    }
    return first;
}

static void forget(size_t i)
{
    raffia_ops_release(&ops, armed[i]);
    count--;
    memmove(&armed[i], &armed[i + 1], (count - i) * sizeof(*armed));
}

/* A delay of any order of magnitude: a shift, and the shifted value. */
static int64_t duration(struct input *input)
{
    uint64_t shift = take(input, 1) % 48, number = take(input, 2);
    return (int64_t)(number << shift);
}

static int64_t later(int64_t nanoseconds)
{
    return nanoseconds > INT64_MAX - now ? INT64_MAX : now + nanoseconds;
}

static void arm(int64_t deadline)
{
    if (count == MOST) return;
    struct raffia_op *op = raffia_ops_acquire(&ops, RAFFIA_TIMER, 0);
    op->deadline = deadline;
    raffia_timers_add(&timers, op, now);
    armed[count++] = op;
}

static void cancel(size_t i)
{
    if (i >= count) return;
    raffia_timers_remove(&timers, armed[i]);
    forget(i);
}

static void expire(size_t most)
{
    for (; most > 0; most--) {
        struct raffia_op *op = raffia_timers_expire(&timers, now);
        size_t first = earliest();
        if (!op) {
            MUST(count == 0 || armed[first]->deadline > now);
            MUST(raffia_timers_next(&timers) > now || count == 0 || now == INT64_MAX);
            return;
        }
        MUST(count > 0 && op == armed[first] && op->deadline <= now);
        forget(first);
    }
}

static void check_next(void)
{
    int64_t next = raffia_timers_next(&timers),
            first = count > 0 ? armed[earliest()]->deadline : INT64_MAX;
    MUST(timers.count == count && ops.used == count);
    MUST(next <= first);
    MUST(count > FEW || next == first);
}

static void step(struct input *input)
{
    switch (take(input, 1) % 8) {
    case 0: arm(later(duration(input))); break;
    case 1: arm(now - duration(input)); break;
    case 2: arm(count > 0 ? armed[take(input, 1) % count]->deadline : INT64_MAX); break;
    case 3: cancel(take(input, 2)); break;
    case 4: now = later(duration(input)); break;
    case 5: now -= now / 2 < 1000 ? 0 : 1000; break;
    case 6: expire(1 + take(input, 1) % 4); break;
    case 7: /* a loop's turn */
        if (count > 0 && raffia_timers_next(&timers) > now) now = raffia_timers_next(&timers);
        expire(SIZE_MAX);
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct input input = {bytes, size};
    raffia_ops_init(&ops);
    raffia_timers_init(&timers);
    count = 0;
    now = duration(&input);
    while (input.left > 0) {
        step(&input);
        check_next();
    }
    now = INT64_MAX;
    expire(SIZE_MAX);
    MUST(count == 0 && timers.levels == 0 && !timers.heap);
    raffia_ops_free(&ops);
    return 0;
}
