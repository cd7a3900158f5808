#include "offload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include "blocking_pool.h"
#include "loop.h"
#include "resolution.h"
#include "transfer.h"

struct offload {
    struct raffia_job job; /* first, so that a job is one of these */
    struct raffia_op *op;  /* not for the pool's thread */
    int64_t result;
    union {
        struct {
            int fd;
            void *buffer;
            size_t length;
            int64_t offset;
        } transfer;
        struct raffia_resolution *resolution;
    };
};

int raffia_offload_suits(const struct raffia_loop *loop, enum raffia_kind kind)
{
    return kind == RAFFIA_RESOLVE ||
           ((kind == RAFFIA_READ || kind == RAFFIA_WRITE) && !loop->backend->transfers);
}

static void run_read(struct raffia_job *job)
{
    struct offload *offload = (struct offload *)job;
    offload->result = raffia_read(offload->transfer.fd, offload->transfer.buffer,
                                  offload->transfer.length, offload->transfer.offset);
}

static void run_write(struct raffia_job *job)
{
    struct offload *offload = (struct offload *)job;
    offload->result = raffia_write(offload->transfer.fd, offload->transfer.buffer,
                                   offload->transfer.length, offload->transfer.offset);
}

static void run_resolution(struct raffia_job *job)
{
    struct offload *offload = (struct offload *)job;
    raffia_resolution_run(offload->resolution);
    offload->result = offload->resolution->error;
}

static void free_transfer(struct raffia_job *job)
{
    free(job);
}

static void free_resolution(struct raffia_job *job)
{
    raffia_resolution_release(((struct offload *)job)->resolution);
    free(job);
}

static int describe_transfer(struct offload *offload, const struct raffia_op *op)
{
    if (!raffia_is_file(op->fd)) return fcntl(op->fd, F_GETFD) < 0 ? -errno : -ENOTSUP;
    offload->job.run = op->kind == RAFFIA_READ ? run_read : run_write;
    offload->job.free = free_transfer;
    offload->transfer.fd = op->fd;
    offload->transfer.buffer = op->buffer;
    offload->transfer.length = op->length;
    offload->transfer.offset = op->offset;
    return 0;
}

static int describe_resolution(struct offload *offload, const struct raffia_op *op)
{
    offload->job.run = run_resolution;
    offload->job.free = free_resolution;
    offload->job.detachable = 1;
    offload->resolution = op->buffer;
    raffia_resolution_retain(offload->resolution);
    return 0;
}

int raffia_offload_submit(struct raffia_loop *loop, struct raffia_op *op)
{
    struct offload *offload = calloc(1, sizeof(*offload));
    if (!offload) return -ENOMEM;
    int failure = op->kind == RAFFIA_RESOLVE ? describe_resolution(offload, op)
                                             : describe_transfer(offload, op);
    if (failure < 0) {
        free(offload);
        return failure;
    }
    offload->op = op;
    op->job = &offload->job;
    failure = raffia_blocking_submit(&loop->client, &offload->job);
    if (failure < 0) offload->job.free(&offload->job);
    return failure;
}

int raffia_offload_cancel(struct raffia_loop *loop, struct raffia_op *op)
{
    int off = raffia_blocking_cancel(op->job);
    if (!off || op->kind == RAFFIA_RESOLVE) return off;
    raffia_loop_complete(loop, op, -ECANCELED);
    return -ENOENT;
}

void raffia_offload_collect(struct raffia_loop *loop)
{
    struct raffia_job *job;
    while ((job = raffia_blocking_take(&loop->client))) {
        struct offload *offload = (struct offload *)job;
        raffia_loop_complete(loop, offload->op, offload->result);
        job->free(job);
    }
}

static void release(struct raffia_op *op, void *loop)
{
    if (raffia_offload_suits(loop, op->kind))
        raffia_ops_release(&((struct raffia_loop *)loop)->ops, op);
}

void raffia_offload_close(struct raffia_loop *loop)
{
    raffia_client_close(&loop->client);
    raffia_ops_each(&loop->ops, release, loop);
}
