/* What the files of the loop have in common; nobody else's. */
#ifndef RAFFIA_LOOP_INTERNAL_H
#define RAFFIA_LOOP_INTERNAL_H

#include "loop.h"

/* Why the loop does nothing for the caller: -EBADF, -ECHILD, or 0 when it does. */
int raffia_loop_check(const struct raffia_loop *loop);
/* Acquires and submits an op that needs no more than these. */
int raffia_loop_submit(struct raffia_loop *loop, enum raffia_kind kind, int fd, pid_t pid,
                       raffia_data data, raffia_id *id);

/* Ops that the back end does not have at the moment (repeating.c). */
void raffia_repeating_init(struct raffia_loop *loop);
/* Out of whichever queue. */
void raffia_repeating_remove(struct raffia_loop *loop, struct raffia_op *op);
/* One step for each that can be gone on with. */
void raffia_repeating_run(struct raffia_loop *loop);
/* Whether there is such a one, so that the loop must not sleep. */
int raffia_repeating_can_run(const struct raffia_loop *loop);

#endif
