#include "transfer.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>
#include "op.h"

/* An answer that says nothing about the file, except that it does not support RWF_NOWAIT. */
static int unknown(int64_t result)
{
    return result == -EOPNOTSUPP || result == -ENOSYS;
}

int64_t raffia_read(int fd, void *buffer, size_t length, int64_t offset)
{
    ssize_t count;
    do
        count = offset < 0 ? read(fd, buffer, length) : pread(fd, buffer, length, offset);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

int64_t raffia_write(int fd, const void *buffer, size_t length, int64_t offset)
{
    ssize_t count;
    do
        count = offset < 0 ? write(fd, buffer, length) : pwrite(fd, buffer, length, offset);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

/* Whether the next transfer would not wait: 1, 0 or -errno. Another process that shares the file
 * may be faster; for these files (terminals, and pipes on older kernels) there is no better
 * answer. */
static int ready(int fd, short events)
{
    struct pollfd question = {.fd = fd, .events = events};
    int answers;
    do
        answers = poll(&question, 1, 0);
    while (answers < 0 && errno == EINTR);
    if (answers < 0) return -errno;
    return question.revents & POLLNVAL ? -EBADF : answers;
}

#ifdef HAVE_PREADV2
static int64_t read_now(int fd, void *buffer, size_t length, int64_t offset)
{
    struct iovec vector = {.iov_base = buffer, .iov_len = length};
    ssize_t count;
    do
        count = preadv2(fd, &vector, 1, offset < 0 ? -1 : offset, RWF_NOWAIT);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

static int64_t write_now(int fd, const void *buffer, size_t length, int64_t offset)
{
    struct iovec vector = {.iov_base = (void *)buffer, .iov_len = length};
    ssize_t count;
    do
        count = pwritev2(fd, &vector, 1, offset < 0 ? -1 : offset, RWF_NOWAIT);
    while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}
#else
static int64_t read_now(int fd, void *buffer, size_t length, int64_t offset)
{
    (void)fd, (void)buffer, (void)length, (void)offset;
    return -ENOSYS;
}

static int64_t write_now(int fd, const void *buffer, size_t length, int64_t offset)
{
    (void)fd, (void)buffer, (void)length, (void)offset;
    return -ENOSYS;
}
#endif

/* A terminal may be set so that its readers do not wait (VMIN and VTIME of 0): then an empty read
 * is an answer, of 0 bytes. */
static int never_waits(int fd)
{
    struct termios terminal;
    return tcgetattr(fd, &terminal) == 0 && !(terminal.c_lflag & ICANON) &&
           terminal.c_cc[VMIN] == 0 && terminal.c_cc[VTIME] == 0;
}

int64_t raffia_try_read(int fd, void *buffer, size_t length, int64_t offset)
{
    int64_t count = read_now(fd, buffer, length, offset);
    if (!unknown(count)) return count;
    int now = ready(fd, POLLIN);
    if (now == 0 && !never_waits(fd)) return -EAGAIN;
    return now < 0 ? now : raffia_read(fd, buffer, length, offset);
}

int64_t raffia_try_write(int fd, const void *buffer, size_t length, int64_t offset)
{
    int64_t count = write_now(fd, buffer, length, offset);
    if (!unknown(count)) return count;
    int now = ready(fd, POLLOUT);
    if (now == 0) return -EAGAIN;
    if (now < 0) return now;
    /* A ready pipe has room for PIPE_BUF bytes; the writer would have to wait for the rest. */
    if (length > PIPE_BUF && !raffia_is_file(fd)) length = PIPE_BUF;
    return raffia_write(fd, buffer, length, offset);
}

int64_t raffia_try_receive(int fd, void *buffer, size_t length)
{
    ssize_t count;
    do
        count = recv(fd, buffer, length, MSG_DONTWAIT);
    while (count < 0 && errno == EINTR);
    if (count >= 0) return count;
    return errno == ENOTSOCK ? raffia_try_read(fd, buffer, length, RAFFIA_CURRENT_POSITION)
                             : -errno;
}

int64_t raffia_try_send(int fd, const void *buffer, size_t length)
{
    ssize_t count;
    do
        count = send(fd, buffer, length, MSG_DONTWAIT);
    while (count < 0 && errno == EINTR);
    if (count >= 0) return count;
    return errno == ENOTSOCK ? raffia_try_write(fd, buffer, length, RAFFIA_CURRENT_POSITION)
                             : -errno;
}

int raffia_is_cut_short(int fd, int64_t offset)
{
    enum { PAGE = 4096 }; /* at least: what is in memory ends with one */
    struct stat status;
    if (offset < 0) offset = lseek(fd, 0, SEEK_CUR); /* which fails for what has no position */
    return offset > 0 && offset % PAGE == 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
           offset < status.st_size;
}

int raffia_is_file(int fd)
{
    struct stat status;
    if (fstat(fd, &status) < 0) return 0;
    return S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) || S_ISBLK(status.st_mode);
}
