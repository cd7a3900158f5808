/* The event loop: ops go in, completions come out. It belongs to the thread that opened it; only
 * raffia_loop_inject and raffia_loop_wake may be called by others, and not while it is being
 * closed. It also belongs to the process that opened it: in a forked child every call that does
 * something answers -ECHILD, shift finds nothing, and only raffia_loop_close works. After it has
 * been closed they answer -EBADF. */
#ifndef RAFFIA_LOOP_H
#define RAFFIA_LOOP_H

#include <sys/types.h>
#include "backend.h"
#include "blocking_pool.h"
#include "buffer.h"
#include "pending_queue.h"
#include "pulse.h"
#include "inbox.h"
#include "ready.h"
#include "timer.h"
#include "wake.h"

struct raffia_resolution;

struct raffia_metrics {
    uint64_t polls;     /* turns of the loop */
    uint64_t waits;     /* calls of the back end's wait */
    uint64_t sleeps;    /* those of them that were allowed to sleep */
    uint64_t armed;     /* ops submitted, timers included */
    uint64_t disarmed;  /* ops that were cancelled; armed = disarmed + completed + pending */
    uint64_t completed; /* ops that completed, for the last time */
    uint64_t produced;  /* completions of ops that continue */
    uint64_t starved;   /* how often a RAFFIA_RECEIVE found no free buffer */
    uint64_t injected;  /* completions that other threads sent, when the loop took them */
    uint64_t stale;     /* completions of the kernel for ops that had ended */
    uint64_t wakes;     /* how often the back end saw the wake's descriptor */
    uint64_t syscalls;  /* of the back end and the wake-up, as far as the core makes them itself */
};

struct raffia_loop {
    const struct raffia_backend *backend;
    void *state; /* the back end's own */
    pid_t owner;
    struct raffia_ops ops;
    struct raffia_timers timers;
    struct raffia_ready ready;
    struct raffia_pending_queue pending_queue; /* ops to continue in the next turn */
    struct raffia_pending_queue starved;       /* and as soon as a buffer is free */
    struct raffia_buffers buffers;
    int closing;
    struct raffia_inbox inbox;
    struct raffia_wake wake;
    struct raffia_client client; /* of the blocking pool */
    struct raffia_pulse *pulse;  /* of a thread that watches this loop, or NULL */
    struct raffia_metrics metrics;
};

/* 0 or -errno; after an error nothing needs closing. */
int raffia_loop_open(struct raffia_loop *loop, const struct raffia_backend *backend,
                     const struct raffia_options *options);
/* Idempotent. The caller has made sure that no transfer is under way; any that is, is waited for.
 * Accepted descriptors that have not been shifted are closed. */
void raffia_loop_close(struct raffia_loop *loop);
int raffia_loop_owned(const struct raffia_loop *loop);

/* Waits once for the descriptor to become ready for `events`. 0 and *id, or -errno (-EBADF, -EINVAL
 * for no events, -ENOMEM). */
int raffia_loop_arm(struct raffia_loop *loop, int fd, uint32_t events, raffia_data data,
                    raffia_id *id);
/* Reads or writes (or sends or receives, at the current position) up to `length` bytes. 0 and *id,
 * or -errno. Where the back end knows readiness only, the blocking pool reads and writes files;
 * what has readiness is refused with -ENOTSUP there, and -EAGAIN means that no thread can be
 * started. */
int raffia_loop_transfer(struct raffia_loop *loop, enum raffia_kind kind, int fd, void *buffer,
                         size_t length, int64_t offset, raffia_data data, raffia_id *id);
/* Looks the resolution's host up on the blocking pool, which has a reference of its own. 0 and *id,
 * or -errno. */
int raffia_loop_resolve(struct raffia_loop *loop, struct raffia_resolution *resolution,
                        raffia_data data, raffia_id *id);
/* A timer: completes with -ETIME after so many nanoseconds (at once when negative, in the next
 * poll). */
int raffia_loop_after(struct raffia_loop *loop, int64_t nanoseconds, raffia_data data,
                      raffia_id *id);
/* These two complete many times, with RAFFIA_MORE among the flags of all completions but the last.
 * An error or the end of the stream is the last one; so is -ECANCELED, after a disarm, which never
 * answers 1 for these kinds: what has been accepted or received by then comes before it. The
 * descriptor must be the caller's own, and stay open until then.
 *
 * Accepts connections of a listener that is O_NONBLOCK (-EINVAL when it is not). Too many open
 * files are an error like others: when there are less, accept again. */
