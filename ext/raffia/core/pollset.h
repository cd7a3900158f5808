/* The descriptors that one poll(2) asks about: a first one of the back end's own, and one for each
 * watch that is in the set.
 *
 * poll(2) is told the numbers anew with each call, so it cannot be mistaken about which file a
 * number stands for. Its price is that each call costs time for each descriptor. */
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
/* Takes the watch in, if it is not in there, with the events that its ops wait for. 0 or
 * -ENOMEM. */
int raffia_pollset_add(struct raffia_pollset *set, int fd, struct raffia_watch *watch);
/* Takes it out; the last one gets its place, with all that was reported for it. */
void raffia_pollset_remove(struct raffia_pollset *set, struct raffia_watches *watches,
                           struct raffia_watch *watch);
/* After the ops of the watch have changed, if it is in there; without ops it is taken out. */
void raffia_pollset_update(struct raffia_pollset *set, struct raffia_watches *watches,
                           struct raffia_watch *watch);
/* Sleeps until there is an answer, or `timeout` nanoseconds have passed (negative: no limit). The
 * number of entries that have an answer in their `revents`, or -errno, and then there are none. */
int raffia_pollset_wait(struct raffia_pollset *set, int64_t timeout);
/* Completes what the entry's `revents` say, and clears them; how many ops. */
int raffia_pollset_answer(struct raffia_pollset *set, struct raffia_watches *watches,
                          struct raffia_loop *loop, struct pollfd *entry);
size_t raffia_pollset_memsize(const struct raffia_pollset *set);

#endif
