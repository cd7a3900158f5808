/* A pairing heap of timers, linked through the ops themselves: it needs no memory of its own, so
 * pushing cannot fail. The root is the earliest; of equal deadlines, the one that was armed
 * first. */
#ifndef RAFFIA_TIMER_HEAP_H
#define RAFFIA_TIMER_HEAP_H

#include "op.h"

void raffia_heap_push(struct raffia_op **root, struct raffia_op *op);
/* From anywhere in the heap. */
void raffia_heap_remove(struct raffia_op **root, struct raffia_op *op);

#endif
