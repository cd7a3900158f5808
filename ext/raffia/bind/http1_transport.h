/* HTTP/1 in four layers, each of which calls only those below it. The struct of a layer begins with
 * the struct of the layer below:
 *
 *   transport   the socket: its descriptor, waits, bytes in both directions
 *   request     input: bytes, heads, bodies, Rack envs
 *   response    output: heads, bodies, sending
 *   connection  the Ruby object: reads requests, and sends what is left to send before it waits */
#ifndef RAFFIA_BIND_HTTP1_TRANSPORT_H
#define RAFFIA_BIND_HTTP1_TRANSPORT_H

#include <ruby.h>

#ifdef HAVE_LLHTTP

#include "park.h"
#include "scheduler.h"

struct http1_transport {
    VALUE self; /* the connection */
    VALUE socket;
    int native;              /* a BasicSocket: recv(2) and send(2) on its descriptor are enough */
    int tls;                 /* an SSLSocket, whose own buffer is not needed and is left out */
    uint64_t received, sent; /* bytes, on this connection */
    int64_t occurred_after;  /* lower bound of the time of the last event waited for; 0: none */
};

/* Raises a TypeError for a socket of another kind, and whatever its methods raise. */
void raffia_http1_transport_open(struct http1_transport *transport, VALUE socket);
/* Raises IOError when the socket is closed. Not to be kept: another file may get the number. */
int raffia_http1_descriptor(const struct http1_transport *transport);
/* Waits in the fiber, with whatever scheduler there is, or in the thread. `events`: RAFFIA_READABLE
 * ... `limit`: nanoseconds, or RAFFIA_NO_LIMIT. Returns whether they came in time. Raises what
 * interrupts the wait. */
int raffia_http1_wait(struct http1_transport *transport, uint32_t events, int64_t limit);
/* The native scheduler of the running fiber, or NULL. */
struct scheduler *raffia_http1_scheduler(void);
/* Lets other fibers run, those that wait for the network among them. */
void raffia_http1_yield(void);
void raffia_init_http1_transport(VALUE http1);

#endif

#endif
