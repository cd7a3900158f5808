/* Requests of the ring, and the buffers into which the kernel receives. */
#ifdef HAVE_LIBURING
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include "uring_request.h"

/* read(2) and write(2) transfer no more, either. */
#define LONGEST 0x7ffff000u

/* The one group of buffers that requests name. */
enum { GROUP = 0 };

/* The kernel reports an unknown multishot flag only when a request fails. Each flag is as old as an
 * operation, which can be probed. */
struct raffia_uring_features raffia_uring_probe_features(struct io_uring *ring)
{
    struct raffia_uring_features features = {0};
    struct io_uring_probe *probe = io_uring_get_probe_ring(ring);
    if (!probe) return features;
    features.accepts = io_uring_opcode_supported(probe, IORING_OP_SOCKET);
    features.receives = io_uring_opcode_supported(probe, IORING_OP_SEND_ZC);
#ifdef HAVE_URING_WAITID
    features.waits = io_uring_opcode_supported(probe, IORING_OP_WAITID);
#endif
    io_uring_free_probe(probe);
    return features;
}

static unsigned cut(size_t length)
{
    return length > LONGEST ? LONGEST : (unsigned)length;
}

/* The kernel does not wake a poll for POLLPRI alone when a socket has urgent data (up to 6.18 at
 * least); for POLLRDBAND it does, with any input. Such an answer has to be checked: see
 * urgent(). */
static unsigned mask(const struct raffia_op *op)
{
    return op->events | (op->events & RAFFIA_PRIORITY ? POLLRDBAND : 0);
}

static void add_buffer(struct raffia_loop *loop, uint32_t index, int position)
{
    struct raffia_uring *state = loop->state;
    struct raffia_buffers *buffers = &loop->buffers;
    io_uring_buf_ring_add(state->buffers, buffers->memory + (size_t)index * buffers->size,
                          buffers->size, (unsigned short)index,
                          io_uring_buf_ring_mask(buffers->count), position);
}

void raffia_uring_provide(struct raffia_loop *loop, uint32_t buffer)
{
    struct raffia_uring *state = loop->state;
    add_buffer(loop, buffer - 1, 0);
    io_uring_buf_ring_advance(state->buffers, 1);
}

size_t raffia_uring_buffers_size(const struct raffia_loop *loop)
{
    return loop->buffers.count * sizeof(struct io_uring_buf);
}

static int register_buffers(struct raffia_loop *loop, void *memory)
{
    struct raffia_uring *state = loop->state;
    struct io_uring_buf_reg registration = {
        .ring_addr = (uint64_t)(uintptr_t)memory,
        .ring_entries = loop->buffers.count,
        .bgid = GROUP,
    };
    return io_uring_register_buf_ring(&state->ring, &registration, 0);
}

/* From now on the kernel chooses the buffer, when it has data for it. */
static void lend_buffers(struct raffia_loop *loop)
{
    struct raffia_uring *state = loop->state;
    void *memory = mmap(NULL, raffia_uring_buffers_size(loop), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    state->refused = memory == MAP_FAILED || register_buffers(loop, memory) < 0;
    if (state->refused) {
        if (memory != MAP_FAILED) munmap(memory, raffia_uring_buffers_size(loop));
        return;
    }
    state->buffers = memory;
    io_uring_buf_ring_init(state->buffers);
    for (uint32_t i = 0; i < loop->buffers.count; i++)
        add_buffer(loop, i, (int)i);
    io_uring_buf_ring_advance(state->buffers, (int)loop->buffers.count);
    raffia_buffers_lend(&loop->buffers);
}

int raffia_uring_knows(struct raffia_loop *loop, enum raffia_kind kind)
{
    struct raffia_uring *state = loop->state;
    if (kind == RAFFIA_CHILD) return state->features.waits;
    if (kind != RAFFIA_RECEIVE) return 1;
    if (!state->buffers && !state->refused) lend_buffers(loop);
    return state->buffers != NULL;
}

static void describe_accept(const struct raffia_uring_features *features, struct io_uring_sqe *sqe,
                            int fd)
{
    if (features->accepts)
        io_uring_prep_multishot_accept(sqe, fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    else
        io_uring_prep_accept(sqe, fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/* The kernel takes as many bytes as the buffer has, which is what a length of 0 means. */
static void describe_receive(const struct raffia_uring_features *features, struct io_uring_sqe *sqe,
                             int fd)
{
    if (features->receives)
        io_uring_prep_recv_multishot(sqe, fd, NULL, 0, 0);
    else
        io_uring_prep_recv(sqe, fd, NULL, 0, 0);
    sqe->flags |= IOSQE_BUFFER_SELECT;
    sqe->buf_group = GROUP;
}

static void describe_child(struct io_uring_sqe *sqe, pid_t pid)
{
#ifdef HAVE_URING_WAITID
    io_uring_prep_waitid(sqe, P_PID, (id_t)pid, NULL, WEXITED | WNOWAIT, 0);
#else
    (void)sqe, (void)pid; /* knows() has said no */
#endif
}

void raffia_uring_describe(const struct raffia_uring *state, struct io_uring_sqe *sqe,
                           const struct raffia_op *op)
{
    switch (op->kind) {
    case RAFFIA_SEND:
        io_uring_prep_send(sqe, op->fd, op->buffer, cut(op->length), MSG_NOSIGNAL);
        break;
    case RAFFIA_RECV: io_uring_prep_recv(sqe, op->fd, op->buffer, cut(op->length), 0); break;
    case RAFFIA_ACCEPT: describe_accept(&state->features, sqe, op->fd); break;
    case RAFFIA_RECEIVE: describe_receive(&state->features, sqe, op->fd); break;
    case RAFFIA_CLOSE: io_uring_prep_close(sqe, op->fd); break;
    case RAFFIA_CHILD: describe_child(sqe, op->pid); break;
    case RAFFIA_READ:
        io_uring_prep_read(sqe, op->fd, op->buffer, cut(op->length), (uint64_t)op->offset);
        break;
    case RAFFIA_WRITE:
        io_uring_prep_write(sqe, op->fd, op->buffer, cut(op->length), (uint64_t)op->offset);
        break;
    default: io_uring_prep_poll_add(sqe, op->fd, mask(op));
    }
    io_uring_sqe_set_data64(sqe, op->id);
}
#else
typedef int raffia_no_uring_request; /* ISO C has no empty files */
#endif
