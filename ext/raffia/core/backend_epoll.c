/* epoll(7), one-shot: each wait costs one epoll_ctl, and a registration that nobody waits for any more is silent.
 *
 * Keeping registrations and saving that call would be wrong: a descriptor may have been closed and its number given to another
 * file since, of which the kernel has taken the old one out of the set without a word. So each wait asks the kernel anew: MOD,
 * and ADD when that says ENOENT. The reverse happens too: a closed number goes on reporting for as long as a duplicate keeps the
 * file open. Therefore each registration carries its number and a generation (the watch's `mark`); a report of an older
 * generation is not believed, and being one-shot it comes once. */
#ifdef __linux__
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>
#include "watch.h"

enum { FEWEST = 64, MOST = 4096 }; /* reports that one wait fetches; more when it is always full */

#define WAKE UINT64_MAX /* no descriptor has that number */

struct state {
    struct raffia_watches watches;
    struct epoll_event *reports;
    int fd;
    int found, capacity;
    int coarse; /* the kernel, or a seccomp filter, has no epoll_pwait2: milliseconds */
};

static void epoll_close(struct raffia_loop *loop, int owner)
{
    struct state *state = loop->state;
    (void)
        owner; /* closing a copy of the descriptor does nothing to the set, which the parent still has open */
    if (state->fd >= 0) close(state->fd);
    raffia_watches_free(&state->watches);
    free(state->reports);
    free(state);
    loop->state = NULL;
}

static int control(struct raffia_loop *loop, int how, int fd, struct epoll_event *event)
{
    struct state *state = loop->state;
    loop->metrics.syscalls++;
    return epoll_ctl(state->fd, how, fd, event) < 0 ? -errno : 0;
}

static int grow(struct state *state, int capacity)
{
    struct epoll_event *reports = realloc(state->reports, (size_t)capacity * sizeof(*reports));
    if (!reports) return -ENOMEM;
    state->reports = reports;
    state->capacity = capacity;
    return 0;
}

static int epoll_open(struct raffia_loop *loop, const struct raffia_options *options)
{
    (void)options;
    struct state *state = loop->state = calloc(1, sizeof(*state));
    if (!state) return -ENOMEM;
    state->fd = epoll_create1(EPOLL_CLOEXEC);
    int failure = state->fd < 0 ? -errno : grow(state, FEWEST);
    /* Edge-triggered: each write to it is reported once, and nobody has to read it. */
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u64 = WAKE};
    if (failure == 0) failure = control(loop, EPOLL_CTL_ADD, loop->wake.fd, &event);
    if (failure < 0) epoll_close(loop, 1);
    return failure;
}

static struct epoll_event registration(struct raffia_watch *watch, int fd)
{
    return (struct epoll_event){
        .events = raffia_watch_events(watch) | EPOLLONESHOT,
        .data.u64 = (uint64_t)++watch->mark << 32 | (uint32_t)fd,
    };
}

static int change(struct raffia_loop *loop, struct raffia_watch *watch, int how, int fd)
{
    struct epoll_event event = registration(watch, fd);
    int failure = control(loop, how, fd, &event);
    watch->known = failure == 0;
    return failure;
}

/* `op` has just been added; the others, if any, wait since earlier. */
static int register_op(struct raffia_loop *loop, struct raffia_watch *watch, struct raffia_op *op)
{
    struct state *state = loop->state;
    int failure = change(loop, watch, watch->known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, op->fd);
    if (failure == -EEXIST) return change(loop, watch, EPOLL_CTL_MOD, op->fd);
    if (failure != -ENOENT && failure != -EBADF && failure != -EPERM) return failure;
    /* What the others wait for has been closed (EPERM: and a regular file has its number). */
    raffia_watches_fail(&state->watches, loop, watch, -EBADF, op);
    return failure == -ENOENT ? change(loop, watch, EPOLL_CTL_ADD, op->fd) : failure;
}

static int epoll_submit(struct raffia_loop *loop, struct raffia_op *op)
{
    struct state *state = loop->state;
    struct raffia_watch *watch;
    if (op->kind != RAFFIA_POLL) return -ENOTSUP;
    int failure = raffia_watches_at(&state->watches, op->fd, &watch);
    if (failure < 0) return failure;
    raffia_watches_add(&state->watches, watch, op);
    failure = register_op(loop, watch, op);
    if (failure == 0) return 0;
    raffia_watches_remove(&state->watches, watch, op);
    if (failure != -EPERM) return failure;
    /* A file that cannot be waited for, because it is always ready. */
    raffia_loop_complete(loop, op, op->events);
    return 0;
}

