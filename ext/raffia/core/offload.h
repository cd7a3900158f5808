/* Ops that the blocking pool runs, because the back end cannot: the loop's side of the pool. */
#ifndef RAFFIA_OFFLOAD_H
#define RAFFIA_OFFLOAD_H

#include "op.h"

struct raffia_loop;

/* Whether the pool runs this kind. */
int raffia_offload_suits(const struct raffia_loop *loop, enum raffia_kind kind);
/* Like a back end's submit. -ENOTSUP for transfers on descriptors with readiness: a thread would
 * wait there for as long as the peer likes, and cannot be cancelled. */
int raffia_offload_submit(struct raffia_loop *loop, struct raffia_op *op);
/* Like a back end's cancel. A transfer always completes, so that its buffer comes back in one way:
 * -ENOENT means that it just has, with -ECANCELED. */
int raffia_offload_cancel(struct raffia_loop *loop, struct raffia_op *op);
/* Completes what has ended. */
void raffia_offload_collect(struct raffia_loop *loop);
/* No buffer is in use when this returns, and the ops are released. */
void raffia_offload_close(struct raffia_loop *loop);

#endif
