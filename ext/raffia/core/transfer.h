/* Transfers that do not wait, on descriptors of any kind: O_NONBLOCK or not, shared with other
 * processes or not. */
#ifndef RAFFIA_TRANSFER_H
#define RAFFIA_TRANSFER_H

#include <stddef.h>
#include <stdint.h>

/* Bytes, or -errno; -EAGAIN when it would have to wait. preadv2/pwritev2 with RWF_NOWAIT leave the
 * descriptor's flags as they are; where a file does not know that flag, poll(2) is asked first, and
 * a write is cut to what a ready pipe takes whole (PIPE_BUF). A regular file that is not in the
 * page cache answers -EAGAIN although no readiness will ever tell: see raffia_is_file. `offset`:
 * RAFFIA_CURRENT_POSITION or bytes from the start. */
int64_t raffia_try_read(int fd, void *buffer, size_t length, int64_t offset);
int64_t raffia_try_write(int fd, const void *buffer, size_t length, int64_t offset);
/* The same, but they wait for the disk. For regular files without a ring. */
int64_t raffia_read(int fd, void *buffer, size_t length, int64_t offset);
int64_t raffia_write(int fd, const void *buffer, size_t length, int64_t offset);
/* Whether a short read, which ended at `offset`, was short because the rest of the file is not in
 * the page cache; 0 at its end, and for any other descriptor. */
int raffia_is_cut_short(int fd, int64_t offset);
/* Whether readiness means nothing here: a regular file, a directory, a block device. */
int raffia_is_file(int fd);

/* The same for sockets, which have cheaper calls; other descriptors are read and written as
 * above. */
int64_t raffia_try_receive(int fd, void *buffer, size_t length);
int64_t raffia_try_send(int fd, const void *buffer, size_t length);

#endif
