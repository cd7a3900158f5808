/* poll(2): available everywhere, and good for some hundred descriptors. */
#include <errno.h>
#include <stdlib.h>
#include "pollset.h"

enum { WAKE = 0 }; /* its place in the set */

struct state {
    struct raffia_watches watches;
    struct raffia_pollset set;
    int found; /* found by the last wait, and not reaped */
};

static void poll_close(struct raffia_loop *loop, int owner)
{
    struct state *state = loop->state;
    (void)owner; /* the kernel keeps no state of it */
    raffia_watches_free(&state->watches);
    raffia_pollset_free(&state->set);
    free(state);
    loop->state = NULL;
}

static int poll_open(struct raffia_loop *loop, const struct raffia_options *options)
{
    (void)options;
    struct state *state = loop->state = calloc(1, sizeof(*state));
    if (!state) return -ENOMEM;
    int failure = raffia_pollset_init(&state->set, loop->wake.fd);
    if (failure < 0) poll_close(loop, 1);
    return failure;
}

static int poll_submit(struct raffia_loop *loop, struct raffia_op *op)
{
    struct state *state = loop->state;
    struct raffia_watch *watch;
    if (op->kind != RAFFIA_POLL) return -ENOTSUP;
    int failure = raffia_watches_at(&state->watches, op->fd, &watch);
    if (failure < 0) return failure;
    raffia_watches_add(&state->watches, watch, op);
    failure = raffia_pollset_add(&state->set, op->fd, watch);
    if (failure < 0) raffia_watches_remove(&state->watches, watch, op);
    return failure;
}

static int poll_cancel(struct raffia_loop *loop, struct raffia_op *op)
{
    struct state *state = loop->state;
    struct raffia_watch *watch = raffia_watches_known(&state->watches, op->fd);
    raffia_watches_remove(&state->watches, watch, op);
    raffia_pollset_update(&state->set, &state->watches, watch);
    return 1;
}

static int poll_wait(struct raffia_loop *loop, int64_t timeout)
{
    struct state *state = loop->state;
    state->found = 0;
    if (timeout == 0 && state->watches.waiting == 0) return 0;
    loop->metrics.syscalls++;
    int found = raffia_pollset_wait(&state->set, timeout);
    if (found > 0) state->found = found;
    return found;
}

static void answer_wake(struct raffia_loop *loop, struct pollfd *entry)
{
    entry->revents = 0;
    loop->metrics.wakes++;
    loop->metrics.syscalls++;
    raffia_wake_drain(&loop->wake);
}

static int poll_reap(struct raffia_loop *loop)
{
    struct state *state = loop->state;
    int done = 0;
    /* Backwards, because the last entry replaces a removed one. */
    for (size_t i = state->set.count; i-- > 0 && state->found > 0;) {
        struct pollfd *entry = &state->set.fds[i];
        if (!entry->revents) continue;
        state->found--;
        if (i == WAKE)
            answer_wake(loop, entry);
        else
            done += raffia_pollset_answer(&state->set, &state->watches, loop, entry);
    }
    return done;
}

static size_t poll_memsize(const struct raffia_loop *loop)
{
    const struct state *state = loop->state;
    return sizeof(*state) + raffia_pollset_memsize(&state->set) +
           raffia_watches_memsize(&state->watches);
}

const struct raffia_backend raffia_backend_poll = {
    .name = "poll",
    .open_call = "open",
    .transfers = 0,
    .open = poll_open,
    .close = poll_close,
    .submit = poll_submit,
    .cancel = poll_cancel,
    .wait = poll_wait,
    .reap = poll_reap,
    .memsize = poll_memsize,
};
