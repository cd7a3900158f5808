#include "op.h"

#include <stdlib.h>
#include <string.h>

/* A block is an allocation that never moves. 128 ops are 8 KB: a loop with few waits stays small,
 * and one with many allocates seldom. */
enum { BLOCK_BITS = 7, BLOCK_SIZE = 1 << BLOCK_BITS, CACHE_LINE = 64 };

_Static_assert(sizeof(struct raffia_op) <= CACHE_LINE, "an op is one cache line");

#define GENERATION ((raffia_id)1 << 32)

void raffia_ops_init(struct raffia_ops *ops)
{
    memset(ops, 0, sizeof(*ops));
}

void raffia_ops_free(struct raffia_ops *ops)
{
    for (size_t i = 0; i < ops->block_count; i++)
        free(ops->blocks[i]);
    free(ops->blocks);
    raffia_ops_init(ops);
}

static void free_slot(struct raffia_ops *ops, struct raffia_op *op)
{
    op->kind = RAFFIA_FREE;
    op->next = ops->free;
    ops->free = op;
}

static int add_block(struct raffia_ops *ops)
{
    if (ops->block_count >= UINT32_MAX >> BLOCK_BITS) return -1;
    struct raffia_op **blocks = realloc(ops->blocks, (ops->block_count + 1) * sizeof(*blocks));
    if (!blocks) return -1;
    ops->blocks = blocks;
    struct raffia_op *block = aligned_alloc(CACHE_LINE, BLOCK_SIZE * sizeof(*block));
    if (!block) return -1;
    memset(block, 0, BLOCK_SIZE * sizeof(*block));
    uint32_t base = (uint32_t)ops->block_count << BLOCK_BITS;
    /* Backwards, so that low indices, whose neighbours are in the cache, are handed out first. */
    for (uint32_t i = BLOCK_SIZE; i-- > 0;) {
        block[i].id = GENERATION | (base + i);
        free_slot(ops, &block[i]);
    }
    ops->blocks[ops->block_count++] = block;
    return 0;
}

struct raffia_op *raffia_ops_acquire(struct raffia_ops *ops, enum raffia_kind kind,
                                     raffia_data data)
{
    if (!ops->free && add_block(ops) < 0) return NULL;
    struct raffia_op *op = ops->free;
    ops->free = op->next;
    ops->used++;
    *op = (struct raffia_op){.id = op->id, .kind = kind, .data = data, .fd = -1};
    return op;
}

void raffia_ops_release(struct raffia_ops *ops, struct raffia_op *op)
{
    op->id += GENERATION;
    if (op->id < GENERATION)
        op->id |= GENERATION; /* after 2^32 uses: there is no generation 0, nor an id 0 */
    ops->used--;
    free_slot(ops, op);
}

struct raffia_op *raffia_ops_find(const struct raffia_ops *ops, raffia_id id)
{
    uint32_t index = (uint32_t)id;
    if (index >> BLOCK_BITS >= ops->block_count) return NULL;
    struct raffia_op *op = &ops->blocks[index >> BLOCK_BITS][index & (BLOCK_SIZE - 1)];
    return op->id == id && op->kind != RAFFIA_FREE ? op : NULL;
}

void raffia_ops_each(struct raffia_ops *ops, void (*visit)(struct raffia_op *op, void *arg),
                     void *arg)
{
    for (size_t i = 0; i < ops->block_count << BLOCK_BITS; i++) {
        struct raffia_op *op = &ops->blocks[i >> BLOCK_BITS][i & (BLOCK_SIZE - 1)];
        if (op->kind != RAFFIA_FREE) visit(op, arg);
    }
}

size_t raffia_ops_memsize(const struct raffia_ops *ops)
{
    return ops->block_count * (sizeof(*ops->blocks) + BLOCK_SIZE * sizeof(**ops->blocks));
}
