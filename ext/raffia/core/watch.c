#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST = 64 };

void raffia_watches_free(struct raffia_watches *watches)
{
    free(watches->table);
    memset(watches, 0, sizeof(*watches));
}

static int grow(struct raffia_watches *watches, int fd)
{
    /* A number that is not open, say INT_MAX, must not cost gigabytes. */
    if (fcntl(fd, F_GETFD) < 0) return -errno;
    size_t size = watches->size ? watches->size : SMALLEST;
    while (size <= (size_t)fd)
        size *= 2;
    struct raffia_watch *table = realloc(watches->table, size * sizeof(*table));
    if (!table) return -ENOMEM;
    memset(table + watches->size, 0, (size - watches->size) * sizeof(*table));
    watches->table = table;
    watches->size = size;
    return 0;
}

int raffia_watches_at(struct raffia_watches *watches, int fd, struct raffia_watch **watch)
{
    int failure = (size_t)fd < watches->size ? 0 : grow(watches, fd);
    if (failure == 0) *watch = &watches->table[fd];
    return failure;
}

struct raffia_watch *raffia_watches_known(const struct raffia_watches *watches, int fd)
{
    return &watches->table[fd];
}

void raffia_watches_add(struct raffia_watches *watches, struct raffia_watch *watch,
                        struct raffia_op *op)
{
    op->next = NULL;
    if (watch->last)
        watch->last->next = op;
    else
        watch->first = op;
    watch->last = op;
    watches->waiting++;
}

static void unlink_next(struct raffia_watches *watches, struct raffia_watch *watch,
                        struct raffia_op *before)
{
    struct raffia_op **link = before ? &before->next : &watch->first;
    struct raffia_op *op = *link;
    *link = op->next;
    if (watch->last == op) watch->last = before;
    watches->waiting--;
}

void raffia_watches_remove(struct raffia_watches *watches, struct raffia_watch *watch,
                           struct raffia_op *op)
{
    struct raffia_op *before = NULL;
    for (struct raffia_op *each = watch->first; each != op; each = each->next)
        before = each;
    unlink_next(watches, watch, before);
}

uint32_t raffia_watch_events(const struct raffia_watch *watch)
{
    uint32_t events = 0;
    for (const struct raffia_op *op = watch->first; op; op = op->next)
        events |= op->events;
    return events;
}

/* Ours are the numbers of poll(2), which are those of epoll(7). */
_Static_assert(RAFFIA_READABLE == POLLIN && RAFFIA_PRIORITY == POLLPRI &&
                   RAFFIA_WRITABLE == POLLOUT,
               "events of poll(2)");

uint32_t raffia_watch_reported_events(uint32_t reported)
{
    return reported & (POLLERR | POLLHUP)
               ? (uint32_t)(RAFFIA_READABLE | RAFFIA_PRIORITY | RAFFIA_WRITABLE)
               : reported;
}

int raffia_watches_fire(struct raffia_watches *watches, struct raffia_loop *loop,
                        struct raffia_watch *watch, uint32_t came)
{
    int fired = 0;
    struct raffia_op *before = NULL, *next;
    for (struct raffia_op *op = watch->first; op; op = next) {
        next = op->next; /* completing releases the op, and `next` then means something else */
        if (!(op->events & came)) {
            before = op;
            continue;
        }
        unlink_next(watches, watch, before);
        raffia_loop_complete(loop, op, op->events & came);
        fired++;
    }
    return fired;
}

int raffia_watches_fail(struct raffia_watches *watches, struct raffia_loop *loop,
                        struct raffia_watch *watch, int error, const struct raffia_op *except)
{
    int failed = 0;
    struct raffia_op *before = NULL, *next;
    for (struct raffia_op *op = watch->first; op; op = next) {
        next = op->next;
        if (op == except) {
            before = op;
            continue;
        }
        unlink_next(watches, watch, before);
        raffia_loop_complete(loop, op, error);
        failed++;
    }
    return failed;
}

size_t raffia_watches_memsize(const struct raffia_watches *watches)
{
    return watches->size * sizeof(*watches->table);
}
