/* The contract between the loop and a way to ask the kernel.
 *
 * It is shaped for completions: an op is submitted, and later it completes. Readiness is one kind
 * of op (RAFFIA_POLL, one-shot), so a back end that only knows readiness (epoll, poll) and one that
 * knows completions (io_uring, IOCP) look the same.
 *
 * Threads and locks: every function but `wait` runs in the loop's thread with the caller's lock
 * (Ruby's GVL), so it may touch ops and the loop. `wait` runs in the same thread WITHOUT that lock:
 * it sleeps, and keeps what the kernel says in memory of its own; `reap` then turns that into
 * completions. All return 0 or more, or -errno.
 *
 *   open    Sets the back end up, or refuses with -errno and leaves nothing open. `options` are
 *           raffia_options. The loop's wake descriptor exists already; the back end watches it, and
 *           its becoming readable must end a `wait`.
 *   close   Gives everything back. `owner` is 0 in a forked child: then only memory and descriptors
 *           of this process may be released, and nothing that the kernel shares with the parent may
 *           be changed (an epoll set, a ring).
 *   submit  Takes an op. 0: it will complete, by raffia_loop_complete, once, unless it is
 *           cancelled. -errno: it will not. -ENOTSUP for a kind that the back end does not know;
 *           all but RAFFIA_READ and RAFFIA_WRITE the loop then emulates (emulate.h). A descriptor
 *           that is always ready (a regular file under epoll) completes at once with all events
 *           that were asked for. A kind that repeats (RAFFIA_ACCEPT, RAFFIA_RECEIVE) completes many
 *           times: each time but the last by raffia_loop_produce, for which raffia_loop_can_produce
 *           must have said that there is room; if there is none, the back end keeps what came, and
 *           asks in its next reap. The room for the last one is reserved.
 *   cancel  1: it is off, nothing of it will be heard of again, and the loop releases it. 0: the
 *           kernel still owns its buffer; the op will complete, with -ECANCELED or with what it had
 *           done by then. -ENOENT: to make room for the request, the back end had to take
 *           completions, and the op's was among them. -EAGAIN: a transfer that goes on as if not
 *           asked, because the kernel takes no requests at the moment.
 *   wait    Sleeps until something came, the descriptor of the wake is written, or `timeout`
 *           nanoseconds have passed; negative: no limit, 0: not at all. -EINTR is an ordinary
 *           answer.
 *   provide A buffer that the kernel had been lent is free again: back to it. NULL where none are
 *           lent.
 *   reap    Completes what `wait` found; the number of ops, which is 0 after a mere wake. */
#ifndef RAFFIA_BACKEND_H
#define RAFFIA_BACKEND_H

#include "op.h"

struct raffia_loop;

struct raffia_options {
    /* The loop may be entered by another kernel thread than the one that opened it, as a Ractor's
     * fibers are. io_uring then goes without SINGLE_ISSUER and DEFER_TASKRUN. */
    int movable;
    /* The buffers of RAFFIA_RECEIVE: how many (a power of two, at most 32768), and of how many
     * bytes. 0 is a good default. */
    uint32_t buffers, buffer_size;
};

struct raffia_backend {
    const char *name;
    /* Why this build is without it; then all other members are 0. NULL where it is there. */
    const char *absence;
    /* The name of `open` in an error. */
    const char *open_call;
    /* The usual reason of an errno, in words; "" for none. NULL where nothing is known. */
    const char *(*hint)(int error);
    /* Whether it knows RAFFIA_READ and RAFFIA_WRITE; else the blocking pool does them
     * (offload.h). */
    int transfers;
    int (*open)(struct raffia_loop *loop, const struct raffia_options *options);
    void (*close)(struct raffia_loop *loop, int owner);
    int (*submit)(struct raffia_loop *loop, struct raffia_op *op);
    int (*cancel)(struct raffia_loop *loop, struct raffia_op *op);
    int (*wait)(struct raffia_loop *loop, int64_t timeout);
    int (*reap)(struct raffia_loop *loop);
    void (*provide)(struct raffia_loop *loop, uint32_t buffer);
    size_t (*memsize)(const struct raffia_loop *loop);
};

/* All back ends, in order of preference, absent ones too; ends with NULL. */
extern const struct raffia_backend *const raffia_backends[];
/* NULL when this build has none of that name. */
const struct raffia_backend *raffia_backend_named(const char *name);
/* A sentence that says why this build has none of that name. */
const char *raffia_backend_absence(const char *name);

/* Opens the back end, sends one wake-up and (where it knows transfers) one read through it, and
 * closes it again: what a container, a seccomp filter or an old kernel refuses is found here. 0, or
 * -errno; `why` gets a sentence such as "io_uring_setup: Operation not permitted (a container or
 * sysctl ...)". */
int raffia_backend_probe(const struct raffia_backend *backend, char *why, size_t size);

#endif
