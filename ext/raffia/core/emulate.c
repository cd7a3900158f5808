#include "emulate.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>
#include "poll_once.h"

/* The most that one op may take in one turn, so that a busy one does not delay the others. */
enum { ACCEPTS = 16, RECEIVES = 4 };

static uint32_t direction(const struct raffia_op *op)
{
    return op->emulates == RAFFIA_SEND ? RAFFIA_WRITABLE : RAFFIA_READABLE;
}

static int watch(struct raffia_loop *loop, struct raffia_op *op)
{
    op->kind = RAFFIA_POLL;
    op->events = direction(op);
    return loop->backend->submit(loop, op);
}

static int close_now(struct raffia_loop *loop, struct raffia_op *op)
{
    loop->metrics.syscalls++;
    /* On Linux EINTR means that it is closed. */
    int result = close(op->fd) < 0 && errno != EINTR ? -errno : 0;
    raffia_loop_complete(loop, op, result);
    return 0;
}

static int watch_child(struct raffia_loop *loop, struct raffia_op *op)
{
    loop->metrics.syscalls++;
    op->fd = raffia_pidfd(op->pid);
    if (op->fd < 0) return op->fd;
    op->emulates = RAFFIA_CHILD;
    int failure = watch(loop, op);
    if (failure < 0) raffia_emulate_release(op);
    return failure;
}

int raffia_emulate(struct raffia_loop *loop, struct raffia_op *op)
{
    switch (op->kind) {
    case RAFFIA_CLOSE: return close_now(loop, op);
    case RAFFIA_CHILD: return watch_child(loop, op);
    case RAFFIA_SEND:
    case RAFFIA_RECV:
    case RAFFIA_ACCEPT:
    case RAFFIA_RECEIVE: op->emulates = op->kind; return watch(loop, op);
    default: return -ENOTSUP;
    }
}

void raffia_emulate_release(struct raffia_op *op)
{
    if (op->emulates == RAFFIA_CHILD && op->fd >= 0) close(op->fd);
    if (op->emulates) op->kind = op->emulates;
    op->emulates = RAFFIA_FREE;
}

static void finish(struct raffia_loop *loop, struct raffia_op *op, int64_t result)
{
    raffia_emulate_release(op);
    raffia_loop_complete(loop, op, result);
}

/* Later, because back ends complete while they walk their own lists, and may not be submitted to
 * meanwhile. */
void raffia_emulate_ready(struct raffia_loop *loop, struct raffia_op *op, int64_t result)
{
    if (result < 0)
        finish(loop, op, result);
    else
        raffia_pending_queue_add(&loop->pending_queue, op);
}

static void watch_again(struct raffia_loop *loop, struct raffia_op *op)
{
    int failure = watch(loop, op);
    if (failure == -EAGAIN)
        raffia_pending_queue_add(&loop->pending_queue, op);
    else if (failure < 0)
        finish(loop, op, failure);
}

int raffia_accept_is_retryable(int64_t result)
{
    switch (-result) {
    case EINTR:
    case ECONNABORTED:
    case EPROTO:
    case ENOPROTOOPT:
    case ENETDOWN:
    case ENETUNREACH:
    case EHOSTDOWN:
    case EHOSTUNREACH:
#ifdef ENONET
    case ENONET:
#endif
        return 1;
    default: return 0;
    }
}

static int64_t accept_one(struct raffia_loop *loop, const struct raffia_op *op)
{
    loop->metrics.syscalls++;
    int fd = accept4(op->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

static void accept_some(struct raffia_loop *loop, struct raffia_op *op)
{
    int64_t fd = 0;
    for (int i = 0; i < ACCEPTS && (fd >= 0 || raffia_accept_is_retryable(fd)); i++) {
        if (!raffia_loop_can_produce(loop)) {
            raffia_pending_queue_add(&loop->pending_queue, op);
            return;
        }
        fd = accept_one(loop, op);
        if (fd >= 0) raffia_loop_produce(loop, op, fd, 0);
    }
    if (fd >= 0 || fd == -EAGAIN || raffia_accept_is_retryable(fd))
        watch_again(loop, op);
    else
        finish(loop, op, fd);
}

static int64_t receive_into(struct raffia_loop *loop, int fd, void *buffer, size_t length)
{
    ssize_t count;
    loop->metrics.syscalls++;
    do
        count = recv(fd, buffer, length, MSG_DONTWAIT);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

/* Returns the bytes that it has produced; 0 at the end, or -errno. */
static int64_t receive_one(struct raffia_loop *loop, struct raffia_op *op)
{
    uint32_t buffer = raffia_buffers_take(&loop->buffers);
    if (buffer == 0) return -ENOBUFS;
    int64_t count =
        receive_into(loop, op->fd, raffia_buffers_at(&loop->buffers, buffer), loop->buffers.size);
    if (count > 0)
        raffia_loop_produce(loop, op, count, buffer);
    else
        raffia_buffers_return(&loop->buffers, buffer);
    return count;
}

static void receive_some(struct raffia_loop *loop, struct raffia_op *op)
{
    int64_t count = loop->buffers.size;
    /* A buffer that is not full: there was no more. */
    for (int i = 0; i < RECEIVES && count == loop->buffers.size; i++) {
        if (!raffia_loop_can_produce(loop)) {
            raffia_pending_queue_add(&loop->pending_queue, op);
            return;
        }
        count = receive_one(loop, op);
    }
    if (count == -ENOBUFS)
        raffia_loop_starve(loop, op);
    else if (count > 0 || count == -EAGAIN)
        watch_again(loop, op);
    else
        finish(loop, op, count);
}

static int64_t send_from(struct raffia_loop *loop, const struct raffia_op *op)
{
    ssize_t count;
    loop->metrics.syscalls++;
    do
        count = send(op->fd, op->buffer, op->length, MSG_DONTWAIT | MSG_NOSIGNAL);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

static void transfer_once(struct raffia_loop *loop, struct raffia_op *op)
{
    int64_t count = op->emulates == RAFFIA_SEND
                        ? send_from(loop, op)
                        : receive_into(loop, op->fd, op->buffer, op->length);
    if (count == -EAGAIN)
        watch_again(loop, op);
    else
        finish(loop, op, count);
}

void raffia_emulate_step(struct raffia_loop *loop, struct raffia_op *op)
{
    switch (op->emulates) {
    case RAFFIA_ACCEPT: accept_some(loop, op); break;
    case RAFFIA_RECEIVE: receive_some(loop, op); break;
    case RAFFIA_CHILD: finish(loop, op, 0); break;
    default: transfer_once(loop, op);
    }
}
