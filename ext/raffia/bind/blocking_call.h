/* Raffia::Engine::BlockingCall: one blocking operation of core's, for a thread of a CallQueue. */
#ifndef RAFFIA_BIND_BLOCKING_CALL_H
#define RAFFIA_BIND_BLOCKING_CALL_H

#include <pthread.h>
#include "operation.h"

struct raffia_loop;

enum state { NEW, QUEUED, RUNNING, DONE, CANCELLED };

/* The queue's lock protects all mutable fields. */
struct call {
    struct call *next; /* in the queue, or of the running ones */
    struct operation operation, *original;
    VALUE self, policy, scheduler, fiber, ticket;
    struct raffia_loop *loop; /* NULL: no completion is wanted, or the scheduler is in Ruby */
    int portable;
    pthread_t thread;
    enum state state;
    int64_t submitted, elapsed;
    void *value;
    int error;
};

struct call *raffia_call_of(VALUE call);

#endif
