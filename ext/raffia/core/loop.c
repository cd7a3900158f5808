#include "loop.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>
#include "emulate.h"
#include "fork.h"
#include "loop_internal.h"
#include "offload.h"

static const struct raffia_options no_options;

static int open_parts(struct raffia_loop *loop, const struct raffia_options *options)
{
    int failure = raffia_buffers_init(&loop->buffers, options->buffers, options->buffer_size);
    if (failure < 0) return failure;
    failure = raffia_inbox_init(&loop->inbox);
    if (failure < 0) return failure;
    failure = raffia_wake_init(&loop->wake);
    if (failure == 0) failure = loop->backend->open(loop, options);
    if (failure == 0) return 0;
    raffia_wake_close(&loop->wake);
    raffia_inbox_free(&loop->inbox);
    return failure;
}

int raffia_loop_open(struct raffia_loop *loop, const struct raffia_backend *backend,
                     const struct raffia_options *options)
{
    memset(loop, 0, sizeof(*loop));
    int failure = raffia_process_init();
    if (failure < 0) return failure;
    loop->owner = raffia_process();
    loop->backend = backend;
    raffia_ops_init(&loop->ops);
    raffia_timers_init(&loop->timers);
    raffia_ready_init(&loop->ready);
    raffia_repeating_init(loop);
    raffia_client_init(&loop->client, &loop->wake);
    failure = open_parts(loop, options ? options : &no_options);
    if (failure < 0) loop->backend = NULL;
    return failure;
}

static void drop_op(struct raffia_op *op, void *arg)
{
    (void)arg;
    raffia_emulate_release(op);
}

/* Closes descriptors that only the loop has. */
static void drop_descriptors(struct raffia_loop *loop)
{
    struct raffia_completion completion;
    raffia_ops_each(&loop->ops, drop_op, NULL);
    while (raffia_ready_shift(&loop->ready, &completion)) {
        if (completion.flags & RAFFIA_DESCRIPTOR) close((int)completion.result);
    }
}

void raffia_loop_close(struct raffia_loop *loop)
{
    if (!loop->backend) return;
    loop->closing = 1;
    raffia_offload_close(loop);
    loop->backend->close(loop, getpid() == loop->owner);
    loop->backend = NULL;
    drop_descriptors(loop);
    raffia_wake_close(&loop->wake);
    raffia_inbox_free(&loop->inbox);
    raffia_buffers_free(&loop->buffers);
    raffia_ready_free(&loop->ready);
    raffia_timers_init(&loop->timers);
    raffia_ops_free(&loop->ops);
}

int raffia_loop_owned(const struct raffia_loop *loop)
{
    return loop->owner == raffia_process();
}

static int refusal(const struct raffia_loop *loop)
{
    if (!loop->backend) return -EBADF;
    return raffia_loop_owned(loop) ? 0 : -ECHILD;
}

int raffia_loop_check(const struct raffia_loop *loop)
{
    return refusal(loop);
}

/* Each op under way has a reserved slot in the ready queue, so that its completion cannot fail. One
 * more is for ops that repeat, so that they proceed even without memory. */
static struct raffia_op *acquire(struct raffia_loop *loop, enum raffia_kind kind, raffia_data data)
{
    if (raffia_ready_reserve(&loop->ready, loop->ops.used + 2) < 0) return NULL;
    return raffia_ops_acquire(&loop->ops, kind, data);
}

static int submit(struct raffia_loop *loop, struct raffia_op *op, raffia_id *id)
{
    *id = op->id; /* before: a submission may complete at once, and then the op has its next id */
    int result = raffia_offload_suits(loop, op->kind) ? raffia_offload_submit(loop, op)
                                                      : loop->backend->submit(loop, op);
    if (result == -ENOTSUP) result = raffia_emulate(loop, op);
    if (result < 0) raffia_ops_release(&loop->ops, op);
    if (result == 0) loop->metrics.armed++;
    return result;
}

int raffia_loop_submit(struct raffia_loop *loop, enum raffia_kind kind, int fd, pid_t pid,
                       raffia_data data, raffia_id *id)
{
    struct raffia_op *op = acquire(loop, kind, data);
    if (!op) return -ENOMEM;
    op->fd = fd;
    op->pid = pid;
    return submit(loop, op, id);
}

int raffia_loop_arm(struct raffia_loop *loop, int fd, uint32_t events, raffia_data data,
                    raffia_id *id)
{
    int failure = refusal(loop);
    if (failure < 0) return failure;
    if (fd < 0) return -EBADF;
    if (events == 0 || events & ~(uint32_t)(RAFFIA_READABLE | RAFFIA_PRIORITY | RAFFIA_WRITABLE))
        return -EINVAL;
    struct raffia_op *op = acquire(loop, RAFFIA_POLL, data);
    if (!op) return -ENOMEM;
    op->fd = fd;
    op->events = events;
    return submit(loop, op, id);
}

