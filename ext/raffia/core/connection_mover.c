#include "connection_mover.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "fork.h"
#include "timer.h"

/* BLOCK, BLOCKS: 65,536 connections. ROUND: nanoseconds of a poll, while the loop is late; no
 * thread waits for longer. ACCEPTS: at a time. AHEAD: in a turn of the loop. */
enum { MILLISECOND = 1000 * 1000, ROUND = 5 * MILLISECOND };
enum { BLOCK = 64, BLOCKS = 1024, ACCEPTS = 16, AHEAD = 16 };

#define SECOND INT64_C(1000000000)

/* Nanoseconds. A client that pauses for longer may pause on. */
#define RECENT (2 * SECOND)

enum owner { OURS, IDLE, MOVING, MOVED };
enum { OWNER_BITS = 2, OWNER_MASK = 3 };

struct raffia_movable {
    /* The owner in the lowest bits; above, how often it has been offered: what was found out about
     * an earlier offer says nothing about this one. */
    _Atomic uint64_t state;
    atomic_int fd;
    _Atomic int64_t last_move;  /* raffia_now */
    _Atomic int64_t last_offer; /* raffia_now, of the loop's last poll before it */
    raffia_data data;
    struct raffia_moved moved;
    struct raffia_movable *next;
};

struct raffia_mover {
    struct raffia_mover_options options;
    struct raffia_pulse pulse;
    struct raffia_load *load;
    pid_t owner;
    pthread_t thread;
    int runs;
    /* Held while a connection is MOVING and while listeners are used. */
    pthread_mutex_t lock;
    int accepts;
    struct raffia_movable *_Atomic blocks[BLOCKS];
    atomic_size_t count; /* movables that were ever used */
    struct raffia_movable *free;
    /* A connection that was accepted and not sent, or -1. */
    int kept;
    struct raffia_moved kept_moved;
    /* Of the thread alone: */
    struct pollfd *polls;
    struct candidate *candidates;
    size_t capacity;
    int64_t turn_ahead; /* running_since of the last turn in which connections were moved ahead */
};

struct candidate {
    struct raffia_movable *movable; /* NULL: a listener */
    uint64_t state;
    uint16_t listener;
};

static int is_own(const struct raffia_mover *mover)
{
    return mover->owner == raffia_process();
}

static enum owner owner_of(uint64_t state)
{
    return (enum owner)(state & OWNER_MASK);
}

static uint64_t with_owner(uint64_t state, enum owner owner)
{
    return (state & ~(uint64_t)OWNER_MASK) | owner;
}

static struct raffia_movable *movable_at(struct raffia_mover *mover, size_t index)
{
    return atomic_load(&mover->blocks[index / BLOCK]) + index % BLOCK;
}

static int may_move(const struct raffia_movable *movable, int64_t now)
{
    int64_t last = atomic_load(&movable->last_move);
    return last == 0 || now - last >= SECOND;
}

/* Sending */

static int has_input(int fd)
{
    int bytes = 0;
    return ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0;
}

static int has_taker(const struct raffia_mover *mover, int64_t now)
{
    return raffia_load_board_has_idle(mover->options.board, mover->load, now);
}

static int send_connection(struct raffia_mover *mover, int fd, struct raffia_moved moved,
                           enum raffia_moved_way way, int64_t now)
{
    moved.way = (uint8_t)way;
    moved.at = now;
    moved.sender = (int32_t)mover->owner;
    return raffia_connection_queue_send(mover->options.queue, fd, &moved);
}

/* A connection at its end is readable, too, and is not moved. */
static int is_movable(const struct pollfd *entry)
{
    return entry->revents == 0 || has_input(entry->fd);
}

/* `entry`: what was found in this state. Returns whether the connection has been moved. */
static int move(struct raffia_mover *mover, struct raffia_movable *movable, uint64_t state,
                const struct pollfd *entry, int64_t now)
{
    int moved = 0;
    pthread_mutex_lock(&mover->lock);
    if (atomic_compare_exchange_strong(&movable->state, &state, with_owner(state, MOVING))) {
        moved = is_movable(entry) &&
                send_connection(mover, entry->fd, movable->moved, RAFFIA_MOVED_IDLE, now) == 0;
        raffia_data data = movable->data;
        atomic_store(&movable->state, with_owner(state, moved ? MOVED : IDLE));
        /* Under the lock: the loop may not end before. */
        if (moved) raffia_loop_inject(mover->options.loop, data, RAFFIA_READABLE);
    }
    pthread_mutex_unlock(&mover->lock);
    return moved;
}

