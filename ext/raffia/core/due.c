#include "due.h"

void raffia_due_init(struct raffia_due *due, uint32_t number)
{
    *due = (struct raffia_due){.number = number};
}

void raffia_due_add(struct raffia_due *due, struct raffia_op *op)
{
    op->queue = due->number & 3;
    op->next = NULL;
    op->previous = due->last;
    if (due->last)
        due->last->next = op;
    else
        due->first = op;
    due->last = op;
    due->count++;
}

void raffia_due_remove(struct raffia_due *due, struct raffia_op *op)
{
    if (op->previous)
        op->previous->next = op->next;
    else
        due->first = op->next;
    if (op->next)
        op->next->previous = op->previous;
    else
        due->last = op->previous;
    op->queue = 0;
    due->count--;
}

struct raffia_op *raffia_due_take(struct raffia_due *due)
{
    struct raffia_op *op = due->first;
    if (op) raffia_due_remove(due, op);
    return op;
}
