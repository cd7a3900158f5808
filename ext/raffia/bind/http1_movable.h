/* An idle HTTP/1 connection may be moved to another process (see connection_mover.h). */
#ifndef RAFFIA_BIND_HTTP1_MOVABLE_H
#define RAFFIA_BIND_HTTP1_MOVABLE_H

#include <ruby.h>

#ifdef HAVE_LLHTTP

#include "connection_mover.h"
#include "http_transport.h"

struct http1_movable {
    VALUE owner; /* the mover's object, or Qnil */
    struct raffia_mover *mover;
    struct raffia_movable *entry; /* NULL: the connection stays */
    uint32_t served;              /* requests on this connection, in all processes */
};

/* Waits for the next request of a connection whose input is empty. 1: it has come; 0: not in time;
 * -1: the connection was moved. */
int raffia_http1_wait_idle(struct http_transport *transport, struct http1_movable *movable,
                           int64_t limit);
/* Moves the connection if its request, unread, would wait here and not elsewhere. Returns whether
 * it was moved. */
int raffia_http1_pass_on(const struct http_transport *transport,
                         const struct http1_movable *movable);
void raffia_init_http1_movable(VALUE http1);

#endif

#endif
