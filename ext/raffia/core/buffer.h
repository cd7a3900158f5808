/* The buffers into which RAFFIA_RECEIVE receives: all of one size, in one piece of memory that
 * exists from the first receive on. An op owns none while it waits for data, so ten thousand idle
 * connections need none.
 *
 * A buffer is free, or out: with the caller, who has had a completion with its number. The free
 * ones are on a list here or, once a back end has called raffia_buffers_lend, in the kernel. */
#ifndef RAFFIA_BUFFER_H
#define RAFFIA_BUFFER_H

#include <stddef.h>
#include <stdint.h>

/* A kernel's number of a buffer has 16 bits, and its ring of them 2^15 places. */
enum {
    RAFFIA_BUFFERS_DEFAULT = 256,
    RAFFIA_BUFFERS_MAX = 1 << 15,
    RAFFIA_BUFFER_SIZE_DEFAULT = 8192
};

struct raffia_buffers {
    uint32_t count, size;
    char *memory;   /* NULL before the first use */
    uint8_t *out;   /* by index: whether it is out */
    uint16_t *list; /* indices of the free ones, the last used first: it is in the cache */
    uint32_t listed, outside;
    int lent;
};

/* 0 is the default. -EINVAL for a count that is no power of two or too large, or too much in
 * all. */
int raffia_buffers_init(struct raffia_buffers *buffers, uint32_t count, uint32_t size);
void raffia_buffers_free(struct raffia_buffers *buffers);
/* Allocates the memory, once. 0 or -ENOMEM. */
int raffia_buffers_prepare(struct raffia_buffers *buffers);
/* From here on the kernel keeps the free ones. */
void raffia_buffers_lend(struct raffia_buffers *buffers);
/* How many are free. */
uint32_t raffia_buffers_free_count(const struct raffia_buffers *buffers);
/* A free one of the list, which then is out: its number (from 1), or 0 when there is none. */
uint32_t raffia_buffers_take(struct raffia_buffers *buffers);
/* The kernel has taken that one. */
void raffia_buffers_taken(struct raffia_buffers *buffers, uint32_t number);
/* Makes it free again. -EINVAL when it is not out. The caller passes a lent one to the kernel. */
int raffia_buffers_return(struct raffia_buffers *buffers, uint32_t number);
/* The address of its bytes; NULL when it is not out. */
void *raffia_buffers_at(const struct raffia_buffers *buffers, uint32_t number);
size_t raffia_buffers_memsize(const struct raffia_buffers *buffers);

#endif