static int send_kept(struct raffia_mover *mover, int64_t now)
{
    if (mover->kept < 0) return 1;
    if (send_connection(mover, mover->kept, mover->kept_moved, RAFFIA_MOVED_ACCEPTED, now) < 0)
        return 0;
    close(mover->kept);
    mover->kept = -1;
    return 1;
}

static int listens(const struct raffia_mover *mover, int fd)
{
    for (size_t i = 0; mover->accepts && i < mover->options.listener_count; i++)
        if (mover->options.listeners[i].fd == fd) return 1;
    return 0;
}

#ifdef __linux__
static void accept_for_others(struct raffia_mover *mover, int fd, uint16_t listener, int64_t now)
{
    pthread_mutex_lock(&mover->lock);
    for (int i = 0; i < ACCEPTS && listens(mover, fd) && send_kept(mover, now); i++) {
        mover->kept = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (mover->kept < 0) break;
        mover->kept_moved = (struct raffia_moved){.listener = listener};
        send_kept(mover, now);
    }
    pthread_mutex_unlock(&mover->lock);
}
#else
static void accept_for_others(struct raffia_mover *mover, int fd, uint16_t listener, int64_t now)
{
    (void)mover, (void)fd, (void)listener, (void)now;
}
#endif

/* The thread */

static int reserve(struct raffia_mover *mover, size_t wanted)
{
    if (wanted <= mover->capacity) return 1;
    struct pollfd *polls = realloc(mover->polls, wanted * sizeof(*polls));
    if (polls) mover->polls = polls;
    struct candidate *candidates = realloc(mover->candidates, wanted * sizeof(*candidates));
    if (candidates) mover->candidates = candidates;
    if (polls && candidates) mover->capacity = wanted;
    return polls && candidates;
}

static void add_candidate(struct raffia_mover *mover, size_t *count, int fd,
                          struct candidate candidate)
{
    mover->polls[*count] = (struct pollfd){.fd = fd, .events = POLLIN};
    mover->candidates[(*count)++] = candidate;
}

/* Connections that may move now, and the listeners. A descriptor may be another file's by the time
 * it is polled; then its connection is no longer IDLE in this state. */
static size_t collect(struct raffia_mover *mover, int64_t now)
{
    size_t count = 0, movables = atomic_load(&mover->count);
    if (!reserve(mover, movables + RAFFIA_MOVER_LISTENERS)) return 0;
    pthread_mutex_lock(&mover->lock);
    for (size_t i = 0; mover->accepts && i < mover->options.listener_count; i++)
        add_candidate(mover, &count, mover->options.listeners[i].fd,
                      (struct candidate){.listener = mover->options.listeners[i].number});
    pthread_mutex_unlock(&mover->lock);
    for (size_t i = 0; i < movables; i++) {
        struct raffia_movable *movable = movable_at(mover, i);
        uint64_t state = atomic_load(&movable->state);
        if (owner_of(state) != IDLE || !may_move(movable, now)) continue;
        add_candidate(mover, &count, atomic_load(&movable->fd),
                      (struct candidate){.movable = movable, .state = state});
    }
    return count;
}

static int64_t lateness(const struct raffia_mover *mover, int64_t now)
{
    int64_t since = atomic_load(mover->pulse.running_since);
    return since == 0 ? 0 : now - since;
}

static int is_late(const struct raffia_mover *mover)
{
    return lateness(mover, raffia_now()) >= RAFFIA_LOAD_LATE;
}

/* Returns whether it need not be tried again at once. */
static int try_candidate(struct raffia_mover *mover, size_t index, int64_t now)
{
    const struct candidate *candidate = mover->candidates + index;
    const struct pollfd *entry = mover->polls + index;
    if (!(entry->revents & POLLIN)) return 0;
    if (candidate->movable) return move(mover, candidate->movable, candidate->state, entry, now);
    accept_for_others(mover, entry->fd, candidate->listener, now);
    return mover->kept < 0;
}

/* Waits for input of a connection for ROUND at most, and moves what can be moved. Returns whether
 * to wait before the next time: something cannot be moved, and would be reported again. */
static int move_readable(struct raffia_mover *mover)
{
    int64_t now = raffia_now();
    int stays = 0;
    if (!has_taker(mover, now)) return 1;
    size_t count = collect(mover, now);
    if (count == 0 || poll(mover->polls, (nfds_t)count, ROUND / MILLISECOND) < 0) return 1;
    for (size_t i = 0; i < count && is_late(mover); i++)
        if (mover->polls[i].revents && !try_candidate(mover, i, raffia_now())) stays = 1;
    return stays;
}

