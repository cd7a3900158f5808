/* Sends bytes to another process in shared memory instead of a pipe: they are written once, into an
 * anonymous file whose descriptor travels over a socket, and mapped there. No file has a name, so
 * nothing can be left behind: the kernel frees a payload with its last mapping or descriptor, also
 * one in a socket whose ends have both died. Linux only; elsewhere -ENOSYS. */
#ifndef RAFFIA_SHM_H
#define RAFFIA_SHM_H

#include <stddef.h>

enum {
    /* Bytes in front of the contents, which start on a cache line. */
    RAFFIA_SHM_HEAD = 64,
    /* Zeros behind them, for code that searches the end of a string. */
    RAFFIA_SHM_TAIL = 8,
    /* The most payloads of one message; the kernel's limit is 253. */
    RAFFIA_SHM_MAX_PAYLOADS = 64
};

struct raffia_payload {
    const char *start;
    size_t size;
};

/* A pair of sockets for payloads, closed on exec. 0 or -errno. */
int raffia_shm_pair(int sockets[2]);
/* Sends them as one message, all or none, and never waits. Returns the number sent, or -errno: no
 * memory, no descriptors, or the other side has not received what was sent before (-EAGAIN). */
int raffia_shm_send(int socket, const struct raffia_payload *payloads, int count);
/* The files of the next message, which has been sent already. Their number, or -errno; none is left
 * open then. */
int raffia_shm_receive(int socket, int files[RAFFIA_SHM_MAX_PAYLOADS]);
/* The size of the contents. Or -errno. */
long long raffia_shm_size(int file);
/* Maps it privately, with the head. 0 or -errno. */
int raffia_shm_map(int file, size_t size, char **start);
void raffia_shm_unmap(char *start, size_t size);
/* A copy of the contents. 0 or -errno. */
int raffia_shm_copy(int file, char *room, size_t size);

#endif
