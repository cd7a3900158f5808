#include "poll_once.h"

#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "op.h"

static short wanted(uint32_t events)
{
    return (short)((events & RAFFIA_READABLE ? POLLIN : 0) |
                   (events & RAFFIA_PRIORITY ? POLLPRI : 0) |
                   (events & RAFFIA_WRITABLE ? POLLOUT : 0));
}

int raffia_poll_once(int fd, uint32_t events)
{
    struct pollfd question = {.fd = fd, .events = wanted(events)};
    int answers;
    do
        answers = poll(&question, 1, 0);
    while (answers < 0 && errno == EINTR);
    if (answers < 0) return -errno;
    if (answers == 0) return 0;
    if (question.revents & POLLNVAL) return -EBADF;
    if (question.revents & (POLLHUP | POLLERR)) return (int)events;
    return (question.revents & POLLIN ? RAFFIA_READABLE : 0) |
           (question.revents & POLLPRI ? RAFFIA_PRIORITY : 0) |
           (question.revents & POLLOUT ? RAFFIA_WRITABLE : 0);
}

int raffia_pidfd(pid_t pid)
{
#ifdef SYS_pidfd_open
    long fd = syscall(SYS_pidfd_open, pid, 0); /* close-on-exec by itself */
    return fd < 0 ? -errno : (int)fd;
#else
    (void)pid;
    return -ENOSYS;
#endif
}
