/* The table of ops against a list of those in use and of all ids that there have been. */
#include "input.h"
#include "op.h"

enum { MOST = 300 };

static struct raffia_ops ops;
static struct raffia_op *held[MOST];
static raffia_id ids[MOST], stale[MOST];
static size_t count, stale_count;

static void acquire(raffia_data data)
{
    if (count == MOST) return;
    struct raffia_op *op = raffia_ops_acquire(&ops, RAFFIA_POLL, data);
    MUST(op && op->id != 0 && op->data == data && op->kind == RAFFIA_POLL && op->fd == -1 &&
         !op->cancelled);
    for (size_t i = 0; i < count; i++)
        MUST(held[i] != op && ids[i] != op->id);
    for (size_t i = 0; i < stale_count; i++)
        MUST(stale[i] != op->id);
    held[count] = op;
    ids[count++] = op->id;
}

static void release(size_t i)
{
    if (count == 0) return;
    i %= count;
    if (stale_count < MOST) stale[stale_count++] = ids[i];
    raffia_ops_release(&ops, held[i]);
    count--;
    held[i] = held[count];
    ids[i] = ids[count];
}

static void find(raffia_id id)
{
    struct raffia_op *expected = NULL;
    for (size_t i = 0; i < count; i++) {
        if (ids[i] == id) expected = held[i];
    }
    MUST(raffia_ops_find(&ops, id) == expected);
}

static void visit(struct raffia_op *op, void *arg)
{
    size_t *visits = arg;
    ++*visits;
    MUST(raffia_ops_find(&ops, op->id) == op);
}

static void visit_all(void)
{
    size_t visits = 0;
    raffia_ops_each(&ops, visit, &visits);
    MUST(visits == count);
}

static void step(struct input *input)
{
    switch (take(input, 1) % 8) {
    case 0: acquire(take(input, 1)); break;
    case 1: /* blocks are to be filled, too */
        for (uint64_t i = take(input, 1); i > 0; i--)
            acquire(i);
        break;
    case 2: release(take(input, 2)); break;
    case 3:
        for (uint64_t i = take(input, 1); i > 0; i--)
            release(i * 7);
        break;
    case 4: find(count > 0 ? ids[take(input, 2) % count] : 0); break;
    case 5: find(stale_count > 0 ? stale[take(input, 2) % stale_count] : 0); break;
    case 6: /* any id, and likely ones: of slots that are free, and will be used */
        find(take(input, 8));
        find(take(input, 1) | (1 + take(input, 1) % 4) << 32);
        break;
    case 7: visit_all(); break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct input input = {bytes, size};
    raffia_ops_init(&ops);
    count = stale_count = 0;
    while (input.left > 0) {
        step(&input);
        MUST(ops.used == count);
    }
    for (size_t i = 0; i < count; i++)
        MUST(held[i]->id == ids[i]); /* where it was */
    visit_all();
    raffia_ops_free(&ops);
    return 0;
}
