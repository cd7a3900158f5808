/* Ops that a thread of the blocking pool does, because the back end cannot: the loop's side of the
 * pool. */
#ifndef RAFFIA_OFFLOAD_H
#define RAFFIA_OFFLOAD_H

#include "op.h"

struct raffia_loop;

/* Whether it is one of those. */
int raffia_offload_suits(const struct raffia_loop *loop, enum raffia_kind kind);
/* As a back end's submit. -ENOTSUP for transfers on what has readiness: a thread would wait there
 * for as long as the other side likes, and cannot be called back. */
int raffia_offload_submit(struct raffia_loop *loop, struct raffia_op *op);
/* As a back end's cancel. A transfer always completes, so that its buffer has one way back: -ENOENT
 * says that it has, just now and with -ECANCELED. */
int raffia_offload_cancel(struct raffia_loop *loop, struct raffia_op *op);
/* Completes what has ended. */
void raffia_offload_collect(struct raffia_loop *loop);
/* No buffer is in use when this returns, and the ops are released. */
void raffia_offload_close(struct raffia_loop *loop);

#endif
