/* Shared by the two files of the io_uring back end. */
#ifndef RAFFIA_URING_REQUEST_H
#define RAFFIA_URING_REQUEST_H

#include "loop.h"
#include "uring.h"

/* Features of kernels after 5.13; without them ops are requested one by one, or emulated by the
 * loop. */
struct raffia_uring_features {
    int accepts;  /* accepts repeatedly (5.19) */
    int receives; /* receives repeatedly (6.0) */
    int waits;    /* for child processes (6.7) */
};

struct raffia_uring {
    struct io_uring ring;
    struct raffia_uring_features features;
    struct io_uring_buf_ring *buffers; /* the free ones; NULL before the first receive */
    int refused;                       /* the kernel does not take buffers (before 5.19) */
    size_t owned; /* requests with memory or descriptors, for which a close has to wait */
    int watching; /* the wake's descriptor is polled */
    int failure;  /* why the wake's descriptor cannot be polled: a sleep would never end */
};

struct raffia_uring_features raffia_uring_probe_features(struct io_uring *ring);
/* Whether the ring supports this kind. The first receive lends the kernel the loop's buffers. */
int raffia_uring_knows(struct raffia_loop *loop, enum raffia_kind kind);
/* Fills a request in. */
void raffia_uring_describe(const struct raffia_uring *state, struct io_uring_sqe *sqe,
                           const struct raffia_op *op);
/* A buffer is free again. */
void raffia_uring_provide(struct raffia_loop *loop, uint32_t buffer);
size_t raffia_uring_buffers_size(const struct raffia_loop *loop);

#endif
