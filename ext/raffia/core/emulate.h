/* Kinds of ops that a back end does not know, by readiness, which each knows. The loop arms a
 * RAFFIA_POLL in the op's place, and makes the system call when that completes. So the kinds are
 * the same everywhere, and only their cost differs. */
#ifndef RAFFIA_EMULATE_H
#define RAFFIA_EMULATE_H

#include "loop.h"

/* Takes an op that the back end has rejected with -ENOTSUP. 0: it will complete, or has. -ENOTSUP:
 * this kind cannot be emulated. */
int raffia_emulate(struct raffia_loop *loop, struct raffia_op *op);
/* Called when an op's poll has completed, with its result. */
void raffia_emulate_ready(struct raffia_loop *loop, struct raffia_op *op, int64_t result);
/* Closes what the loop has opened for an op that is about to be released. */
void raffia_emulate_release(struct raffia_op *op);
/* Runs one step of an op whose descriptor is ready, or may be. */
void raffia_emulate_step(struct raffia_loop *loop, struct raffia_op *op);
/* Whether accept(2) has reported an error of the connection that it would have returned; the
 * listener is all right. */
int raffia_accept_is_retryable(int64_t result);

#endif
