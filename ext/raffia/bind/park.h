/* One suspension of one fiber. */
#ifndef RAFFIA_BIND_PARK_H
#define RAFFIA_BIND_PARK_H

#include <ruby.h>
#include "op.h"
#include "waits.h"

struct scheduler;

#define RAFFIA_NO_LIMIT (-1)

struct parking {
    struct scheduler *scheduler;
    VALUE blocker; /* what the fiber waits for, to be compared and shown, or Qnil */
    VALUE running; /* the fiber that ran before */
    enum reason reason;
    enum wakeable wakeable;
    int uninterruptible;
    int must_complete; /* the op uses the caller's memory: the wait lasts until it has completed */
    int fd;            /* that is waited for, or -1 */
    uint32_t events;   /* of it: RAFFIA_READABLE, ... */
    int64_t limit;     /* nanoseconds, after which the result is -ETIME; or RAFFIA_NO_LIMIT */
    /* Called once the wait can be found: submits what will end it, and returns whether waiting is
     * unnecessary. Or NULL. */
    int (*begin)(struct parking *parking);
    void *arg;
    struct wait *wait; /* while it lasts */
    raffia_id timer, op;
    int64_t result; /* 0 when waiting was unnecessary */
    int woken;      /* by unblock */
};

/* Returns parking->result. Raises what interrupts it. */
int64_t raffia_park(struct parking *parking);
/* The innermost wait of a fiber, or NULL. */
struct wait *raffia_find_wait(const struct scheduler *scheduler, VALUE fiber);
/* Adds a completion of the caller's own, from any thread. */
void raffia_deliver(struct scheduler *scheduler, VALUE data, int64_t result);

void raffia_init_park(VALUE native);

#endif
