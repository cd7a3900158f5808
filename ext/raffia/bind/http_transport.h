/* The transport of a connection of HTTP: its socket, waits for it, bytes in both directions. Its
 * struct begins those of the protocols.
 *
 * HTTP/1 has four layers, each of which calls only those below it. The struct of a layer begins
 * with the struct of the layer below:
 *
 *   transport   the socket
 *   request     input: bytes, heads, bodies, Rack envs
 *   response    output: heads, bodies, sending
 *   connection  the Ruby object: reads requests, and sends what is left to send before it waits */
#ifndef RAFFIA_BIND_HTTP_TRANSPORT_H
#define RAFFIA_BIND_HTTP_TRANSPORT_H

#include <ruby.h>

#ifdef HAVE_LLHTTP

#include "park.h"
#include "scheduler.h"

struct http_transport {
    VALUE self; /* the connection */
    VALUE socket;
    int native;              /* a BasicSocket: recv(2) and send(2) on its descriptor are enough */
    int tls;                 /* an SSLSocket, whose own buffer is not needed and is left out */
    uint64_t received, sent; /* bytes, on this connection */
    int64_t occurred_after;  /* lower bound of the time of the last event waited for; 0: none */
};

/* Raises a TypeError for a socket of another kind, and whatever its methods raise. */
void raffia_http_transport_open(struct http_transport *transport, VALUE socket);
/* Raises IOError when the socket is closed. Not to be kept: another file may get the number. */
int raffia_http_descriptor(const struct http_transport *transport);
/* Waits in the fiber, with whatever scheduler there is, or in the thread. `events`: RAFFIA_READABLE
 * ... `limit`: nanoseconds, or RAFFIA_NO_LIMIT. Returns whether they came in time. Raises what
 * interrupts the wait. */
int raffia_http_wait(struct http_transport *transport, uint32_t events, int64_t limit);
/* The native scheduler of the running fiber, or NULL. */
struct scheduler *raffia_http_scheduler(void);
/* Lets other fibers run, those that wait for the network among them. */
void raffia_http_yield(void);
void raffia_init_http_transport(VALUE class);

/* http_methods.c: sockets of other kinds, such as TLS, by their methods. */
/* Some bytes, which the next call on any transport of the Ractor overwrites. Qnil at the end, also
 * where the connection broke; Qundef when it has to wait for `events`. */
VALUE raffia_http_read_record(struct http_transport *transport, uint32_t *events);
/* How many bytes were written, or :wait_readable or :wait_writable. Raises what the method does. */
VALUE raffia_http_write_record(struct http_transport *transport, VALUE string);
void raffia_init_http_methods(void);

#endif

#endif
