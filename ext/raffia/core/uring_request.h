/* What the two files of the io_uring back end share. */
#ifndef RAFFIA_URING_REQUEST_H
#define RAFFIA_URING_REQUEST_H

#include "loop.h"
#include "uring.h"

/* What the kernel knows of what came after 5.13; what it does not know is done one by one, or by
 * the loop. */
struct raffia_uring_features {
    int accepts;  /* it accepts until it is told otherwise (5.19) */
    int receives; /* the same for receiving (6.0) */
    int waits;    /* for child processes (6.7) */
};

struct raffia_uring {
    struct io_uring ring;
    struct raffia_uring_features features;
    struct io_uring_buf_ring *buffers; /* the free ones; NULL before the first receive */
    int refused;                       /* the kernel does not take buffers (before 5.19) */
    size_t
        owned; /* requests that memory or descriptors hang on, so that a close has to wait for them */
    int watching; /* the wake's descriptor is polled */
    int failure;  /* the wake's descriptor cannot be polled, and why: sleeping would be for ever */
};

struct raffia_uring_features raffia_uring_probe_features(struct io_uring *ring);
/* Whether the ring can be asked for this kind. The first receive lends the kernel the loop's
 * buffers. */
int raffia_uring_knows(struct raffia_loop *loop, enum raffia_kind kind);
/* Fills a request in. */
void raffia_uring_describe(const struct raffia_uring *state, struct io_uring_sqe *sqe,
                           const struct raffia_op *op);
/* A buffer is free again. */
void raffia_uring_provide(struct raffia_loop *loop, uint32_t buffer);
size_t raffia_uring_buffers_size(const struct raffia_loop *loop);

#endif
