/* io_uring: requests are collected in a ring that the kernel shares, and go to it together with the
 * next wait. The user_data of a request is the id of its op, so an answer that comes after the op
 * has ended finds nothing, and is counted as stale. */
#ifdef HAVE_LIBURING
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include "emulate.h"
#include "uring_request.h"

/* Not ids: those begin with generation 1. */
enum { IGNORED = 0, WAKE = 1 };

/* 256 requests of 64 bytes, and more answers than that: several thousand polls may fire at once,
 * and an overflow costs a call. */
enum { REQUESTS = 256, ANSWERS = 4096 };

/* The best flags that the kernel knows first. DEFER_TASKRUN (6.1) completes requests in our own
 * wait instead of an interrupt; COOP_TASKRUN (5.19) at least in some system call of ours. The flag
 * tells without a call that there is such work. */
static const unsigned setups[] = {
    IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_TASKRUN_FLAG |
        IORING_SETUP_SUBMIT_ALL,
    IORING_SETUP_COOP_TASKRUN | IORING_SETUP_TASKRUN_FLAG | IORING_SETUP_SUBMIT_ALL,
    IORING_SETUP_SUBMIT_ALL,
    0,
};

static int set_up(struct io_uring *ring, int movable)
{
    int failure = -EINVAL;
    for (size_t i = movable ? 1 : 0; failure == -EINVAL && i < sizeof(setups) / sizeof(*setups);
         i++) {
        struct io_uring_params params = {
            .flags = setups[i] | IORING_SETUP_CLAMP | IORING_SETUP_CQSIZE,
            .cq_entries = ANSWERS,
        };
        failure = io_uring_queue_init_params(REQUESTS, ring, &params);
    }
    if (failure < 0) return failure;
    /* Completions that are never dropped (5.5), and sleeps with a limit that need no request of
     * their own (5.11). */
    if ((ring->features & IORING_FEAT_NODROP) && (ring->features & IORING_FEAT_EXT_ARG)) return 0;
    io_uring_queue_exit(ring);
    return -EOPNOTSUPP;
}

static int uring_open(struct raffia_loop *loop, const struct raffia_options *options)
{
    struct raffia_uring *state = loop->state = calloc(1, sizeof(*state));
    if (!state) return -ENOMEM;
    int failure = set_up(&state->ring, options->movable);
    if (failure == 0) {
        state->features = raffia_uring_probe_features(&state->ring);
        return 0;
    }
    free(state);
    loop->state = NULL;
    return failure;
}

static int submit_all(struct raffia_loop *loop)
{
    struct raffia_uring *state = loop->state;
    loop->metrics.syscalls++;
    return io_uring_submit(&state->ring);
}

/* A slot for a request. When the ring is full, the kernel gets its requests. NULL when it takes
 * none at the moment. */
static struct io_uring_sqe *place(struct raffia_loop *loop)
{
    struct raffia_uring *state = loop->state;
    struct io_uring_sqe *sqe = io_uring_get_sqe(&state->ring);
    if (sqe || submit_all(loop) <= 0) return sqe;
    return io_uring_get_sqe(&state->ring);
}

static int drain(struct raffia_loop *loop);

/* The same where completions may be taken to make room: a kernel without room for more of them
 * takes no requests. */
static struct io_uring_sqe *make_place(struct raffia_loop *loop)
{
    struct io_uring_sqe *sqe = place(loop);
    if (sqe) return sqe;
    drain(loop);
    return place(loop);
}

/* The other ops own nothing, and completions that come after they were cancelled are stale. */
static int owns(const struct raffia_op *op)
{
    return op->kind != RAFFIA_POLL && op->kind != RAFFIA_CHILD;
}

static int uring_submit(struct raffia_loop *loop, struct raffia_op *op)
{
    struct raffia_uring *state = loop->state;
    if (!raffia_uring_knows(loop, op->kind)) return -ENOTSUP;
    struct io_uring_sqe *sqe = make_place(loop);
    if (!sqe) return -EAGAIN;
    raffia_uring_describe(state, sqe, op);
    if (owns(op)) state->owned++;
    return 0;
}

static void describe_cancel(struct raffia_loop *loop, struct io_uring_sqe *sqe, raffia_id id)
{
    struct raffia_uring *state = loop->state;
    io_uring_prep_cancel64(sqe, id, 0);
    io_uring_sqe_set_data64(sqe, IGNORED);
    if (state->ring.features & IORING_FEAT_CQE_SKIP) sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
}

