/* The ops that wait for each descriptor, for back ends that know readiness only. The key is the
 * descriptor's number; several ops may wait for one, in both directions. */
#ifndef RAFFIA_WATCH_H
#define RAFFIA_WATCH_H

#include "loop.h"

struct raffia_watch {
    struct raffia_op *first, *last; /* in the order in which they came */
    /* The back end's own; 0 at first: */
    uint32_t mark;   /* the generation of what the kernel was asked to do */
    uint32_t place;  /* in a pollset; 0: in none */
    uint32_t known;  /* whether the kernel is believed to know the descriptor, or what of it */
    uint32_t misses; /* polls without an answer */
};

struct raffia_watches {
    struct raffia_watch *table; /* by descriptor */
    size_t size;
    size_t waiting; /* ops in all lists */
};

void raffia_watches_free(struct raffia_watches *watches);
/* The entry of a descriptor, good until the next call. -EBADF for a number that is too high to be
 * open, or -ENOMEM. */
int raffia_watches_at(struct raffia_watches *watches, int fd, struct raffia_watch **watch);
/* The same for a descriptor with an entry. */
struct raffia_watch *raffia_watches_known(const struct raffia_watches *watches, int fd);
void raffia_watches_add(struct raffia_watches *watches, struct raffia_watch *watch,
                        struct raffia_op *op);
void raffia_watches_remove(struct raffia_watches *watches, struct raffia_watch *watch,
                           struct raffia_op *op);
/* The union of the events of its ops. */
uint32_t raffia_watch_events(const struct raffia_watch *watch);
/* Events as poll(2) and epoll(7) report them: an error or a hang-up counts as all of them. */
uint32_t raffia_watch_reported_events(uint32_t reported);
/* Completes the ops that wait for one of the events; returns how many. */
int raffia_watches_fire(struct raffia_watches *watches, struct raffia_loop *loop,
                        struct raffia_watch *watch, uint32_t came);
/* Completes all ops with an error, except one that may be NULL; returns how many. */
int raffia_watches_fail(struct raffia_watches *watches, struct raffia_loop *loop,
                        struct raffia_watch *watch, int error, const struct raffia_op *except);
size_t raffia_watches_memsize(const struct raffia_watches *watches);

#endif
