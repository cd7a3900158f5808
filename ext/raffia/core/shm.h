/* Bytes that go to another process in shared memory instead of through a pipe: written once, into
 * an anonymous file whose descriptor travels over a socket, and mapped there. Nothing of it has a
 * name, so nothing can be left behind: the kernel frees a parcel with its last mapping or
 * descriptor, one that is still in the socket when both ends die too. Linux only; elsewhere
 * -ENOSYS. */
#ifndef RAFFIA_SHM_H
#define RAFFIA_SHM_H

#include <stddef.h>

enum {
    /* Bytes in front of the contents, which start on a cache line. */
    RAFFIA_SHM_HEAD = 64,
    /* Zeros behind them, for whoever looks for the end of a string. */
    RAFFIA_SHM_TAIL = 8,
    /* Parcels that one message carries at most; the kernel's bound is 253. */
    RAFFIA_SHM_MAX_PAYLOADS = 64
};

struct raffia_payload {
    const char *start;
    size_t size;
};

/* A pair of sockets for parcels, closed on exec. 0 or -errno. */
int raffia_shm_pair(int sockets[2]);
/* Sends them as one message, all or none, and never waits. The number sent, or -errno: no memory,
 * no descriptors, or the other side has not taken what was sent before (-EAGAIN). */
int raffia_shm_send(int socket, const struct raffia_payload *parcels, int count);
/* The files of the next message, which has been sent already. Their number, or -errno; none is left
 * open then. */
int raffia_shm_receive(int socket, int files[RAFFIA_SHM_MAX_PAYLOADS]);
/* The size of the contents. Or -errno. */
long long raffia_shm_size(int file);
/* Memory that begins with the head. What is written to it is seen by nobody else. 0 or -errno. */
int raffia_shm_map(int file, size_t size, char **start);
void raffia_shm_unmap(char *start, size_t size);
/* A copy of the contents. 0 or -errno. */
int raffia_shm_copy(int file, char *room, size_t size);

#endif
