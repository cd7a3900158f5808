/* Native threads for calls that can only block: files on back ends that know readiness only, and
 * getaddrinfo. A process has one pool, so its limit holds for all loops together. Threads start
 * when there is work for them, and end after a while without any. They do not use Ruby, and block
 * all signals.
 *
 * A forked child starts with an empty pool: queued and running jobs are freed there, and the parent
 * continues unaffected. */
#ifndef RAFFIA_BLOCKING_POOL_H
#define RAFFIA_BLOCKING_POOL_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include "wake.h"

/* Links of a circular list. */
struct raffia_link {
    struct raffia_link *next, *previous;
};

/* Submits jobs and gets them back: a loop. It lives in one thread, and must not move. */
struct raffia_client {
    struct raffia_wake *wake;
    struct raffia_link done; /* jobs that wait to be taken */
    atomic_size_t arrived;   /* how many, so that the loop can check without the lock */
    size_t jobs, running;    /* all of them, and those that are being run */
};

enum raffia_job_state { RAFFIA_JOB_QUEUED, RAFFIA_JOB_RUNNING, RAFFIA_JOB_DONE };

struct raffia_job {
    struct raffia_link link; /* first, so that a link is a job */
    /* The submitter sets these three. */
    void (*run)(struct raffia_job *job);  /* the work, on a thread of the pool */
    void (*free)(struct raffia_job *job); /* any thread */
    int detachable; /* it uses no memory of others, so it can be abandoned while it runs */
    /* And the pool these. */
    struct raffia_client *client; /* NULL: abandoned, and freed at its end */
    enum raffia_job_state state;
    int64_t submitted; /* monotonic nanoseconds */
};

struct raffia_blocking_metrics {
    uint64_t limit;        /* threads at most */
    uint64_t threads;      /* now */
    uint64_t peak;         /* threads, the most that there have been */
    uint64_t queued;       /* jobs that wait for a thread */
    uint64_t running;      /* jobs on a thread, cancelled ones included */
    uint64_t done;         /* jobs that ended and were not cancelled */
    uint64_t cancelled;    /* jobs without a completion */
    uint64_t longest_wait; /* nanoseconds from submit to run */
};

void raffia_client_init(struct raffia_client *client, struct raffia_wake *wake);
/* Any time; 1 when there is nothing to take. */
int raffia_client_empty(const struct raffia_client *client);
/* Cancels all of its jobs: waits for those that run and are not detachable, and frees them all.
 * Also in a forked child. */
void raffia_client_close(struct raffia_client *client);

/* 0: it will arrive, and the client's wake is signalled then. -EAGAIN (or whatever pthread_create
 * says): there is no thread, and none can be started; the job is still the caller's. Jobs begin in
 * the order in which they were submitted. */
int raffia_blocking_submit(struct raffia_client *client, struct raffia_job *job);
/* By its client's thread. 1: cancelled and freed; always so with a detachable one. 0: it runs or
 * has ended, and will arrive. */
int raffia_blocking_cancel(struct raffia_job *job);
/* The next job that has ended, which is the caller's from now on; NULL when there is none. */
struct raffia_job *raffia_blocking_take(struct raffia_client *client);

/* The most threads; 0: the default, two for each processor and at least four. Threads above it end
 * with their job. */
void raffia_blocking_limit(unsigned threads);
/* After how many nanoseconds without work a thread ends; counts from its next job on. */
void raffia_blocking_idle(int64_t nanoseconds);
struct raffia_blocking_metrics raffia_blocking_metrics(void);

#endif
