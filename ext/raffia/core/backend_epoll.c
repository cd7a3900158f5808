/* epoll(7) for lasting waits, poll(2) for young ones.
 *
 * A registration costs a system call, and most waits of a busy loop are answered within a turn or
 * two. So a new wait is young: its descriptor joins a set for poll(2), beside the descriptor of the
 * epoll set itself, and one call polls all. A wait that was polled a few times without an answer is
 * registered, and from then on costs nothing until it is answered. docs/adr/0006 has the reasons.
 *
 * A registration is one-shot, and made anew for each wait (MOD, or ADD after ENOENT). A lasting one
 * would be wrong: the descriptor may have been closed and its number be another file's, and the
 * kernel has removed the old one silently. The reverse happens too: a closed number reports for as
 * long as a duplicate keeps the file open. Therefore each registration carries its number and a
 * generation (the watch's `mark`). A report of an older generation, or for a young watch, is
 * ignored, and comes only once. */
#ifdef __linux__
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>
#include "pollset.h"

enum { FEWEST = 64, MOST = 4096 }; /* reports that one wait fetches; grows when it is full */

/* Turns in which a wait may stay young. One poll of a descriptor costs about a quarter of a
 * registration. A wait that is answered within the loop (a fiber writes to another and waits for
 * its answer) takes two or three turns. */
enum { LOOKS = 4 };

/* Where most waits last, as on a server with pausing clients, polling them first is wasted. So of
 * each TRIAL young waits the answered ones are counted; if they are the fewer, the next PAUSE waits
 * are registered at once. */
enum { TRIAL = 64, PAUSE = 1024 };

#define WAKE UINT64_MAX /* no descriptor has that number */

struct state {
    struct raffia_watches watches;
    struct raffia_pollset young; /* its own entry is the epoll set */
    struct epoll_event *reports;
    int fd;
    int polled; /* the last wait polled the young ones */
    /* Young waits of this trial that have ended, and those of them that were answered. */
    int grown, answered;
    int pause;           /* waits that are still to be registered at once */
    int found, capacity; /* reports */
    int coarse;          /* the kernel, or a seccomp filter, has no epoll_pwait2: milliseconds */
};

