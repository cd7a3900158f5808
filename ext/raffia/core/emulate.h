/* Kinds of ops that a back end does not know, by readiness, which each knows: the loop arms a
 * RAFFIA_POLL in the op's place, and when that completes, makes the system call. So the kinds are
 * the same everywhere, and only their cost differs. */
#ifndef RAFFIA_EMULATE_H
#define RAFFIA_EMULATE_H

#include "loop.h"

/* Takes an op that the back end has refused with -ENOTSUP. 0: it will complete, or has. -ENOTSUP:
 * this kind cannot be emulated. */
int raffia_emulate(struct raffia_loop *loop, struct raffia_op *op);
/* What an op's poll has completed with. */
void raffia_emulate_ready(struct raffia_loop *loop, struct raffia_op *op, int64_t result);
/* Lets go of what the loop has opened for an op that is about to be released. */
void raffia_emulate_release(struct raffia_op *op);
/* One step for an op whose descriptor is ready, or may be. */
void raffia_emulate_step(struct raffia_loop *loop, struct raffia_op *op);
/* accept(2) reports troubles of the connection that it would have returned; the listener is all
 * right. */
int raffia_accept_is_retryable(int64_t result);

#endif