static int is_recent(const struct candidate *candidate, int64_t now)
{
    return candidate->movable && now - atomic_load(&candidate->movable->last_offer) < RECENT;
}

/* Moves connections that were used recently before their next requests come, which then reach an
 * idle worker without this thread. Once in a turn, because another worker has the work of it. */
static void move_ahead(struct raffia_mover *mover, int64_t now)
{
    int64_t turn = atomic_load(mover->pulse.running_since);
    if (turn == mover->turn_ahead || !has_taker(mover, now)) return;
    mover->turn_ahead = turn;
    size_t count = collect(mover, now);
    if (count == 0 || poll(mover->polls, (nfds_t)count, 0) < 0) return;
    int left = AHEAD;
    for (size_t i = 0; i < count && left > 0 && is_late(mover); i++) {
        const struct candidate *candidate = mover->candidates + i;
        if (mover->polls[i].revents == 0 && is_recent(candidate, now))
            left -= move(mover, candidate->movable, candidate->state, mover->polls + i, now);
    }
}

/* Tells whoever distributes new connections. */
static void report(struct raffia_mover *mover, int behind)
{
    if (atomic_exchange(&mover->load->behind, behind) == behind || mover->options.notify < 0)
        return;
    ssize_t written = write(mover->options.notify, "", 1);
    (void)written; /* a full pipe wakes the reader as well */
}

static int step(struct raffia_mover *mover)
{
    int64_t now = raffia_now(), late = lateness(mover, now);
    int waits = 0;
    if (mover->kept >= 0) {
        pthread_mutex_lock(&mover->lock);
        waits = !send_kept(mover, now);
        pthread_mutex_unlock(&mover->lock);
    }
    report(mover, late >= RAFFIA_LOAD_BEHIND);
    if (late >= RAFFIA_LOAD_BEHIND) move_ahead(mover, now);
    if (late == 0)
        return waits ? raffia_pulse_sleep(&mover->pulse, ROUND) : raffia_pulse_await(&mover->pulse);
    if (late < RAFFIA_LOAD_LATE)
        return raffia_pulse_sleep(&mover->pulse, waits ? ROUND : RAFFIA_LOAD_LATE - late);
    return raffia_pulse_sleep(&mover->pulse, move_readable(mover) ? ROUND : 0);
}

static void *run(void *arg)
{
    struct raffia_mover *mover = arg;
    while (step(mover)) {
    }
    return NULL;
}

/* Life */

/* Signals are for Ruby's threads. */
static int start_thread(struct raffia_mover *mover)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(&mover->thread, NULL, run, mover);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    mover->runs = failure == 0;
    return -failure;
}

static struct raffia_mover *allocate(const struct raffia_mover_options *options)
{
    struct raffia_mover *mover = calloc(1, sizeof(*mover));
    if (!mover) return NULL;
    mover->options = *options;
    mover->owner = raffia_process();
    mover->kept = -1;
    mover->accepts = 1;
    mover->load = raffia_load_board_begin(options->board, options->index, (int)mover->owner);
    if (raffia_pulse_init(&mover->pulse, &mover->load->running_since) == 0) {
        if (pthread_mutex_init(&mover->lock, NULL) == 0) return mover;
        raffia_pulse_free(&mover->pulse);
    }
    free(mover);
    return NULL;
}

struct raffia_mover *raffia_mover_start(const struct raffia_mover_options *options, int *failure)
{
    struct raffia_mover *mover = allocate(options);
    *failure = mover ? start_thread(mover) : -ENOMEM;
    if (*failure == 0) {
        options->loop->pulse = &mover->pulse;
        raffia_pulse_beat(&mover->pulse);
        return mover;
    }
    if (mover) raffia_mover_free(mover);
    return NULL;
}

int raffia_mover_stop(struct raffia_mover *mover, uint16_t *listener)
{
    if (!mover->runs || !is_own(mover)) return -1;
    raffia_pulse_stop(&mover->pulse);
    pthread_join(mover->thread, NULL);
    mover->runs = 0;
    mover->options.loop->pulse = NULL;
    atomic_store(&mover->load->receiving, 0);
    report(mover, 0);
    int kept = mover->kept;
    *listener = mover->kept_moved.listener;
    mover->kept = -1;
    return kept;
}

void raffia_mover_free(struct raffia_mover *mover)
{
    /* In a forked child the thread that does not exist may hold the locks. */
    if (is_own(mover)) {
        uint16_t listener;
        int kept = raffia_mover_stop(mover, &listener);
        if (kept >= 0) close(kept);
        raffia_pulse_free(&mover->pulse);
        pthread_mutex_destroy(&mover->lock);
    }
    for (size_t i = 0; i < BLOCKS; i++)
        free(atomic_load(&mover->blocks[i]));
    free(mover->polls);
    free(mover->candidates);
    free(mover);
}

