/* The table of waits. A wait is one suspension of one fiber; completions of the engine name it by
 * its ticket, a Fixnum, so they hold no object and cost no allocation. A slot that is used again
 * has another ticket: what comes too late finds nothing. */
#ifndef RAFFIA_BIND_WAITS_H
#define RAFFIA_BIND_WAITS_H

#include <ruby.h>

enum reason { FOR_IO, FOR_TIME, FOR_UNBLOCK, FOR_TURN, FOR_WORK };
/* Whose unblock may end it: nobody's; anybody's but a late one; anybody's. */
enum wakeable { BY_NOBODY, BY_EVENT, BY_ANYBODY };

struct wait {
    VALUE ticket; /* of this life of the slot */
    VALUE fiber;  /* the one that is suspended */
    VALUE
    owner; /* the scheduler's fiber in which it runs: another one when that is resuming an Enumerator */
    VALUE blocker;
    VALUE error; /* what to raise instead, or Qnil */
    int64_t result;
    int64_t since; /* coarse monotonic nanoseconds */
    int64_t limit; /* nanoseconds, or negative; for people who look */
    struct wait *
        outer; /* of the same fiber, when a trap handler waits in the middle of it; of a free slot, the next */
    int fd;
    unsigned char events, reason, wakeable;
    unsigned char used, settled, uninterruptible, woken;
    unsigned char unannounced; /* it waits for what would be closed without a word */
    unsigned char must_complete,
        op_completed; /* its op must have completed before it can end; it has */
};

struct waits {
    struct wait **blocks;
    size_t block_count;
    struct wait *free;
    size_t used;
};

/* NULL when there is no memory. */
struct wait *raffia_waits_acquire(struct waits *waits);
void raffia_waits_release(struct waits *waits, struct wait *wait);
/* NULL when that wait is over. */
struct wait *raffia_waits_find(const struct waits *waits, VALUE ticket);
void raffia_waits_each(const struct waits *waits, void (*visit)(struct wait *wait, void *arg),
                       void *arg);
void raffia_waits_free(struct waits *waits);
size_t raffia_waits_memsize(const struct waits *waits);

#endif
