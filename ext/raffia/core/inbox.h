/* Completions from other threads, until the loop takes them. */
#ifndef RAFFIA_INBOX_H
#define RAFFIA_INBOX_H

#include <pthread.h>
#include <stdatomic.h>
#include "ready.h"

struct raffia_inbox {
    pthread_mutex_t lock;
    struct raffia_ready completions;
    atomic_size_t count; /* so that the loop can check without the lock */
};

int raffia_inbox_init(struct raffia_inbox *inbox);
void raffia_inbox_free(struct raffia_inbox *inbox);
/* Any thread. 0 or -ENOMEM. */
int raffia_inbox_push(struct raffia_inbox *inbox, raffia_data data, int64_t result);
/* Moves everything to `ready`, in order, and reserves room there for `spare` pushes more. Returns
 * the number moved, or -ENOMEM with nothing lost. */
int raffia_inbox_take(struct raffia_inbox *inbox, struct raffia_ready *ready, size_t spare);
int raffia_inbox_empty(const struct raffia_inbox *inbox);
void raffia_inbox_each(struct raffia_inbox *inbox, void (*visit)(raffia_data *data, void *arg),
                       void *arg);

#endif
