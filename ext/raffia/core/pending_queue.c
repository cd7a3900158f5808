#include "pending_queue.h"

void raffia_pending_queue_init(struct raffia_pending_queue *queue, uint32_t number)
{
    *queue = (struct raffia_pending_queue){.number = number};
}

void raffia_pending_queue_add(struct raffia_pending_queue *queue, struct raffia_op *op)
{
    op->queue = queue->number & 3;
    op->next = NULL;
    op->previous = queue->last;
    if (queue->last)
        queue->last->next = op;
    else
        queue->first = op;
    queue->last = op;
    queue->count++;
}

void raffia_pending_queue_remove(struct raffia_pending_queue *queue, struct raffia_op *op)
{
    if (op->previous)
        op->previous->next = op->next;
    else
        queue->first = op->next;
    if (op->next)
        op->next->previous = op->previous;
    else
        queue->last = op->previous;
    op->queue = 0;
    queue->count--;
}

struct raffia_op *raffia_pending_queue_take(struct raffia_pending_queue *queue)
{
    struct raffia_op *op = queue->first;
    if (op) raffia_pending_queue_remove(queue, op);
    return op;
}
