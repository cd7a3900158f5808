/* kqueue(2): macOS and the BSDs; on Linux, for the tests, through libkqueue (see extconf.rb).
 *
 * Changes are collected and go to the kernel with the next wait, so a turn is one system call. A
 * knote belongs to a descriptor and a direction, is one-shot, and disappears when the descriptor is
 * closed, so a reused number has none. A knote of a cancelled wait stays, and reports once at
 * most, to no op. */
#ifdef HAVE_KQUEUE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/event.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include "watch.h"

enum { SMALLEST = 64 };

/* Urgent data has a filter on macOS, OpenBSD and DragonFly. */
#if defined(EVFILT_EXCEPT) && defined(NOTE_OOB)
enum { KNOWN = RAFFIA_READABLE | RAFFIA_PRIORITY | RAFFIA_WRITABLE };
#else
enum { KNOWN = RAFFIA_READABLE | RAFFIA_WRITABLE };
#define EVFILT_EXCEPT EVFILT_READ /* never asked for */
#define NOTE_OOB      0
#endif

struct state {
    /* `known`: the events with a knote; `mark`: the batch of that knote. */
    struct raffia_watches watches;
    struct kevent *changes, *reports;
    int change_count, capacity; /* of both lists: each change may be answered with an error */
    int found;
    uint32_t batch;
    int fd;
};

static void kqueue_close(struct raffia_loop *loop, int owner)
{
    struct state *state = loop->state;
    /* A forked child does not inherit a kqueue: there the number is free, or another file's. */
    if (owner && state->fd >= 0) close(state->fd);
    raffia_watches_free(&state->watches);
    free(state->changes);
    free(state->reports);
    free(state);
    loop->state = NULL;
}

static int grow(struct state *state)
{
    int capacity = state->capacity ? state->capacity * 2 : SMALLEST;
    struct kevent *changes = realloc(state->changes, (size_t)capacity * sizeof(*changes));
    if (!changes) return -ENOMEM;
    state->changes = changes;
    struct kevent *reports = realloc(state->reports, (size_t)capacity * sizeof(*reports));
    if (!reports) return -ENOMEM;
    state->reports = reports;
    state->capacity = capacity;
    return 0;
}

static int reserve(struct state *state, int more)
{
    return state->change_count + more <= state->capacity ? 0 : grow(state);
}

static int kqueue_open(struct raffia_loop *loop, const struct raffia_options *options)
{
    (void)options;
    struct state *state = loop->state = calloc(1, sizeof(*state));
    if (!state) return -ENOMEM;
    state->batch = 1;
    state->fd = kqueue();
    int failure = state->fd < 0 ? -errno : grow(state);
    if (failure == 0) {
        fcntl(state->fd, F_SETFD, FD_CLOEXEC); /* some systems have no other way */
        EV_SET(&state->changes[state->change_count++], loop->wake.fd, EVFILT_READ, EV_ADD, 0, 0, 0);
    }
    if (failure < 0) kqueue_close(loop, 1);
    return failure;
}

/* One for each event; there is room for them. */
static void change(struct state *state, int fd, uint32_t events, uint16_t flags)
{
    struct kevent *next = state->changes + state->change_count;
    if (events & RAFFIA_READABLE) EV_SET(next++, fd, EVFILT_READ, flags, 0, 0, 0);
    if (events & RAFFIA_WRITABLE) EV_SET(next++, fd, EVFILT_WRITE, flags, 0, 0, 0);
    if (events & RAFFIA_PRIORITY) EV_SET(next++, fd, EVFILT_EXCEPT, flags, NOTE_OOB, 0, 0);
    state->change_count = (int)(next - state->changes);
}

/* Knotes of an earlier batch may be the last file's for libkqueue, which learns of no close. They
 * are deleted first; where there are none any more, the kernel answers ENOENT. */
static void watch_anew(struct state *state, struct raffia_watch *watch, int fd)
{
    uint32_t events = raffia_watch_events(watch) & KNOWN;
    if (watch->mark != state->batch) {
        change(state, fd, watch->known, EV_DELETE);
        watch->known = 0;
        watch->mark = state->batch;
    }
    change(state, fd, events & ~watch->known, EV_ADD | EV_ONESHOT);
    watch->known |= events;
}

/* 1 for a file that needs no wait: at its end, kqueue would wait for it to grow. 0, or -EBADF. */
static int always_ready(int fd)
{
    struct stat status;
    if (fstat(fd, &status) < 0) return -errno;
    return S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) || S_ISBLK(status.st_mode);
}

static int kqueue_submit(struct raffia_loop *loop, struct raffia_op *op)
{
    struct state *state = loop->state;
    struct raffia_watch *watch;
    if (op->kind != RAFFIA_POLL || !(op->events & KNOWN)) return -ENOTSUP;
    loop->metrics.syscalls++;
    int ready = always_ready(op->fd);
    if (ready > 0) raffia_loop_complete(loop, op, op->events);
    if (ready != 0) return ready < 0 ? ready : 0;
    int failure = raffia_watches_at(&state->watches, op->fd, &watch);
    if (failure == 0) failure = reserve(state, 6);
    if (failure < 0) return failure;
    raffia_watches_add(&state->watches, watch, op);
    watch_anew(state, watch, op->fd);
    return 0;
}

