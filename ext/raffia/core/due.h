/* Ops that the loop itself has to go on with, because the back end does not have them at the moment: a queue in which each op has
 * its own links, so that adding cannot fail and taking one out costs nothing. */
#ifndef RAFFIA_DUE_H
#define RAFFIA_DUE_H

#include "op.h"

struct raffia_due {
    struct raffia_op *first, *last;
    size_t count;
    uint32_t number; /* what its ops have in `queue`, above 0 */
};

void raffia_due_init(struct raffia_due *due, uint32_t number);
void raffia_due_add(struct raffia_due *due, struct raffia_op *op);
void raffia_due_remove(struct raffia_due *due, struct raffia_op *op);
/* NULL when there is none. */
struct raffia_op *raffia_due_take(struct raffia_due *due);

#endif