static int uring_cancel(struct raffia_loop *loop, struct raffia_op *op)
{
    raffia_id id = op->id;
    /* A close that has begun must end. */
    if (op->kind == RAFFIA_CLOSE) return 0;
    struct io_uring_sqe *sqe = make_place(loop);
    if (op->id != id) return -ENOENT;
    if (sqe) describe_cancel(loop, sqe, id);
    if (!owns(op)) return 1;
    return sqe ? 0 : -EAGAIN;
}

/* Multishot (5.13): stays until the kernel ends it, and reports each write once, so the descriptor
 * need not be read. */
static int watch_wake(struct raffia_loop *loop)
{
    struct raffia_uring *state = loop->state;
    struct io_uring_sqe *sqe = state->watching ? NULL : place(loop);
    if (!sqe) return state->watching ? 0 : -EAGAIN;
    io_uring_prep_poll_multishot(sqe, loop->wake.fd, POLLIN);
    io_uring_sqe_set_data64(sqe, WAKE);
    state->watching = 1;
    return 0;
}

/* The kernel has completions outside of the ring: too many, or work to be done in a call of
 * ours. */
static int holds_back(const struct io_uring *ring)
{
    return (IO_URING_READ_ONCE(*ring->sq.kflags) & (IORING_SQ_CQ_OVERFLOW | IORING_SQ_TASKRUN)) !=
           0;
}

/* Submits requests, and fetches answers if there are any. */
static int exchange(struct raffia_loop *loop)
{
    struct raffia_uring *state = loop->state;
    if (io_uring_sq_ready(&state->ring) == 0 && !holds_back(&state->ring)) return 0;
    loop->metrics.syscalls++;
    return io_uring_submit_and_get_events(&state->ring);
}

static int sleep_for(struct raffia_loop *loop, int64_t timeout)
{
    struct raffia_uring *state = loop->state;
    struct io_uring_cqe *cqe;
    /* Always with a limit, even one of three hundred years: if a signal comes after requests have
     * been submitted, the call reports those, and without a limit liburing would sleep again. */
    if (timeout < 0) timeout = INT64_MAX;
    struct __kernel_timespec time = {.tv_sec = timeout / 1000000000,
                                     .tv_nsec = timeout % 1000000000};
    loop->metrics.syscalls++;
    return io_uring_submit_and_wait_timeout(&state->ring, &cqe, 1, &time, NULL);
}

/* EAGAIN: no memory for requests now. EBUSY: completions must be taken first. The requests are
 * still in the ring. */
static int ordinary(int result)
{
    return result > 0 || result == -ETIME || result == -EAGAIN || result == -EBUSY ? 0 : result;
}

static int uring_wait(struct raffia_loop *loop, int64_t timeout)
{
    struct raffia_uring *state = loop->state;
    if (state->failure) return state->failure;
    int asleep = timeout != 0 && io_uring_cq_ready(&state->ring) == 0;
    if (asleep && watch_wake(loop) < 0) asleep = 0;
    return ordinary(asleep ? sleep_for(loop, timeout) : exchange(loop));
}

/* The first answer that has not been taken; NULL when there is none. */
static const struct io_uring_cqe *next(struct io_uring *ring)
{
    unsigned head;
    struct io_uring_cqe *cqe;
    io_uring_for_each_cqe(ring, head, cqe) return cqe;
    return NULL;
}

static void answer_wake(struct raffia_loop *loop, const struct io_uring_cqe *cqe)
{
    struct raffia_uring *state = loop->state;
    if (!(cqe->flags & IORING_CQE_F_MORE)) state->watching = 0;
    if (cqe->res >= 0)
        loop->metrics.wakes++;
    else if (cqe->res != -ECANCELED) /* see taken_along() */
        state->failure = cqe->res == -EINVAL ? -EOPNOTSUPP : cqe->res;
}

static int64_t events(const struct raffia_op *op, int reported)
{
    if (reported < 0) return reported;
    if (reported & POLLNVAL) return -EBADF;
    if (reported & (POLLERR | POLLHUP)) return op->events;
    return (uint32_t)reported & op->events;
}

/* The kernel reports what it was woken with, and sockets wake with POLLIN and POLLPRI for all
 * input. An op that asked for urgent data gets no other event: returns the real events, or 0. */
static int urgent(struct raffia_loop *loop, const struct raffia_op *op)
{
    struct pollfd question = {.fd = op->fd, .events = (short)op->events};
    loop->metrics.syscalls++;
    return poll(&question, 1, 0) < 0 ? 0 : question.revents;
}

