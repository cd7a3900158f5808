/* Ops that continue: their completions on the way, and those that wait for the loop, or for a
 * buffer. */
#include <errno.h>
#include <unistd.h>
#include "emulate.h"
#include "loop_internal.h"

/* Completions that may wait to be shifted before repeating ops have to wait too. */
enum { MAX_READY = 4096 };

/* Numbers of the queues. */
enum { PENDING = 1, STARVED = 2 };

void raffia_repeating_init(struct raffia_loop *loop)
{
    raffia_pending_queue_init(&loop->pending_queue, PENDING);
    raffia_pending_queue_init(&loop->starved, STARVED);
}

void raffia_repeating_remove(struct raffia_loop *loop, struct raffia_op *op)
{
    raffia_pending_queue_remove(op->queue == STARVED ? &loop->starved : &loop->pending_queue, op);
}

int raffia_loop_can_produce(struct raffia_loop *loop)
{
    if (loop->closing) return 1;
    return loop->ready.count < MAX_READY &&
           raffia_ready_reserve(&loop->ready, loop->ops.used + 1) == 0;
}

static int accepts(const struct raffia_op *op)
{
    return op->kind == RAFFIA_ACCEPT || op->emulates == RAFFIA_ACCEPT;
}

void raffia_loop_produce(struct raffia_loop *loop, struct raffia_op *op, int64_t result,
                         uint32_t buffer)
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
    raffia_pending_queue_add(&loop->starved, op);
}

/* Continues as many starved ops as there are buffers; those that find no data do not keep the
 * others from theirs. */
static void feed(struct raffia_loop *loop)
{
    uint32_t buffers = loop->starved.count ? raffia_buffers_free_count(&loop->buffers) : 0;
    for (; buffers > 0 && loop->starved.count; buffers--)
        raffia_pending_queue_add(&loop->pending_queue, raffia_pending_queue_take(&loop->starved));
}

static void continue_op(struct raffia_loop *loop, struct raffia_op *op)
{
    if (op->emulates) {
        raffia_emulate_step(loop, op);
        return;
    }
    int failure = loop->backend->submit(loop, op);
    if (failure == -EAGAIN)
        raffia_pending_queue_add(&loop->pending_queue, op);
    else if (failure < 0)
        raffia_loop_complete(loop, op, failure);
}

void raffia_repeating_run(struct raffia_loop *loop)
{
    feed(loop);
    /* Without those that are added meanwhile. */
    for (size_t count = loop->pending_queue.count; count > 0 && loop->pending_queue.count; count--)
        continue_op(loop, raffia_pending_queue_take(&loop->pending_queue));
}

int raffia_repeating_can_run(const struct raffia_loop *loop)
{
    return loop->pending_queue.count > 0 ||
           (loop->starved.count > 0 && raffia_buffers_free_count(&loop->buffers) > 0);
}
