/* A queue of ops that the loop itself has to continue, because the back end does not have them at
 * the moment. Each op has its own links, so adding cannot fail and removing costs nothing. */
#ifndef RAFFIA_PENDING_QUEUE_H
#define RAFFIA_PENDING_QUEUE_H

#include "op.h"

struct raffia_pending_queue {
    struct raffia_op *first, *last;
    size_t count;
    uint32_t number; /* the `queue` of its ops, above 0 */
};

void raffia_pending_queue_init(struct raffia_pending_queue *queue, uint32_t number);
void raffia_pending_queue_add(struct raffia_pending_queue *queue, struct raffia_op *op);
void raffia_pending_queue_remove(struct raffia_pending_queue *queue, struct raffia_op *op);
/* NULL when there is none. */
struct raffia_op *raffia_pending_queue_take(struct raffia_pending_queue *queue);

#endif
