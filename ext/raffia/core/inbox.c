#include "inbox.h"

int raffia_inbox_init(struct raffia_inbox *inbox)
{
    raffia_ready_init(&inbox->completions);
    atomic_init(&inbox->count, 0);
    return -pthread_mutex_init(&inbox->lock, NULL);
}

void raffia_inbox_free(struct raffia_inbox *inbox)
{
    /* In a forked child a thread that does not exist may hold the lock, in the middle of a change:
     * then the completions are not freed. */
    if (pthread_mutex_trylock(&inbox->lock) != 0) return;
    raffia_ready_free(&inbox->completions);
    pthread_mutex_unlock(&inbox->lock);
    pthread_mutex_destroy(&inbox->lock);
}

int raffia_inbox_push(struct raffia_inbox *inbox, raffia_data data, int64_t result)
{
    pthread_mutex_lock(&inbox->lock);
    int failure = raffia_ready_push(&inbox->completions, data, result);
    /* Sequentially consistent: see wake.h. */
    atomic_store(&inbox->count, inbox->completions.count);
    pthread_mutex_unlock(&inbox->lock);
    return failure;
}

static int move(struct raffia_ready *completions, struct raffia_ready *ready, size_t spare)
{
    struct raffia_completion completion;
    int count = (int)completions->count;
    int failure = raffia_ready_reserve(ready, completions->count + spare);
    if (failure < 0) return failure;
    while (raffia_ready_shift(completions, &completion))
        raffia_ready_push(ready, completion.data, completion.result);
    return count;
}

int raffia_inbox_take(struct raffia_inbox *inbox, struct raffia_ready *ready, size_t spare)
{
    if (raffia_inbox_empty(inbox)) return 0;
    pthread_mutex_lock(&inbox->lock);
    int moved = move(&inbox->completions, ready, spare);
    atomic_store(&inbox->count, inbox->completions.count);
    pthread_mutex_unlock(&inbox->lock);
    return moved;
}

int raffia_inbox_empty(const struct raffia_inbox *inbox)
{
    return atomic_load(&inbox->count) == 0;
}

void raffia_inbox_each(struct raffia_inbox *inbox, void (*visit)(raffia_data *data, void *arg),
                       void *arg)
{
    pthread_mutex_lock(&inbox->lock);
    raffia_ready_each(&inbox->completions, visit, arg);
    pthread_mutex_unlock(&inbox->lock);
}