static int transfers(enum raffia_kind kind, int64_t offset)
{
    switch (kind) {
    case RAFFIA_READ:
    case RAFFIA_WRITE: return offset >= RAFFIA_CURRENT_POSITION;
    case RAFFIA_SEND:
    case RAFFIA_RECV: return offset == RAFFIA_CURRENT_POSITION;
    default: return 0;
    }
}

int raffia_loop_transfer(struct raffia_loop *loop, enum raffia_kind kind, int fd, void *buffer,
                         size_t length, int64_t offset, raffia_data data, raffia_id *id)
{
    int failure = refusal(loop);
    if (failure < 0) return failure;
    if (fd < 0) return -EBADF;
    if (!transfers(kind, offset)) return -EINVAL;
    struct raffia_op *op = acquire(loop, kind, data);
    if (!op) return -ENOMEM;
    op->fd = fd;
    op->buffer = buffer;
    op->length = length;
    op->offset = offset;
    return submit(loop, op, id);
}

int raffia_loop_resolve(struct raffia_loop *loop, struct raffia_resolution *resolution,
                        raffia_data data, raffia_id *id)
{
    int failure = refusal(loop);
    if (failure < 0) return failure;
    struct raffia_op *op = acquire(loop, RAFFIA_RESOLVE, data);
    if (!op) return -ENOMEM;
    op->buffer = resolution;
    return submit(loop, op, id);
}

static int64_t later(int64_t now, int64_t nanoseconds)
{
    if (nanoseconds <= 0) return now;
    return nanoseconds > INT64_MAX - now ? INT64_MAX : now + nanoseconds;
}

int raffia_loop_after(struct raffia_loop *loop, int64_t nanoseconds, raffia_data data,
                      raffia_id *id)
{
    int failure = refusal(loop);
    if (failure < 0) return failure;
    struct raffia_op *op = acquire(loop, RAFFIA_TIMER, data);
    if (!op) return -ENOMEM;
    int64_t now = raffia_now();
    op->deadline = later(now, nanoseconds);
    raffia_timers_add(&loop->timers, op, now);
    *id = op->id;
    loop->metrics.armed++;
    return 0;
}

/* To make room for the request, a back end may have to take completions, one of which may put the
 * op into a queue. */
static int cancel_request(struct raffia_loop *loop, struct raffia_op *op)
{
    raffia_id id = op->id;
    int result = op->queue ? 1 : loop->backend->cancel(loop, op);
    if (op->id != id || !op->queue) return result;
    raffia_repeating_remove(loop, op);
    return 1;
}

static int cancel(struct raffia_loop *loop, struct raffia_op *op)
{
    if (op->cancelled) return 0;
    if (raffia_offload_suits(loop, op->kind)) return raffia_offload_cancel(loop, op);
    if (op->kind != RAFFIA_TIMER) return cancel_request(loop, op);
    raffia_timers_remove(&loop->timers, op);
    return 1;
}

static int take_off(struct raffia_loop *loop, struct raffia_op *op)
{
    raffia_emulate_release(op);
    if (raffia_kind_repeats(op->kind)) {
        raffia_loop_complete(loop, op, -ECANCELED);
        return 0;
    }
    raffia_ops_release(&loop->ops, op);
    loop->metrics.disarmed++;
    return 1;
}

int raffia_loop_disarm(struct raffia_loop *loop, raffia_id id)
{
    int failure = refusal(loop);
    if (failure < 0) return failure;
    struct raffia_op *op = raffia_ops_find(&loop->ops, id);
    if (!op) return -ENOENT;
    int result = cancel(loop, op);
    if (result == 1) return take_off(loop, op);
    if (result == 0) op->cancelled = 1;
    return result;
}

int raffia_loop_push(struct raffia_loop *loop, raffia_data data, int64_t result)
{
    int failure = refusal(loop);
    if (failure < 0) return failure;
    failure = raffia_ready_reserve(&loop->ready, loop->ops.used + 2);
    return failure < 0 ? failure : raffia_ready_push(&loop->ready, data, result);
}

int raffia_loop_inject(struct raffia_loop *loop, raffia_data data, int64_t result)
{
    int failure = refusal(loop);
    if (failure < 0) return failure;
    failure = raffia_inbox_push(&loop->inbox, data, result);
    if (failure < 0) return failure;
    failure = raffia_wake_signal(&loop->wake);
    return failure < 0 ? failure : 0;
}

int raffia_loop_wake(struct raffia_loop *loop)
{
    int failure = refusal(loop);
    return failure < 0 ? failure : raffia_wake_request(&loop->wake);
}

void raffia_loop_complete(struct raffia_loop *loop, struct raffia_op *op, int64_t result)
{
    if (op->emulates) {
        raffia_emulate_ready(loop, op, result);
        return;
    }
    raffia_ready_push(&loop->ready, op->data, result);
    raffia_ops_release(&loop->ops, op);
    loop->metrics.completed++;
}

