/* Functions that only the files of the loop share. */
#ifndef RAFFIA_LOOP_INTERNAL_H
#define RAFFIA_LOOP_INTERNAL_H

#include "loop.h"

/* 0 when the loop can be used; -EBADF, -ECHILD. */
int raffia_loop_check(const struct raffia_loop *loop);
/* Acquires and submits an op that needs no more than these. */
int raffia_loop_submit(struct raffia_loop *loop, enum raffia_kind kind, int fd, pid_t pid,
                       raffia_data data, raffia_id *id);

/* Ops that the back end does not have at the moment (repeating.c). */
void raffia_repeating_init(struct raffia_loop *loop);
/* From whichever queue it is in. */
void raffia_repeating_remove(struct raffia_loop *loop, struct raffia_op *op);
/* Runs one step of each op that can continue. */
void raffia_repeating_run(struct raffia_loop *loop);
/* Whether there is such an op: then the loop must not sleep. */
int raffia_repeating_can_run(const struct raffia_loop *loop);

#endif