int raffia_loop_accept(struct raffia_loop *loop, int fd, raffia_data data, raffia_id *id);
/* Receives from a connected stream, each time into a buffer of the loop's, which the caller
 * returns. It pauses while all are out. */
int raffia_loop_receive(struct raffia_loop *loop, int fd, raffia_data data, raffia_id *id);
/* The bytes of a completion's buffer, or NULL when it is not out. */
const void *raffia_loop_buffer(const struct raffia_loop *loop, uint32_t buffer);
/* 0, or -EINVAL when it is not out. */
int raffia_loop_return_buffer(struct raffia_loop *loop, uint32_t buffer);

/* Closes a descriptor that no op is waiting for. It may block (SO_LINGER, a network file system),
 * but not the loop where the kernel does it. A disarm returns 0, and it completes. */
int raffia_loop_close_descriptor(struct raffia_loop *loop, int fd, raffia_data data, raffia_id *id);
/* Completes with 0 when the child process has ended; waiting for it then does not block. -ECHILD
 * when there is no such child, -ENOSYS when this kernel has no way (before Linux 5.3). */
int raffia_loop_child(struct raffia_loop *loop, pid_t pid, raffia_data data, raffia_id *id);

/* 1: cancelled, without a completion. 0: it will complete, because the kernel still owns its
 * memory, or its kind repeats. -ENOENT: it had ended already, or its completion waits to be
 * shifted. */
int raffia_loop_disarm(struct raffia_loop *loop, raffia_id id);

/* Adds a completion of the caller's own, behind the others. */
int raffia_loop_push(struct raffia_loop *loop, raffia_data data, int64_t result);
/* The same from any thread; wakes the loop. */
int raffia_loop_inject(struct raffia_loop *loop, raffia_data data, int64_t result);
/* Ends the current or the next sleep. Any thread, any signal handler; 0 or more, or -errno. */
int raffia_loop_wake(struct raffia_loop *loop);

/* One turn, in the three steps that a caller with a lock of its own needs:
 *   prepare  (lock held)  collects timers and inbox; the nanoseconds that the loop may sleep, at
 *            most `timeout` (negative: no
 *                         limit): 0 when something is ready, RAFFIA_FOREVER when there is no limit,
 *                         -errno when there is no turn to be had. When above 0, senders know from
 *                         here on that they must wake, until finish.
 *   wait     (unlocked)   the back end's wait, for so long
 *   finish   (lock held)  completes what came, then timers and inbox; the number of completions
 *            that are ready, or -errno. A
 *                         wait that failed with -EINTR is not an error. */
#define RAFFIA_FOREVER INT64_MAX
int64_t raffia_loop_prepare(struct raffia_loop *loop, int64_t timeout);
int raffia_loop_wait(struct raffia_loop *loop, int64_t timeout);
int raffia_loop_finish(struct raffia_loop *loop, int waited);
/* All three steps, for callers without a lock. */
int raffia_loop_poll(struct raffia_loop *loop, int64_t timeout);

/* 1 and *completion, or 0 when none is ready. */
int raffia_loop_shift(struct raffia_loop *loop, struct raffia_completion *completion);
/* Ops under way, timers included. */
size_t raffia_loop_pending(const struct raffia_loop *loop);
/* A copy of the metrics. Its `syscalls` include the writes of other threads to the wake's
 * descriptor. */
struct raffia_metrics raffia_loop_metrics(const struct raffia_loop *loop);
/* Each data word the loop holds: ops, completions, inbox. */
void raffia_loop_each(struct raffia_loop *loop, void (*visit)(raffia_data *data, void *arg),
                      void *arg);
size_t raffia_loop_memsize(const struct raffia_loop *loop);

/* For back ends. */
/* Room for completions is reserved when an op is submitted, so that completing can never fail. */
void raffia_loop_complete(struct raffia_loop *loop, struct raffia_op *op, int64_t result);
/* Whether raffia_loop_produce may be called once: there is memory, and the caller is not thousands
 * of completions behind. */
int raffia_loop_can_produce(struct raffia_loop *loop);
/* Adds a completion of an op that continues. */
void raffia_loop_produce(struct raffia_loop *loop, struct raffia_op *op, int64_t result,
                         uint32_t buffer);
/* Submits a RAFFIA_RECEIVE again when a buffer is free; the back end does not have it any more. */
void raffia_loop_starve(struct raffia_loop *loop, struct raffia_op *op);

#endif
