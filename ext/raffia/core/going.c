/* Ops that go on: what they produce on the way, and those that wait for the loop, or for a buffer, to go on. */
#include <errno.h>
#include <unistd.h>
#include "emulate.h"
#include "inside.h"

/* Completions that may wait to be shifted before ops that repeat have to wait too. */
enum { MOST_READY = 4096 };

/* The numbers of the queues. */
enum { DUE = 1, STARVED = 2 };

void raffia_going_init(struct raffia_loop *loop)
{
    raffia_due_init(&loop->due, DUE);
    raffia_due_init(&loop->starved, STARVED);
}

void raffia_going_remove(struct raffia_loop *loop, struct raffia_op *op)
{
    raffia_due_remove(op->queue == STARVED ? &loop->starved : &loop->due, op);
}

int raffia_loop_room(struct raffia_loop *loop)
{
    if (loop->closing) return 1;
    return loop->ready.count < MOST_READY && raffia_ready_reserve(&loop->ready, loop->ops.used + 1) == 0;
}

static int accepts(const struct raffia_op *op)
{
    return op->kind == RAFFIA_ACCEPT || op->emulates == RAFFIA_ACCEPT;
}

void raffia_loop_produce(struct raffia_loop *loop, struct raffia_op *op, int64_t result, uint32_t buffer)
{
    struct raffia_completion completion = {
        .data = op->data,
        .result = result,
        .buffer = buffer,
        .flags = RAFFIA_MORE | (accepts(op) ? RAFFIA_DESCRIPTOR : 0),
    };
    loop->metrics.produced++;
    if (!loop->closing)
        raffia_ready_put(&loop->ready, completion);
    else if (accepts(op))
        close((int)result);
}

void raffia_loop_starve(struct raffia_loop *loop, struct raffia_op *op)
{
    loop->metrics.starved++;
    raffia_due_add(&loop->starved, op);
}

/* As many of the starved as there are buffers; those that then find no data do not keep the others from theirs. */
static void feed(struct raffia_loop *loop)
{
    uint32_t buffers = loop->starved.count ? raffia_buffers_free_count(&loop->buffers) : 0;
    for (; buffers > 0 && loop->starved.count; buffers--)
        raffia_due_add(&loop->due, raffia_due_take(&loop->starved));
}

static void go_on_with(struct raffia_loop *loop, struct raffia_op *op)
{
    if (op->emulates) {
        raffia_emulate_step(loop, op);
        return;
    }
    int failure = loop->backend->submit(loop, op);
    if (failure == -EAGAIN)
        raffia_due_add(&loop->due, op);
    else if (failure < 0)
        raffia_loop_complete(loop, op, failure);
}

void raffia_going(struct raffia_loop *loop)
{
    feed(loop);
    /* Not with those that are added meanwhile. */
    for (size_t count = loop->due.count; count > 0 && loop->due.count; count--)
        go_on_with(loop, raffia_due_take(&loop->due));
}

int raffia_going_can(const struct raffia_loop *loop)
{
    return loop->due.count > 0 || (loop->starved.count > 0 && raffia_buffers_free_count(&loop->buffers) > 0);
}
