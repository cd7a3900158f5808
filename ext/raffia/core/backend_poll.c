/* poll(2): everywhere, and good for some hundred descriptors. One pollfd for each descriptor that is waited for; a watch's `mark`
 * is its place in the array. The wake's is in place 0, so a mark of 0 is none. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <time.h>
#include "watch.h"

enum { WAKE = 0, SMALLEST = 64 };

struct state {
    struct raffia_watches watches;
    struct pollfd *fds;
    size_t count, capacity;
    int found; /* by the last wait, and not reaped */
};

static void poll_close(struct raffia_loop *loop, int owner)
{
    struct state *state = loop->state;
    (void)owner; /* the kernel keeps nothing of it */
    raffia_watches_free(&state->watches);
    free(state->fds);
    free(state);
    loop->state = NULL;
}

static int add_fd(struct state *state, int fd, struct raffia_watch *watch)
{
    if (state->count == state->capacity) {
        size_t capacity = state->capacity ? state->capacity * 2 : SMALLEST;
        struct pollfd *fds = realloc(state->fds, capacity * sizeof(*fds));
        if (!fds) return -ENOMEM;
        state->fds = fds;
        state->capacity = capacity;
    }
    watch->mark = (uint32_t)state->count;
    state->fds[state->count++] = (struct pollfd){.fd = fd};
    return 0;
}

static int poll_open(struct raffia_loop *loop, const struct raffia_options *options)
{
    (void)options;
    struct raffia_watch wake = {0};
    struct state *state = loop->state = calloc(1, sizeof(*state));
    if (!state) return -ENOMEM;
    if (add_fd(state, loop->wake.fd, &wake) < 0) {
        poll_close(loop, 1);
        return -ENOMEM;
    }
    state->fds[WAKE].events = POLLIN;
    return 0;
}

/* The last one takes its place, with all that was reported for it. */
static void remove_fd(struct state *state, struct raffia_watch *watch)
{
    struct pollfd last = state->fds[--state->count];
    if (watch->mark != state->count) {
        state->fds[watch->mark] = last;
        raffia_watches_known(&state->watches, last.fd)->mark = watch->mark;
    }
    watch->mark = 0;
}

static void update(struct state *state, struct raffia_watch *watch)
{
    if (watch->first)
        state->fds[watch->mark].events = (short)raffia_watch_events(watch);
    else if (watch->mark)
        remove_fd(state, watch);
}

static int poll_submit(struct raffia_loop *loop, struct raffia_op *op)
{
    struct state *state = loop->state;
    struct raffia_watch *watch;
    if (op->kind != RAFFIA_POLL) return -ENOTSUP;
    int failure = raffia_watches_at(&state->watches, op->fd, &watch);
    if (failure == 0 && !watch->mark) failure = add_fd(state, op->fd, watch);
    if (failure < 0) return failure;
    raffia_watches_add(&state->watches, watch, op);
    update(state, watch);
    return 0;
}

static int poll_cancel(struct raffia_loop *loop, struct raffia_op *op)
{
    struct state *state = loop->state;
    struct raffia_watch *watch = raffia_watches_known(&state->watches, op->fd);
    raffia_watches_remove(&state->watches, watch, op);
    update(state, watch);
    return 1;
}

static int sleep_for(struct state *state, int64_t timeout)
{
#ifdef HAVE_PPOLL
    struct timespec time = {.tv_sec = timeout / 1000000000, .tv_nsec = timeout % 1000000000};
    return ppoll(state->fds, state->count, timeout < 0 ? NULL : &time, NULL);
#else
    /* Rounded up, or the loop would turn without rest in the last millisecond of a timer. */
    int64_t milliseconds = timeout / 1000000 + (timeout % 1000000 > 0);
    if (timeout < 0) milliseconds = -1;
    return poll(state->fds, state->count, milliseconds > INT_MAX ? INT_MAX : (int)milliseconds);
#endif
}

static int poll_wait(struct raffia_loop *loop, int64_t timeout)
{
    struct state *state = loop->state;
    state->found = 0;
    if (timeout == 0 && state->watches.waiting == 0) return 0;
    loop->metrics.syscalls++;
    int found = sleep_for(state, timeout);
    if (found < 0) return -errno; /* and poll(2) has left the answers as they were */
    state->found = found;
    return found;
}

static int answer(struct raffia_loop *loop, struct state *state, struct pollfd *fd)
{
    struct raffia_watch *watch = raffia_watches_known(&state->watches, fd->fd);
    uint32_t reported = (uint16_t)fd->revents;
    fd->revents = 0;
    int done = reported & POLLNVAL
                   ? raffia_watches_fail(&state->watches, loop, watch, -EBADF, NULL)
                   : raffia_watches_fire(&state->watches, loop, watch, raffia_watch_came(reported));
    update(state, watch);
    return done;
}

static void answer_wake(struct raffia_loop *loop, struct pollfd *fd)
{
    fd->revents = 0;
    loop->metrics.wakes++;
    loop->metrics.syscalls++;
    raffia_wake_drain(&loop->wake);
}

static int poll_reap(struct raffia_loop *loop)
{
    struct state *state = loop->state;
    int done = 0;
    /* Backwards, because one that is removed is replaced by the last. */
    for (size_t i = state->count; i-- > 0 && state->found > 0;) {
        if (!state->fds[i].revents) continue;
        state->found--;
        if (i == WAKE)
            answer_wake(loop, &state->fds[i]);
        else
            done += answer(loop, state, &state->fds[i]);
    }
    return done;
}

static size_t poll_memsize(const struct raffia_loop *loop)
{
    const struct state *state = loop->state;
    return sizeof(*state) + state->capacity * sizeof(*state->fds) + raffia_watches_memsize(&state->watches);
}

const struct raffia_backend raffia_backend_poll = {
    .name = "poll",
    .transfers = 0,
    .open = poll_open,
    .close = poll_close,
    .submit = poll_submit,
    .cancel = poll_cancel,
    .wait = poll_wait,
    .reap = poll_reap,
    .memsize = poll_memsize,
};
