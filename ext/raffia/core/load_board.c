#include "load_board.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/types.h>

static size_t size_of(size_t count)
{
    return (count + 1) * sizeof(struct raffia_load);
}

int raffia_load_board_open(struct raffia_load_board *board, size_t count)
{
    void *memory =
        mmap(NULL, size_of(count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return -errno;
    board->loads = memory;
    board->count = count;
    return 0;
}

void raffia_load_board_close(struct raffia_load_board *board)
{
    if (board->loads) munmap(board->loads, size_of(board->count));
    board->loads = NULL;
}

static int used(const struct raffia_load_board *board)
{
    return atomic_load(&board->loads[board->count].pid);
}

struct raffia_load *raffia_load_board_begin(struct raffia_load_board *board, size_t index, int pid)
{
    struct raffia_load *load = board->loads + index;
    atomic_store(&load->receiving, 0);
    atomic_store(&load->full, 0);
    atomic_store(&load->behind, 0);
    atomic_store(&load->running_since, 0);
    atomic_store(&load->pid, pid);
    atomic_int *end = &board->loads[board->count].pid;
    int seen = atomic_load(end);
    while (seen <= (int)index && !atomic_compare_exchange_weak(end, &seen, (int)index + 1)) {
    }
    return load;
}

/* A killed worker leaves its figures behind. */
static int is_receiving(struct raffia_load *load)
{
    if (!atomic_load(&load->receiving)) return 0;
    if (kill((pid_t)atomic_load(&load->pid), 0) == 0 || errno != ESRCH) return 1;
    atomic_store(&load->receiving, 0);
    return 0;
}

static int is_idle(struct raffia_load *load, int64_t now)
{
    int64_t since = atomic_load(&load->running_since);
    int late = since != 0 && now - since > RAFFIA_LOAD_LATE / 2;
    return !late && !atomic_load(&load->full) && is_receiving(load);
}

int raffia_load_board_has_idle(const struct raffia_load_board *board,
                               const struct raffia_load *self, int64_t now)
{
    for (int i = 0; i < used(board); i++)
        if (board->loads + i != self && is_idle(board->loads + i, now)) return 1;
    return 0;
}

int raffia_load_board_has_free(const struct raffia_load_board *board,
                               const struct raffia_load *self)
{
    for (int i = 0; i < used(board); i++) {
        struct raffia_load *load = board->loads + i;
        if (load != self && !atomic_load(&load->full) && is_receiving(load)) return 1;
    }
    return 0;
}

int raffia_load_board_has_receiver(const struct raffia_load_board *board,
                                   const struct raffia_load *self)
{
    for (int i = 0; i < used(board); i++)
        if (board->loads + i != self && is_receiving(board->loads + i)) return 1;
    return 0;
}
