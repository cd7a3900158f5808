/* Raffia::Engine::BlockingCall: one operation of core's that a thread of a CallQueue is to run. */
#ifndef RAFFIA_BIND_BLOCKING_CALL_H
#define RAFFIA_BIND_BLOCKING_CALL_H

#include <pthread.h>
#include "operation.h"

struct raffia_loop;

enum state { NEW, QUEUED, RUNNING, DONE, CANCELLED };

/* The queue's lock guards all that changes. */
struct call {
    struct call *next; /* in the queue, or of those that run */
    struct operation operation, *home;
    VALUE self, policy, scheduler, fiber, ticket;
    struct raffia_loop *loop; /* NULL: nobody is to be told, or the scheduler is in Ruby */
    int portable;
    pthread_t thread;
    enum state state;
    int64_t submitted, elapsed;
    void *value;
    int error;
};

struct call *raffia_call_of(VALUE call);

#endif