static int kqueue_cancel(struct raffia_loop *loop, struct raffia_op *op)
{
    struct state *state = loop->state;
    raffia_watches_remove(&state->watches, raffia_watches_known(&state->watches, op->fd), op);
    return 1;
}

#ifdef __linux__
/* libkqueue drops the errors of changes when nothing else comes, and sleeps on. So it gets them one
 * by one, and its answer to each (EV_RECEIPT) is kept if it is an error, as a kernel would. It
 * makes no system call for a kevent of its own anyway. */
static int exchange(struct state *state, const struct timespec *time)
{
    static const struct timespec none;
    int errors = 0;
    for (int i = 0; i < state->change_count; i++) {
        struct kevent change = state->changes[i], *receipt = &state->reports[errors];
        change.flags |= EV_RECEIPT;
        if (kevent(state->fd, &change, 1, receipt, 1, &none) == 1 && receipt->data != 0) errors++;
    }
    int found = kevent(state->fd, NULL, 0, state->reports + errors, state->capacity - errors,
                       errors > 0 ? &none : time);
    return found < 0 && errors == 0 ? -1 : errors + (found > 0 ? found : 0);
}
#else
static int exchange(struct state *state, const struct timespec *time)
{
    return kevent(state->fd, state->changes, state->change_count, state->reports, state->capacity,
                  time);
}
#endif

static int kqueue_wait(struct raffia_loop *loop, int64_t timeout)
{
    struct state *state = loop->state;
    struct timespec time = {.tv_sec = timeout / 1000000000, .tv_nsec = timeout % 1000000000};
    state->found = 0;
    if (timeout == 0 && state->watches.waiting == 0) return 0;
    loop->metrics.syscalls++;
    int found = exchange(state, timeout < 0 ? NULL : &time);
    if (found < 0 && errno != EINTR) return -errno;
    /* After a signal the changes have been made. */
    state->change_count = 0;
    state->batch++;
    if (found < 0) return -EINTR;
    state->found = found;
    return found;
}

static uint32_t reported(const struct kevent *report)
{
    if (report->filter == EVFILT_READ) return RAFFIA_READABLE;
    return report->filter == EVFILT_WRITE ? RAFFIA_WRITABLE : RAFFIA_PRIORITY;
}

/* The directions of a descriptor are reported one by one, but an op that waits for both gets
 * both. */
static void collect(struct raffia_loop *loop, const struct kevent *report)
{
    struct state *state = loop->state;
    if ((int)report->ident == loop->wake.fd) return;
    struct raffia_watch *watch = raffia_watches_known(&state->watches, (int)report->ident);
    if (report->flags & EV_ERROR) return;
    watch->known &= ~reported(report);
    watch->misses |= reported(report);
}

static void answer_wake(struct raffia_loop *loop)
{
    loop->metrics.wakes++;
    loop->metrics.syscalls++;
    raffia_wake_drain(&loop->wake);
}

/* ENOENT answers a deletion. EINVAL (a terminal on macOS), EPERM, ENODEV: a file without readiness,
 * which counts as always ready, as with epoll. */
static int answer_error(struct raffia_loop *loop, struct raffia_watch *watch, int error)
{
    struct state *state = loop->state;
    if (error == ENOENT || error == 0) return 0;
    watch->known = 0;
    return error == EBADF || error == ENOMEM
               ? raffia_watches_fail(&state->watches, loop, watch, -error, NULL)
               : raffia_watches_fire(&state->watches, loop, watch, raffia_watch_events(watch));
}

static int answer(struct raffia_loop *loop, const struct kevent *report)
{
    struct state *state = loop->state;
    struct raffia_watch *watch = raffia_watches_known(&state->watches, (int)report->ident);
    if (report->flags & EV_ERROR) return answer_error(loop, watch, (int)report->data);
    uint32_t came = watch->misses;
    watch->misses = 0;
    if (came && !(raffia_watch_events(watch) & came)) loop->metrics.stale++;
    return raffia_watches_fire(&state->watches, loop, watch, came);
}

static int kqueue_reap(struct raffia_loop *loop)
{
    struct state *state = loop->state;
    int done = 0;
    for (int i = 0; i < state->found; i++)
        collect(loop, &state->reports[i]);
    for (int i = 0; i < state->found; i++) {
        if ((int)state->reports[i].ident == loop->wake.fd)
            answer_wake(loop);
        else
            done += answer(loop, &state->reports[i]);
    }
    state->found = 0;
    return done;
}

static size_t kqueue_memsize(const struct raffia_loop *loop)
{
    const struct state *state = loop->state;
    return sizeof(*state) +
           (size_t)state->capacity * (sizeof(*state->changes) + sizeof(*state->reports)) +
           raffia_watches_memsize(&state->watches);
}

const struct raffia_backend raffia_backend_kqueue = {
    .name = "kqueue",
    .open_call = "open",
    .transfers = 0,
    .open = kqueue_open,
    .close = kqueue_close,
    .submit = kqueue_submit,
    .cancel = kqueue_cancel,
    .wait = kqueue_wait,
    .reap = kqueue_reap,
    .memsize = kqueue_memsize,
};
#else
#include "backend.h"

const struct raffia_backend raffia_backend_kqueue = {
    .name = "kqueue",
    .absence = "this build of the extension is without it: it is for macOS and the BSDs",
};
#endif
