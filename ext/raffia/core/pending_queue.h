/* Ops that the loop itself has to go on with, because the back end does not have them at the
 * moment: a queue in which each op has its own links, so that adding cannot fail and taking one out
 * costs nothing. */
#ifndef RAFFIA_PENDING_QUEUE_H
#define RAFFIA_PENDING_QUEUE_H

#include "op.h"

struct raffia_pending_queue {
    struct raffia_op *first, *last;
    size_t count;
    uint32_t number; /* what its ops have in `queue`, above 0 */
};

void raffia_pending_queue_init(struct raffia_pending_queue *queue, uint32_t number);
void raffia_pending_queue_add(struct raffia_pending_queue *queue, struct raffia_op *op);
void raffia_pending_queue_remove(struct raffia_pending_queue *queue, struct raffia_op *op);
/* NULL when there is none. */
struct raffia_op *raffia_pending_queue_take(struct raffia_pending_queue *queue);

#endif
