#include "buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int raffia_buffers_init(struct raffia_buffers *buffers, uint32_t count, uint32_t size)
{
    memset(buffers, 0, sizeof(*buffers));
    buffers->count = count ? count : RAFFIA_BUFFERS_DEFAULT;
    buffers->size = size ? size : RAFFIA_BUFFER_SIZE_DEFAULT;
    if (buffers->count > RAFFIA_BUFFERS_MAX || buffers->count & (buffers->count - 1))
        return -EINVAL;
    return buffers->size > INT32_MAX / buffers->count ? -EINVAL : 0;
}

static size_t bytes(const struct raffia_buffers *buffers)
{
    return (size_t)buffers->count * buffers->size;
}

void raffia_buffers_free(struct raffia_buffers *buffers)
{
    if (buffers->memory) munmap(buffers->memory, bytes(buffers));
    free(buffers->out);
    free(buffers->list);
    memset(buffers, 0, sizeof(*buffers));
}

/* Pages that were never received into cost no memory. */
static char *map(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

int raffia_buffers_prepare(struct raffia_buffers *buffers)
{
    if (buffers->memory) return 0;
    if (!buffers->out) buffers->out = calloc(buffers->count, sizeof(*buffers->out));
    if (!buffers->list) buffers->list = calloc(buffers->count, sizeof(*buffers->list));
    if (!buffers->out || !buffers->list) return -ENOMEM;
    buffers->memory = map(bytes(buffers));
    if (!buffers->memory) return -ENOMEM;
    while (buffers->listed < buffers->count) {
        buffers->list[buffers->listed] = (uint16_t)(buffers->count - 1 - buffers->listed);
        buffers->listed++;
    }
    return 0;
}

void raffia_buffers_lend(struct raffia_buffers *buffers)
{
    buffers->lent = 1;
    buffers->listed = 0;
}

uint32_t raffia_buffers_free_count(const struct raffia_buffers *buffers)
{
    return buffers->count - buffers->outside;
}

void raffia_buffers_taken(struct raffia_buffers *buffers, uint32_t number)
{
    buffers->out[number - 1] = 1;
    buffers->outside++;
}

uint32_t raffia_buffers_take(struct raffia_buffers *buffers)
{
    if (buffers->listed == 0) return 0;
    uint32_t number = buffers->list[--buffers->listed] + 1u;
    raffia_buffers_taken(buffers, number);
    return number;
}

static int is_out(const struct raffia_buffers *buffers, uint32_t number)
{
    return number > 0 && number <= buffers->count && buffers->out && buffers->out[number - 1];
}

int raffia_buffers_return(struct raffia_buffers *buffers, uint32_t number)
{
    if (!is_out(buffers, number)) return -EINVAL;
    buffers->out[number - 1] = 0;
    buffers->outside--;
    if (!buffers->lent) buffers->list[buffers->listed++] = (uint16_t)(number - 1);
    return 0;
}

void *raffia_buffers_at(const struct raffia_buffers *buffers, uint32_t number)
{
    return is_out(buffers, number) ? buffers->memory + (size_t)(number - 1) * buffers->size : NULL;
}

size_t raffia_buffers_memsize(const struct raffia_buffers *buffers)
{
    if (!buffers->memory) return 0;
    return bytes(buffers) + buffers->count * (sizeof(*buffers->out) + sizeof(*buffers->list));
}
