#include "waits.h"

#include <stdlib.h>

/* Blocks never move, so a pointer is good until the wait is released. 64 waits are about 7 KB. */
enum { BLOCK_BITS = 6, BLOCK_SIZE = 1 << BLOCK_BITS };

/* 16 million waits at once, and 2^38 uses of each slot, fit a Fixnum. */
enum { INDEX_BITS = 24 };

static size_t index_of(VALUE ticket)
{
    return (size_t)(FIX2ULONG(ticket) & ((1UL << INDEX_BITS) - 1));
}

static VALUE next_life(VALUE ticket)
{
    unsigned long next = FIX2ULONG(ticket) + (1UL << INDEX_BITS);
    return LONG2FIX((long)(next & (unsigned long)FIXNUM_MAX));
}

static void free_slot(struct waits *waits, struct wait *wait)
{
    wait->used = 0;
    wait->outer = waits->free;
    waits->free = wait;
}

static int add_block(struct waits *waits)
{
    if (waits->block_count >= 1UL << (INDEX_BITS - BLOCK_BITS)) return -1;
    struct wait **blocks = realloc(waits->blocks, (waits->block_count + 1) * sizeof(*blocks));
    if (!blocks) return -1;
    waits->blocks = blocks;
    struct wait *block = calloc(BLOCK_SIZE, sizeof(*block));
    if (!block) return -1;
    for (size_t i = BLOCK_SIZE; i-- > 0;) {
        block[i].ticket = LONG2FIX((long)(waits->block_count * BLOCK_SIZE + i));
        free_slot(waits, &block[i]);
    }
    blocks[waits->block_count++] = block;
    return 0;
}

struct wait *raffia_waits_acquire(struct waits *waits)
{
    if (!waits->free && add_block(waits) < 0) return NULL;
    struct wait *wait = waits->free;
    waits->free = wait->outer;
    waits->used++;
    *wait = (struct wait){.ticket = wait->ticket,
                          .fiber = Qnil,
                          .owner = Qnil,
                          .blocker = Qnil,
                          .error = Qnil,
                          .fd = -1,
                          .limit = -1,
                          .used = 1};
    return wait;
}

void raffia_waits_release(struct waits *waits, struct wait *wait)
{
    wait->ticket = next_life(wait->ticket);
    waits->used--;
    free_slot(waits, wait);
}

struct wait *raffia_waits_find(const struct waits *waits, VALUE ticket)
{
    size_t index = index_of(ticket);
    if (index >> BLOCK_BITS >= waits->block_count) return NULL;
    struct wait *wait = &waits->blocks[index >> BLOCK_BITS][index & (BLOCK_SIZE - 1)];
    return wait->used && wait->ticket == ticket ? wait : NULL;
}

void raffia_waits_each(const struct waits *waits, void (*visit)(struct wait *wait, void *arg),
                       void *arg)
{
    for (size_t i = 0; i < waits->block_count; i++)
        for (size_t j = 0; j < BLOCK_SIZE; j++)
            if (waits->blocks[i][j].used) visit(&waits->blocks[i][j], arg);
}

void raffia_waits_free(struct waits *waits)
{
    for (size_t i = 0; i < waits->block_count; i++)
        free(waits->blocks[i]);
    free(waits->blocks);
    *waits = (struct waits){0};
}

size_t raffia_waits_memsize(const struct waits *waits)
{
    return waits->block_count * (sizeof(*waits->blocks) + BLOCK_SIZE * sizeof(**waits->blocks));
}
