/* Single system calls that need no loop. */
#ifndef RAFFIA_POLL_ONCE_H
#define RAFFIA_POLL_ONCE_H

#include <stdint.h>
#include <sys/types.h>

/* Polls without waiting: the events (RAFFIA_READABLE, ...) that are there now; 0 for none, or
 * -errno (-EBADF). A hang-up or an error counts as all of them, because a transfer would not
 * wait. */
int raffia_poll_once(int fd, uint32_t events);

/* A descriptor that becomes readable when the process ends, or -errno (-ESRCH, -ENOSYS before Linux
 * 5.3). */
int raffia_pidfd(pid_t pid);

#endif