void raffia_mover_set_accepting(struct raffia_mover *mover, int whether)
{
    if (!is_own(mover)) return;
    pthread_mutex_lock(&mover->lock);
    mover->accepts = whether;
    pthread_mutex_unlock(&mover->lock);
}

void raffia_mover_set_receiving(struct raffia_mover *mover, int whether)
{
    if (is_own(mover)) atomic_store(&mover->load->receiving, whether);
}

void raffia_mover_set_full(struct raffia_mover *mover, int whether)
{
    if (is_own(mover)) atomic_store(&mover->load->full, whether);
}

int raffia_mover_has_receiver(struct raffia_mover *mover)
{
    return raffia_load_board_has_receiver(mover->options.board, mover->load);
}

size_t raffia_mover_memsize(const struct raffia_mover *mover)
{
    size_t blocks = (atomic_load(&mover->count) + BLOCK - 1) / BLOCK;
    return sizeof(*mover) + blocks * BLOCK * sizeof(struct raffia_movable) +
           mover->capacity * (sizeof(*mover->polls) + sizeof(*mover->candidates));
}

/* Connections */

static struct raffia_movable *take(struct raffia_mover *mover)
{
    struct raffia_movable *movable = mover->free;
    if (movable) {
        mover->free = movable->next;
        return movable;
    }
    size_t index = atomic_load(&mover->count);
    if (index == (size_t)BLOCK * BLOCKS) return NULL;
    if (index % BLOCK == 0) {
        struct raffia_movable *block = calloc(BLOCK, sizeof(*block));
        if (!block) return NULL;
        atomic_store(&mover->blocks[index / BLOCK], block);
    }
    atomic_store(&mover->count, index + 1);
    return movable_at(mover, index);
}

struct raffia_movable *raffia_mover_add(struct raffia_mover *mover,
                                        const struct raffia_moved *moved)
{
    struct raffia_movable *movable = is_own(mover) ? take(mover) : NULL;
    if (!movable) return NULL;
    movable->moved = *moved;
    atomic_store(&movable->last_move, moved->at);
    return movable;
}

void raffia_mover_remove(struct raffia_mover *mover, struct raffia_movable *movable)
{
    if (!is_own(mover)) return;
    raffia_mover_claim(mover, movable);
    atomic_store(&movable->state, with_owner(atomic_load(&movable->state), OURS));
    movable->next = mover->free;
    mover->free = movable;
}

void raffia_mover_offer(struct raffia_mover *mover, struct raffia_movable *movable, int fd,
                        raffia_data data, uint32_t served)
{
    uint64_t state = atomic_load_explicit(&movable->state, memory_order_relaxed);
    int64_t now = atomic_load_explicit(mover->pulse.running_since, memory_order_relaxed);
    atomic_store_explicit(&movable->last_offer, now, memory_order_relaxed);
    atomic_store_explicit(&movable->fd, fd, memory_order_relaxed);
    movable->data = data;
    movable->moved.served = served;
    atomic_store_explicit(&movable->state, with_owner(state + (1 << OWNER_BITS), IDLE),
                          memory_order_release);
}

int raffia_mover_claim(struct raffia_mover *mover, struct raffia_movable *movable)
{
    if (!is_own(mover)) return 1;
    uint64_t state = atomic_load(&movable->state);
    while (owner_of(state) != OURS && owner_of(state) != MOVED) {
        if (owner_of(state) == MOVING) {
            /* Waits for the thread's sendmsg. */
            pthread_mutex_lock(&mover->lock);
            pthread_mutex_unlock(&mover->lock);
            state = atomic_load(&movable->state);
        } else if (atomic_compare_exchange_weak(&movable->state, &state, with_owner(state, OURS))) {
            return 1;
        }
    }
    return owner_of(state) == OURS;
}

int raffia_mover_pass_on(struct raffia_mover *mover, struct raffia_movable *movable, int fd)
{
    if (!atomic_load_explicit(&mover->load->full, memory_order_relaxed) || !is_own(mover)) return 0;
    int64_t now = raffia_now();
    if (!may_move(movable, now) || !has_input(fd)) return 0;
    if (!raffia_load_board_has_free(mover->options.board, mover->load)) return 0;
    if (send_connection(mover, fd, movable->moved, RAFFIA_MOVED_WAITING, now) < 0) return 0;
    atomic_store(&movable->state, with_owner(atomic_load(&movable->state), MOVED));
    return 1;
}
