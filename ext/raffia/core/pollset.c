#include "pollset.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SMALLEST = 64 };

static int grow(struct raffia_pollset *set)
{
    size_t capacity = set->capacity ? set->capacity * 2 : SMALLEST;
    struct pollfd *fds = realloc(set->fds, capacity * sizeof(*fds));
    if (!fds) return -ENOMEM;
    set->fds = fds;
    set->capacity = capacity;
    return 0;
}

int raffia_pollset_init(struct raffia_pollset *set, int own)
{
    memset(set, 0, sizeof(*set));
    if (grow(set) < 0) return -ENOMEM;
    set->fds[set->count++] = (struct pollfd){.fd = own, .events = POLLIN};
    return 0;
}

void raffia_pollset_free(struct raffia_pollset *set)
{
    free(set->fds);
    memset(set, 0, sizeof(*set));
}

int raffia_pollset_add(struct raffia_pollset *set, int fd, struct raffia_watch *watch)
{
    if (!watch->place) {
        if (set->count == set->capacity && grow(set) < 0) return -ENOMEM;
        watch->place = (uint32_t)set->count;
        set->fds[set->count++] = (struct pollfd){.fd = fd};
    }
    set->fds[watch->place].events = (short)raffia_watch_events(watch);
    return 0;
}

void raffia_pollset_remove(struct raffia_pollset *set, struct raffia_watches *watches,
                           struct raffia_watch *watch)
{
    struct pollfd last = set->fds[--set->count];
    if (watch->place != set->count) {
        set->fds[watch->place] = last;
        raffia_watches_known(watches, last.fd)->place = watch->place;
    }
    watch->place = 0;
}

void raffia_pollset_update(struct raffia_pollset *set, struct raffia_watches *watches,
                           struct raffia_watch *watch)
{
    if (!watch->place) return;
    if (watch->first)
        set->fds[watch->place].events = (short)raffia_watch_events(watch);
    else
        raffia_pollset_remove(set, watches, watch);
}

static int sleep_for(struct raffia_pollset *set, int64_t timeout)
{
#ifdef HAVE_PPOLL
    struct timespec time = {.tv_sec = timeout / 1000000000, .tv_nsec = timeout % 1000000000};
    return ppoll(set->fds, set->count, timeout < 0 ? NULL : &time, NULL);
#else
    /* Rounded up, or the loop would spin during the last millisecond of a timer. */
    int64_t milliseconds = timeout / 1000000 + (timeout % 1000000 > 0);
    if (timeout < 0) milliseconds = -1;
    return poll(set->fds, set->count, milliseconds > INT_MAX ? INT_MAX : (int)milliseconds);
#endif
}

int raffia_pollset_wait(struct raffia_pollset *set, int64_t timeout)
{
    int answers = sleep_for(set, timeout);
    return answers < 0 ? -errno : answers;
}

int raffia_pollset_answer(struct raffia_pollset *set, struct raffia_watches *watches,
                          struct raffia_loop *loop, struct pollfd *entry)
{
    struct raffia_watch *watch = raffia_watches_known(watches, entry->fd);
    uint32_t reported = (uint16_t)entry->revents;
    entry->revents = 0;
    int done = reported & POLLNVAL ? raffia_watches_fail(watches, loop, watch, -EBADF, NULL)
                                   : raffia_watches_fire(watches, loop, watch,
                                                         raffia_watch_reported_events(reported));
    raffia_pollset_update(set, watches, watch);
    return done;
}

size_t raffia_pollset_memsize(const struct raffia_pollset *set)
{
    return set->capacity * sizeof(*set->fds);
}