/* The registration stays as it is: at worst it reports once, and nobody listens. */
static int epoll_cancel(struct raffia_loop *loop, struct raffia_op *op)
{
    struct state *state = loop->state;
    raffia_watches_remove(&state->watches, raffia_watches_known(&state->watches, op->fd), op);
    return 1;
}

#ifdef HAVE_EPOLL_PWAIT2
/* Linux 5.11. EPERM is what seccomp filters of before that answer. */
static int sleep_precisely(struct state *state, int64_t timeout)
{
    struct timespec time = {.tv_sec = timeout / 1000000000, .tv_nsec = timeout % 1000000000};
    int found = epoll_pwait2(state->fd, state->reports, state->capacity, timeout < 0 ? NULL : &time, NULL);
    if (found >= 0) return found;
    if (errno == ENOSYS || errno == EPERM) state->coarse = 1;
    return -errno;
}
#else
static int sleep_precisely(struct state *state, int64_t timeout)
{
    (void)timeout;
    state->coarse = 1;
    return -ENOSYS;
}
#endif

static int sleep_coarsely(struct state *state, int64_t timeout)
{
    /* Rounded up, or the loop would turn without rest in the last millisecond of a timer. */
    int64_t milliseconds = timeout / 1000000 + (timeout % 1000000 > 0);
    if (timeout < 0) milliseconds = -1;
    int found = epoll_wait(state->fd, state->reports, state->capacity,
                           milliseconds > INT_MAX ? INT_MAX : (int)milliseconds);
    return found < 0 ? -errno : found;
}

static int sleep_for(struct state *state, int64_t timeout)
{
    /* Whole milliseconds and no limit need no precision, and epoll_wait has no timespec to copy. */
    if (!state->coarse && timeout > 0) {
        int found = sleep_precisely(state, timeout);
        if (!state->coarse) return found;
    }
    return sleep_coarsely(state, timeout);
}

static int epoll_wait_for(struct raffia_loop *loop, int64_t timeout)
{
    struct state *state = loop->state;
    state->found = 0;
    if (timeout == 0 && state->watches.waiting == 0) return 0;
    loop->metrics.syscalls++;
    int found = sleep_for(state, timeout);
    if (found > 0) state->found = found;
    return found;
}

/* One-shot has silenced the descriptor; those that still wait need it again. */
static int restore(struct raffia_loop *loop, struct raffia_watch *watch, int fd)
{
    struct state *state = loop->state;
    if (!watch->first) return 0;
    int failure = change(loop, watch, EPOLL_CTL_MOD, fd);
    return failure < 0 ? raffia_watches_fail(&state->watches, loop, watch,
                                             failure == -ENOENT ? -EBADF : failure, NULL)
                       : 0;
}

static int answer(struct raffia_loop *loop, const struct epoll_event *report)
{
    struct state *state = loop->state;
    int fd = (int)(uint32_t)report->data.u64;
    struct raffia_watch *watch = raffia_watches_known(&state->watches, fd);
    if (!watch->first || watch->mark != report->data.u64 >> 32) {
        loop->metrics.stale++;
        return 0;
    }
    int fired = raffia_watches_fire(&state->watches, loop, watch, raffia_watch_came(report->events));
    return fired + restore(loop, watch, fd);
}

static int epoll_reap(struct raffia_loop *loop)
{
    struct state *state = loop->state;
    int done = 0;
    for (int i = 0; i < state->found; i++) {
        if (state->reports[i].data.u64 == WAKE)
            loop->metrics.wakes++;
        else
            done += answer(loop, &state->reports[i]);
    }
    /* What did not fit comes with the next wait; without more memory that is how it stays. */
    if (state->found == state->capacity && state->capacity < MOST) grow(state, state->capacity * 2);
    state->found = 0;
    return done;
}

static size_t epoll_memsize(const struct raffia_loop *loop)
{
    const struct state *state = loop->state;
    return sizeof(*state) + (size_t)state->capacity * sizeof(*state->reports) +
           raffia_watches_memsize(&state->watches);
}

const struct raffia_backend raffia_backend_epoll = {
    .name = "epoll",
    .transfers = 0,
    .open = epoll_open,
    .close = epoll_close,
    .submit = epoll_submit,
    .cancel = epoll_cancel,
    .wait = epoll_wait_for,
    .reap = epoll_reap,
    .memsize = epoll_memsize,
};
#else
typedef int raffia_no_epoll; /* ISO C has no empty files */
#endif
