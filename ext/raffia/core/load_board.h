/* The load of all worker processes in memory that they share. A worker reads it to learn whether
 * another one can take a connection. It is advice only: no connection depends on its truth. */
#ifndef RAFFIA_LOAD_BOARD_H
#define RAFFIA_LOAD_BOARD_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* One worker's load, in a cache line of its own. */
struct raffia_load {
    _Alignas(64) _Atomic int64_t running_since; /* since the loop last polled; 0: it sleeps */
    atomic_int pid;                             /* 0: no worker has had this place */
    atomic_int receiving;                       /* takes connections of others */
    atomic_int full;                            /* a further request would wait for its turn */
    atomic_int behind;                          /* its loop has not polled for RAFFIA_LOAD_BEHIND */
};

enum {
    /* Nanoseconds of a turn after which a loop counts as late: its connections may move, and it
     * gets none of others. */
    RAFFIA_LOAD_LATE = 20 * 1000 * 1000,
    /* Nanoseconds after which new connections go to other workers. */
    RAFFIA_LOAD_BEHIND = 50 * 1000 * 1000
};

/* `loads` has one more than `count`: the `pid` of the last one is how many places were used. */
struct raffia_load_board {
    struct raffia_load *loads;
    size_t count;
};

/* 0 or -errno. */
int raffia_load_board_open(struct raffia_load_board *board, size_t count);
void raffia_load_board_close(struct raffia_load_board *board);
/* A worker begins at this place. */
struct raffia_load *raffia_load_board_begin(struct raffia_load_board *board, size_t index, int pid);
/* Whether a worker other than `self` receives, and would serve a request at once. Forgets workers
 * that have died. `now`: raffia_now. */
int raffia_load_board_has_idle(const struct raffia_load_board *board,
                               const struct raffia_load *self, int64_t now);
/* Whether a worker other than `self` receives, and is not full. */
int raffia_load_board_has_free(const struct raffia_load_board *board,
                               const struct raffia_load *self);
/* Whether a worker other than `self` receives at all. */
int raffia_load_board_has_receiver(const struct raffia_load_board *board,
                                   const struct raffia_load *self);

#endif