/* The kernel cancels a thread's requests after its end, at the moment when they would complete,
 * even though the ring and its waiters live on (options.movable). Nothing has been transferred, so
 * the request is repeated. */
static int taken_along(const struct raffia_op *op, int result)
{
    return result == -ECANCELED && (!op->cancelled || op->kind == RAFFIA_CLOSE);
}

static int repeat(struct raffia_loop *loop, const struct raffia_op *op)
{
    struct io_uring_sqe *sqe = place(loop);
    if (sqe) raffia_uring_describe(loop->state, sqe, op);
    return sqe != NULL;
}

static int answer_poll(struct raffia_loop *loop, struct raffia_op *op, int reported)
{
    if (reported > 0 && op->events & RAFFIA_PRIORITY) reported = urgent(loop, op);
    if ((reported == 0 || taken_along(op, reported)) && repeat(loop, op)) return 0;
    raffia_loop_complete(loop, op, events(op, reported));
    return 1;
}

/* Kernels before 5.19 do not wait for a listener that is O_NONBLOCK. */
static int will_not_wait(const struct raffia_op *op, int result)
{
    return result == -EAGAIN && op->kind == RAFFIA_ACCEPT;
}

static int answer_once(struct raffia_loop *loop, struct raffia_op *op, int result)
{
    struct raffia_uring *state = loop->state;
    if (taken_along(op, result) && repeat(loop, op)) return 0;
    if (owns(op)) state->owned--;
    /* A kernel worker that our cancellation interrupts answers EINTR. */
    if (op->cancelled && result == -EINTR) result = -ECANCELED;
    raffia_loop_complete(loop, op, result);
    return 1;
}

/* Whether the answer has a result; if not, it is about the request's end. */
static int brings(const struct raffia_op *op, int result)
{
    return op->kind == RAFFIA_ACCEPT ? result >= 0 : result > 0;
}

static uint32_t buffer_of(const struct io_uring_cqe *cqe)
{
    return cqe->flags & IORING_CQE_F_BUFFER ? (cqe->flags >> IORING_CQE_BUFFER_SHIFT) + 1 : 0;
}

static void deliver(struct raffia_loop *loop, struct raffia_op *op, int result, uint32_t buffer)
{
    if (buffer && !loop->closing) raffia_buffers_taken(&loop->buffers, buffer);
    raffia_loop_produce(loop, op, result, buffer);
}

/* The kernel ends requests for reasons of its own, such as a full ring of answers; the op may
 * continue with another one. */
static int may_go_on(const struct raffia_op *op, int result)
{
    if (brings(op, result) || taken_along(op, result)) return 1;
    return op->kind == RAFFIA_ACCEPT
               ? raffia_accept_is_retryable(result) || will_not_wait(op, result)
               : result == -ENOBUFS;
}

/* The loop owns it from here on. */
static void leave(struct raffia_loop *loop, struct raffia_op *op, int result)
{
    struct raffia_uring *state = loop->state;
    state->owned--;
    if (will_not_wait(op, result)) op->emulates = op->kind;
    if (op->kind == RAFFIA_RECEIVE && result == -ENOBUFS)
        raffia_loop_starve(loop, op);
    else
        raffia_pending_queue_add(&loop->pending_queue, op);
}

static int end_or_repeat(struct raffia_loop *loop, struct raffia_op *op, int result)
{
    struct raffia_uring *state = loop->state;
    int may = may_go_on(op, result);
    if (may && !op->cancelled) {
        if (result == -ENOBUFS || will_not_wait(op, result) || !repeat(loop, op))
            leave(loop, op, result);
        return 0;
    }
    state->owned--;
    raffia_loop_complete(loop, op, may ? -ECANCELED : result);
    return 1;
}

static int answer_repeating(struct raffia_loop *loop, struct raffia_op *op,
                            const struct io_uring_cqe *cqe)
{
    int brought = brings(op, cqe->res);
    uint32_t buffer = buffer_of(cqe);
    if (brought)
        deliver(loop, op, cqe->res, buffer);
    else if (buffer)
        raffia_uring_provide(loop, buffer);
    return brought + (cqe->flags & IORING_CQE_F_MORE ? 0 : end_or_repeat(loop, op, cqe->res));
}