static void epoll_close(struct raffia_loop *loop, int owner)
{
    struct state *state = loop->state;
    (void)owner; /* closing a copied descriptor leaves the set as it is: the parent has it open */
    if (state->fd >= 0) close(state->fd);
    raffia_watches_free(&state->watches);
    raffia_pollset_free(&state->young);
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
    if (failure == 0) failure = raffia_pollset_init(&state->young, state->fd);
    /* Edge-triggered: each write is reported once, and need not be read. */
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

/* Removes whatever the set has for this number. */
static int register_watch(struct raffia_loop *loop, struct raffia_watch *watch, int fd)
{
    int failure = change(loop, watch, watch->known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd);
    if (failure == -EEXIST) return change(loop, watch, EPOLL_CTL_MOD, fd);
    return failure == -ENOENT ? change(loop, watch, EPOLL_CTL_ADD, fd) : failure;
}

/* Moves a young wait into the epoll set; returns how many ops that has completed. */
static int settle(struct raffia_loop *loop, struct raffia_watch *watch, int fd)
{
    struct state *state = loop->state;
    int failure = register_watch(loop, watch, fd);
    if (failure == -ENOMEM || failure == -ENOSPC) {
        /* The kernel takes no more: it stays young, and is tried again. */
        watch->misses = 0;
        return 0;
    }
    raffia_pollset_remove(&state->young, &state->watches, watch);
    if (failure == 0) return 0;
    /* EPERM: a file without readiness, which is always ready. */
    return failure == -EPERM
               ? raffia_watches_fire(&state->watches, loop, watch, raffia_watch_events(watch))
               : raffia_watches_fail(&state->watches, loop, watch, failure, NULL);
}

/* `op` is new, the others are registered. When the kernel does not know the registration any more,
 * their descriptor has been closed, and another file has its number. */
static int join(struct raffia_loop *loop, struct raffia_watch *watch, struct raffia_op *op)
{
    struct state *state = loop->state;
    if (change(loop, watch, EPOLL_CTL_MOD, op->fd) == 0) return 1;
    raffia_watches_fail(&state->watches, loop, watch, -EBADF, op);
    return 0;
}

static int epoll_submit(struct raffia_loop *loop, struct raffia_op *op)
{
    struct state *state = loop->state;
    struct raffia_watch *watch;
    if (op->kind != RAFFIA_POLL) return -ENOTSUP;
    int failure = raffia_watches_at(&state->watches, op->fd, &watch);
    if (failure < 0) return failure;
    int registered = watch->first && !watch->place;
    raffia_watches_add(&state->watches, watch, op);
    if (registered && join(loop, watch, op)) return 0;
    watch->misses = 0;
    failure = raffia_pollset_add(&state->young, op->fd, watch);
    if (failure < 0) raffia_watches_remove(&state->watches, watch, op);
    if (failure == 0 && state->pause > 0) {
        state->pause--;
        settle(loop, watch, op->fd);
    }
    return failure;
}

/* The registration stays: at worst it reports once, to no op. */
static int epoll_cancel(struct raffia_loop *loop, struct raffia_op *op)
{
    struct state *state = loop->state;
    struct raffia_watch *watch = raffia_watches_known(&state->watches, op->fd);
    raffia_watches_remove(&state->watches, watch, op);
    raffia_pollset_update(&state->young, &state->watches, watch);
    return 1;
}

#ifdef HAVE_EPOLL_PWAIT2
/* Linux 5.11. Older seccomp filters answer EPERM. */
static int sleep_precisely(struct state *state, int64_t timeout)
{
    struct timespec time = {.tv_sec = timeout / 1000000000, .tv_nsec = timeout % 1000000000};
    int found =
        epoll_pwait2(state->fd, state->reports, state->capacity, timeout < 0 ? NULL : &time, NULL);
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
    /* Rounded up, or the loop would spin during the last millisecond of a timer. */
    int64_t milliseconds = timeout / 1000000 + (timeout % 1000000 > 0);
    if (timeout < 0) milliseconds = -1;
    int found = epoll_wait(state->fd, state->reports, state->capacity,
                           milliseconds > INT_MAX ? INT_MAX : (int)milliseconds);
    return found < 0 ? -errno : found;
}

static int sleep_for(struct state *state, int64_t timeout)
{
    /* Whole milliseconds and no limit need no precision, and epoll_wait copies no timespec. */
    if (!state->coarse && timeout > 0) {
        int found = sleep_precisely(state, timeout);
        if (!state->coarse) return found;
    }
    return sleep_coarsely(state, timeout);
}

static int fetch(struct raffia_loop *loop, int64_t timeout)
{
    struct state *state = loop->state;
    loop->metrics.syscalls++;
    int found = sleep_for(state, timeout);
    if (found > 0) state->found = found;
    return found;
}

static int poll_young(struct raffia_loop *loop, int64_t timeout)
{
    struct state *state = loop->state;
    loop->metrics.syscalls++;
    int answers = raffia_pollset_wait(&state->young, timeout);
    state->polled = answers >= 0;
    /* An error here (a signal) does not matter to the young ones' answers, and the set will be
     * readable again. */
    if (answers > 0 && state->young.fds[0].revents) fetch(loop, 0);
    return answers;
}

static int epoll_wait_for(struct raffia_loop *loop, int64_t timeout)
{
    struct state *state = loop->state;
    state->found = state->polled = 0;
    if (timeout == 0 && state->watches.waiting == 0) return 0;
    return state->young.count > 1 ? poll_young(loop, timeout) : fetch(loop, timeout);
}

static void weigh(struct state *state, int answered)
{
    state->answered += answered;
    if (++state->grown < TRIAL) return;
    if (state->answered < TRIAL / 2) state->pause = PAUSE;
    state->grown = state->answered = 0;
}

static int grow_up(struct raffia_loop *loop, struct raffia_watch *watch, int fd)
{
    if (++watch->misses < LOOKS) return 0;
    weigh(loop->state, 0);
    return settle(loop, watch, fd);
}

static int answer_young(struct raffia_loop *loop)
{
    struct state *state = loop->state;
    int done = 0;
    /* Backwards, because the last entry replaces a removed one; entry 0 is the set's own. */
    for (size_t i = state->young.count; i-- > 1;) {
        struct pollfd *entry = &state->young.fds[i];
        struct raffia_watch *watch = raffia_watches_known(&state->watches, entry->fd);
        if (!entry->revents) {
            done += grow_up(loop, watch, entry->fd);
            continue;
        }
        weigh(state, 1);
        done += raffia_pollset_answer(&state->young, &state->watches, loop, entry);
    }
    return done;
}

/* One-shot has disabled the descriptor; the ops that still wait need it again. */
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
    if (!watch->first || watch->place || watch->mark != report->data.u64 >> 32) {
        loop->metrics.stale++;
        return 0;
    }
    int fired = raffia_watches_fire(&state->watches, loop, watch,
                                    raffia_watch_reported_events(report->events));
    return fired + restore(loop, watch, fd);
}

static int answer_registered(struct raffia_loop *loop)
{
    struct state *state = loop->state;
    int done = 0;
    for (int i = 0; i < state->found; i++) {
        if (state->reports[i].data.u64 == WAKE)
            loop->metrics.wakes++;
        else
            done += answer(loop, &state->reports[i]);
    }
    /* Reports that did not fit come with the next wait; without more memory it stays so. */
    if (state->found == state->capacity && state->capacity < MOST) grow(state, state->capacity * 2);
    state->found = 0;
    return done;
}

static int epoll_reap(struct raffia_loop *loop)
{
    struct state *state = loop->state;
    int done = answer_registered(loop);
    if (state->polled) done += answer_young(loop);
    state->polled = 0;
    return done;
}

static size_t epoll_memsize(const struct raffia_loop *loop)
{
    const struct state *state = loop->state;
    return sizeof(*state) + (size_t)state->capacity * sizeof(*state->reports) +
           raffia_pollset_memsize(&state->young) + raffia_watches_memsize(&state->watches);
}

const struct raffia_backend raffia_backend_epoll = {
    .name = "epoll",
    .open_call = "open",
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
#include "backend.h"

const struct raffia_backend raffia_backend_epoll = {
    .name = "epoll",
    .absence = "this build of the extension is without it: it is for Linux",
};
#endif
