/* The descriptors of one poll(2): a first one of the back end's own, and one for each watch in the
 * set.
 *
 * poll(2) gets the numbers anew with each call, so it cannot mistake which file a number stands
 * for. Its price is time for each descriptor in each call. */
#ifndef RAFFIA_POLLSET_H
#define RAFFIA_POLLSET_H

#include <poll.h>
#include "watch.h"

struct raffia_pollset {
    struct pollfd *fds; /* the back end's own in place 0; a watch knows its `place` */
    size_t count, capacity;
};

/* 0, or -ENOMEM: then nothing needs freeing. */
int raffia_pollset_init(struct raffia_pollset *set, int own);
void raffia_pollset_free(struct raffia_pollset *set);
/* Adds the watch, if it is not in the set, with the events of its ops. 0 or -ENOMEM. */
int raffia_pollset_add(struct raffia_pollset *set, int fd, struct raffia_watch *watch);
/* Removes it. The last entry takes its place, with its `revents`. */
void raffia_pollset_remove(struct raffia_pollset *set, struct raffia_watches *watches,
                           struct raffia_watch *watch);
/* Called after the ops of a watch have changed, if it is in the set; without ops it is removed. */
void raffia_pollset_update(struct raffia_pollset *set, struct raffia_watches *watches,
                           struct raffia_watch *watch);
/* Sleeps until a descriptor is ready, or `timeout` nanoseconds have passed (negative: no limit).
 * Returns the number of entries with `revents`, or -errno, and then there are none. */
int raffia_pollset_wait(struct raffia_pollset *set, int64_t timeout);
/* Completes the ops that the entry's `revents` answer, and clears them; returns how many. */
int raffia_pollset_answer(struct raffia_pollset *set, struct raffia_watches *watches,
                          struct raffia_loop *loop, struct pollfd *entry);
size_t raffia_pollset_memsize(const struct raffia_pollset *set);

#endif
