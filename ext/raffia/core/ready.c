#include "ready.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SMALLEST = 64 };

void raffia_ready_init(struct raffia_ready *ready)
{
    memset(ready, 0, sizeof(*ready));
}

void raffia_ready_free(struct raffia_ready *ready)
{
    free(ready->slots);
    raffia_ready_init(ready);
}

static struct raffia_completion *slot(const struct raffia_ready *ready, size_t number)
{
    return &ready->slots[(ready->head + number) & (ready->capacity - 1)];
}

static int grow(struct raffia_ready *ready, size_t needed)
{
    size_t capacity = ready->capacity ? ready->capacity : SMALLEST;
    while (capacity < needed)
        capacity *= 2;
    struct raffia_completion *slots = malloc(capacity * sizeof(*slots));
    if (!slots) return -ENOMEM;
    for (size_t i = 0; i < ready->count; i++)
        slots[i] = *slot(ready, i);
    free(ready->slots);
    ready->slots = slots;
    ready->capacity = capacity;
    ready->head = 0;
    return 0;
}

int raffia_ready_reserve(struct raffia_ready *ready, size_t more)
{
    if (more <= ready->capacity - ready->count) return 0;
    if (more > SIZE_MAX / sizeof(*ready->slots) / 4 - ready->count) return -ENOMEM;
    return grow(ready, ready->count + more);
}

int raffia_ready_put(struct raffia_ready *ready, struct raffia_completion completion)
{
    int failure = raffia_ready_reserve(ready, 1);
    if (failure < 0) return failure;
    completion.occurred_after = ready->last_poll;
    *slot(ready, ready->count) = completion;
    ready->count++;
    return 0;
}

int raffia_ready_push(struct raffia_ready *ready, raffia_data data, int64_t result)
{
    return raffia_ready_put(ready, (struct raffia_completion){.data = data, .result = result});
}

int raffia_ready_shift(struct raffia_ready *ready, struct raffia_completion *completion)
{
    if (ready->count == 0) return 0;
    *completion = *slot(ready, 0);
    ready->head = (ready->head + 1) & (ready->capacity - 1);
    ready->count--;
    return 1;
}

void raffia_ready_each(struct raffia_ready *ready, void (*visit)(raffia_data *data, void *arg),
                       void *arg)
{
    for (size_t i = 0; i < ready->count; i++)
        visit(&slot(ready, i)->data, arg);
}

size_t raffia_ready_memsize(const struct raffia_ready *ready)
{
    return ready->capacity * sizeof(*ready->slots);
}
