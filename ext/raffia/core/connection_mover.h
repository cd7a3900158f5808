/* Moves connections of a worker whose loop does not turn, because Ruby computes, to workers that
 * are idle. A thread of its own watches the loop's pulse. When that is late, it polls the idle
 * connections, and sends those on which a request has come to the connection queue. Their bytes
 * stay unread in the kernel. When the loop is behind, it also sends some that were used recently,
 * before their next requests come.
 *
 * A connection has one owner at any time:
 *
 *   OURS    the loop's: a request is served, or the connection is no longer offered
 *   IDLE    offered: the loop claims it (OURS), or the thread begins to move it (MOVING)
 *   MOVING  the thread's, under the lock, for one sendmsg(2): MOVED, or IDLE when it has failed
 *   MOVED   another process's: the loop may only close its descriptor, and never shut it down
 *
 * All functions but those of the thread itself are for the loop's thread. In a forked child they do
 * nothing, and every connection is claimed. */
#ifndef RAFFIA_CONNECTION_MOVER_H
#define RAFFIA_CONNECTION_MOVER_H

#include "connection_queue.h"
#include "load_board.h"
#include "loop.h"

struct raffia_movable;
struct raffia_mover;

struct raffia_mover_listener {
    int fd;
    uint16_t number; /* among the listeners of a worker, the same in each process */
};

enum { RAFFIA_MOVER_LISTENERS = 32 };

struct raffia_mover_options {
    struct raffia_loop *loop;
    struct raffia_load_board *board;
    size_t index; /* of this worker on the board */
    int queue;    /* the sending socket of a connection queue */
    int notify;   /* gets a byte when this worker is behind, or no longer; or -1 */
    /* Of this worker alone: connections that come to others are accepted there. */
    struct raffia_mover_listener listeners[RAFFIA_MOVER_LISTENERS];
    size_t listener_count;
};

/* Starts the thread. NULL and -errno in *failure when there is no memory or no thread. */
struct raffia_mover *raffia_mover_start(const struct raffia_mover_options *options, int *failure);
/* Ends the thread. Connections stay with their owner. Returns a descriptor that was accepted and
 * could not be sent, with *listener, or -1. */
int raffia_mover_stop(struct raffia_mover *mover, uint16_t *listener);
void raffia_mover_free(struct raffia_mover *mover);
/* Whether it accepts connections for others, which it does at first. */
void raffia_mover_set_accepting(struct raffia_mover *mover, int whether);
/* Whether this worker takes connections of others; whether a further request would wait for its
 * turn. */
void raffia_mover_set_receiving(struct raffia_mover *mover, int whether);
void raffia_mover_set_full(struct raffia_mover *mover, int whether);
/* Whether a worker other than this one receives connections. */
int raffia_mover_has_receiver(struct raffia_mover *mover);
size_t raffia_mover_memsize(const struct raffia_mover *mover);

/* A connection; NULL when there are too many or no memory: it stays. */
struct raffia_movable *raffia_mover_add(struct raffia_mover *mover,
                                        const struct raffia_moved *moved);
void raffia_mover_remove(struct raffia_mover *mover, struct raffia_movable *movable);
/* The connection is idle, with an empty input buffer. When it is moved, the loop gets a completion
 * with this data. */
void raffia_mover_offer(struct raffia_mover *mover, struct raffia_movable *movable, int fd,
                        raffia_data data, uint32_t served);
/* Makes it the loop's. Returns 0 when it has been moved. */
int raffia_mover_claim(struct raffia_mover *mover, struct raffia_movable *movable);
/* Moves a claimed connection with unread input if its request would wait here and not elsewhere.
 * Returns whether it has been moved. */
int raffia_mover_pass_on(struct raffia_mover *mover, struct raffia_movable *movable, int fd);

#endif