/* The time, if there is any timer. */
static int64_t look_at_clock(const struct raffia_loop *loop)
{
    return loop->timers.count > 0 ? raffia_now() : 0;
}

static int collect(struct raffia_loop *loop, int64_t now)
{
    for (struct raffia_op *op; (op = raffia_timers_expire(&loop->timers, now));)
        raffia_loop_complete(loop, op, -ETIME);
    raffia_offload_collect(loop);
    int taken = raffia_inbox_take(&loop->inbox, &loop->ready, loop->ops.used + 1);
    if (taken < 0) return taken;
    loop->metrics.injected += (uint64_t)taken;
    return loop->ready.count > INT_MAX ? INT_MAX : (int)loop->ready.count;
}

/* How long the loop may sleep: until the next timer, `timeout` at most. */
static int64_t limit(const struct raffia_loop *loop, int64_t now, int64_t timeout)
{
    int64_t result = timeout < 0 ? RAFFIA_FOREVER : timeout;
    if (raffia_repeating_can_run(loop)) return 0;
    int64_t next = raffia_timers_next(&loop->timers);
    return next != INT64_MAX && next - now < result ? next - now : result;
}

int64_t raffia_loop_prepare(struct raffia_loop *loop, int64_t timeout)
{
    int result = refusal(loop);
    if (result < 0) return result;
    loop->metrics.polls++;
    raffia_repeating_run(loop);
    int64_t now = look_at_clock(loop);
    result = collect(loop, now);
    if (result != 0) return result < 0 ? result : 0;
    if (timeout != 0) timeout = limit(loop, now, timeout);
    if (timeout == 0 || !raffia_wake_sleep(&loop->wake)) return 0;
    /* A sender may have seen the loop awake after the inbox was emptied. */
    if (raffia_inbox_empty(&loop->inbox) && raffia_client_empty(&loop->client)) return timeout;
    raffia_wake_up(&loop->wake);
    return 0;
}

int raffia_loop_wait(struct raffia_loop *loop, int64_t timeout)
{
    int failure = refusal(loop);
    if (failure < 0) return failure;
    loop->metrics.waits++;
    if (timeout != 0) loop->metrics.sleeps++;
    struct raffia_pulse *pulse = loop->pulse;
    if (pulse && timeout != 0) raffia_pulse_pause(pulse);
    int found = loop->backend->wait(loop, timeout == RAFFIA_FOREVER ? -1 : timeout);
    if (pulse) raffia_pulse_beat(pulse);
    return found;
}

int raffia_loop_finish(struct raffia_loop *loop, int waited)
{
    int failure = refusal(loop);
    if (failure < 0) return failure;
    raffia_wake_up(&loop->wake);
    if (waited < 0 && waited != -EINTR) return waited;
    int reaped = loop->backend->reap(loop);
    if (reaped < 0) return reaped;
    raffia_repeating_run(loop);
    return collect(loop, look_at_clock(loop));
}

int raffia_loop_poll(struct raffia_loop *loop, int64_t timeout)
{
    int64_t sleep = raffia_loop_prepare(loop, timeout);
    return sleep < 0 ? (int)sleep : raffia_loop_finish(loop, raffia_loop_wait(loop, sleep));
}

int raffia_loop_shift(struct raffia_loop *loop, struct raffia_completion *completion)
{
    return refusal(loop) < 0 ? 0 : raffia_ready_shift(&loop->ready, completion);
}

size_t raffia_loop_pending(const struct raffia_loop *loop)
{
    return loop->ops.used;
}

struct raffia_metrics raffia_loop_metrics(const struct raffia_loop *loop)
{
    struct raffia_metrics metrics = loop->metrics;
    metrics.syscalls += atomic_load_explicit(&loop->wake.writes, memory_order_relaxed);
    return metrics;
}

struct visitor {
    void (*visit)(raffia_data *data, void *arg);
    void *arg;
};

static void visit_op(struct raffia_op *op, void *arg)
{
    struct visitor *visitor = arg;
    visitor->visit(&op->data, visitor->arg);
}

void raffia_loop_each(struct raffia_loop *loop, void (*visit)(raffia_data *data, void *arg),
                      void *arg)
{
    struct visitor visitor = {visit, arg};
    if (!loop->backend) return;
    raffia_ops_each(&loop->ops, visit_op, &visitor);
    raffia_ready_each(&loop->ready, visit, arg);
    /* In a forked child the lock may belong to a thread that does not exist, and these completions
     * will never be taken. */
    if (raffia_loop_owned(loop)) raffia_inbox_each(&loop->inbox, visit, arg);
}

size_t raffia_loop_memsize(const struct raffia_loop *loop)
{
    if (!loop->backend) return 0;
    return raffia_ops_memsize(&loop->ops) + raffia_ready_memsize(&loop->ready) +
           raffia_buffers_memsize(&loop->buffers) + loop->backend->memsize(loop);
}