static int answer(struct raffia_loop *loop, const struct io_uring_cqe *cqe)
{
    struct raffia_op *op = raffia_ops_find(&loop->ops, cqe->user_data);
    if (!op) {
        loop->metrics.stale++;
        return 0;
    }
    if (raffia_kind_repeats(op->kind)) return answer_repeating(loop, op, cqe);
    return op->kind == RAFFIA_POLL ? answer_poll(loop, op, cqe->res)
                                   : answer_once(loop, op, cqe->res);
}

/* An answer that is not the last needs room that is not reserved. */
static int has_to_wait(struct raffia_loop *loop, const struct io_uring_cqe *cqe)
{
    const struct raffia_op *op = raffia_ops_find(&loop->ops, cqe->user_data);
    return op && raffia_kind_repeats(op->kind) && !raffia_loop_can_produce(loop);
}

static int drain(struct raffia_loop *loop)
{
    struct raffia_uring *state = loop->state;
    const struct io_uring_cqe *first;
    int done = 0;
    while ((first = next(&state->ring)) && !has_to_wait(loop, first)) {
        struct io_uring_cqe cqe = *first;
        io_uring_cq_advance(&state->ring, 1);
        if (cqe.user_data == WAKE)
            answer_wake(loop, &cqe);
        else if (cqe.user_data != IGNORED)
            done += answer(loop, &cqe);
    }
    return done;
}

static void cancel_op(struct raffia_op *op, void *arg)
{
    if (op->kind == RAFFIA_TIMER) return;
    raffia_id id = op->id;
    uring_cancel(arg, op);
    if (op->id == id) op->cancelled = 1; /* or it would be repeated */
}

/* One step; returns whether there may be more. The kernel's flag alone does not tell: it stays set
 * when the thread that had work to do has ended. */
static int finish(struct raffia_loop *loop)
{
    struct raffia_uring *state = loop->state;
    struct io_uring *ring = &state->ring;
    int sleep = state->owned > 0 && io_uring_cq_ready(ring) == 0 && !holds_back(ring);
    int result = ordinary(sleep ? sleep_for(loop, -1) : exchange(loop));
    int came = io_uring_cq_ready(ring) > 0;
    drain(loop);
    if (result < 0 && result != -EINTR) return 0;
    return came || state->owned > 0 || io_uring_sq_ready(ring) > 0;
}

/* When this returns, the caller owns the buffers again, and the polled descriptors are released:
 * the kernel frees a closed ring later, and holds their files open until then. But a ring that this
 * thread may not enter (SINGLE_ISSUER) is left as it is. */
static void cancel_all(struct raffia_loop *loop)
{
    raffia_ops_each(&loop->ops, cancel_op, loop);
    while (finish(loop))
        continue;
}

static void uring_close(struct raffia_loop *loop, int owner)
{
    struct raffia_uring *state = loop->state;
    if (owner) cancel_all(loop);
    /* Also in a forked child: unmaps and closes this process's part, and enters nothing. */
    io_uring_queue_exit(&state->ring);
    if (state->buffers) munmap(state->buffers, raffia_uring_buffers_size(loop));
    free(state);
    loop->state = NULL;
}

static size_t uring_memsize(const struct raffia_loop *loop)
{
    const struct raffia_uring *state = loop->state;
    return sizeof(*state) + state->ring.sq.ring_sz +
           (state->buffers ? raffia_uring_buffers_size(loop) : 0) +
           state->ring.sq.ring_entries * sizeof(struct io_uring_sqe);
}

static const char *uring_hint(int error)
{
    switch (error) {
    case EPERM:
    case EACCES:
        return " (a container's seccomp filter or the sysctl kernel.io_uring_disabled forbids "
               "io_uring)";
    case ENOSYS: return " (this kernel has no io_uring, or a seccomp filter hides it)";
    case ENOMEM: return " (the limit of locked memory, ulimit -l, is too low for a ring)";
    case EOPNOTSUPP: return " (this kernel's io_uring is too old; Linux 5.13 is needed)";
    default: return "";
    }
}

const struct raffia_backend raffia_backend_uring = {
    .name = "uring",
    .open_call = "io_uring_setup",
    .hint = uring_hint,
    .transfers = 1,
    .open = uring_open,
    .close = uring_close,
    .submit = uring_submit,
    .cancel = uring_cancel,
    .wait = uring_wait,
    .reap = drain,
    .provide = raffia_uring_provide,
    .memsize = uring_memsize,
};
#else
#include "backend.h"

const struct raffia_backend raffia_backend_uring = {
    .name = "uring",
    .absence = "this build of the extension is without it: there was no liburing >= 2.3",
};
#endif
