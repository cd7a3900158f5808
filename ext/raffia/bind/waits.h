/* The table of waits. A wait is one suspension of one fiber. Completions of the engine name it by
 * its ticket, a Fixnum, so they hold no object and cost no allocation. A reused slot has another
 * ticket: a late completion finds nothing. */
#ifndef RAFFIA_BIND_WAITS_H
#define RAFFIA_BIND_WAITS_H

#include <ruby.h>

enum reason { FOR_IO, FOR_TIME, FOR_UNBLOCK, FOR_TURN, FOR_WORK };
/* The unblocks that may end it: none, all but a late one, any. */
enum wakeable { BY_NOBODY, BY_EVENT, BY_ANYBODY };

struct wait {
    VALUE ticket; /* of this use of the slot */
    VALUE fiber;  /* that is suspended */
    VALUE
    owner; /* the scheduler's fiber that resumes `fiber` as an Enumerator, or `fiber` itself */
    VALUE blocker;
    VALUE error; /* to be raised instead, or Qnil */
    int64_t result;
    int64_t since; /* coarse monotonic nanoseconds */
    int64_t limit; /* nanoseconds, or negative; for inspection */
    /* The fiber's wait in which a trap handler began this one; of a free slot, the next one. */
    struct wait *outer;
    int fd;
    unsigned char events, reason, wakeable;
    unsigned char used, settled, uninterruptible, woken;
    unsigned char unannounced; /* Ruby does not announce the closing of its IO */
    unsigned char must_complete,
        op_completed; /* its op must have completed before it ends; it has */
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
