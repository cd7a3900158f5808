/* Connections on their way from one worker process to another: a pair of sockets that all workers
 * share. Any worker takes the next connection, so one that is sent always finds a taker while one
 * worker lives, and the sender needs no answer. Linux only; elsewhere -ENOSYS. */
#ifndef RAFFIA_CONNECTION_QUEUE_H
#define RAFFIA_CONNECTION_QUEUE_H

#include <stdint.h>

/* Why a connection was moved. */
enum raffia_moved_way {
    RAFFIA_MOVED_IDLE,     /* a request came while the worker's loop did not turn */
    RAFFIA_MOVED_ACCEPTED, /* the connection itself came then */
    RAFFIA_MOVED_WAITING,  /* its request would have waited for its turn */
    RAFFIA_MOVED_WAYS
};

/* Room for an IPv6 address with its end. */
enum { RAFFIA_MOVED_ADDRESS = 46 };

/* A connection without its descriptor. */
struct raffia_moved {
    int64_t at;      /* raffia_now of the last move; 0: none */
    uint32_t served; /* requests on it */
    int32_t sender;  /* pid */
    uint16_t listener;
    uint8_t way;
    uint8_t established;                /* what precedes HTTP (a PROXY header) has been read */
    char address[RAFFIA_MOVED_ADDRESS]; /* of the client; empty: unknown */
};

/* A pair of sockets: the first one sends, the second one receives. 0 or -errno. */
int raffia_connection_queue_open(int sockets[2]);
/* Sends a connection, and never waits. The caller closes its descriptor. 0; or -errno, and the
 * connection stays the caller's: -EAGAIN (the queue is full), -ETOOMANYREFS ... */
int raffia_connection_queue_send(int queue, int fd, const struct raffia_moved *moved);
/* Takes the next connection, and never waits. Its descriptor, closed on exec; or -errno: -EAGAIN
 * (there is none), -EMFILE (no descriptor is free; the connection stays in the queue). */
int raffia_connection_queue_receive(int queue, struct raffia_moved *moved);

#endif
