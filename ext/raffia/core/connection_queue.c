#include "connection_queue.h"

#include <errno.h>

#ifdef __linux__
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Room for one descriptor, aligned as the kernel wants it. */
union control {
    char bytes[CMSG_SPACE(sizeof(int))];
    struct cmsghdr header;
};

int raffia_connection_queue_open(int sockets[2])
{
    /* The kernel keeps messages apart, so several processes may send and receive. */
    int type = SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK;
    return socketpair(AF_UNIX, type, 0, sockets) < 0 ? -errno : 0;
}

int raffia_connection_queue_send(int queue, int fd, const struct raffia_moved *moved)
{
    union control control = {.bytes = {0}};
    struct iovec content = {.iov_base = (void *)(uintptr_t)moved, .iov_len = sizeof(*moved)};
    struct msghdr message = {.msg_iov = &content,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof(control.bytes)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &fd, sizeof(fd));
    return sendmsg(queue, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* The kernel drops a descriptor for which the receiver has no number, and the connection with
 * it. */
static int has_descriptor(int any)
{
    int spare = fcntl(any, F_DUPFD_CLOEXEC, 0);
    if (spare < 0) return -errno;
    close(spare);
    return 0;
}

int raffia_connection_queue_receive(int queue, struct raffia_moved *moved)
{
    union control control;
    struct iovec content = {.iov_base = moved, .iov_len = sizeof(*moved)};
    struct msghdr message = {.msg_iov = &content,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof(control.bytes)};
    int failure = has_descriptor(queue), fd;
    if (failure < 0) return failure;
    ssize_t size = recvmsg(queue, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (size < 0) return -errno;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_type != SCM_RIGHTS) return size == 0 ? -EPIPE : -EMFILE;
    memcpy(&fd, CMSG_DATA(header), sizeof(fd));
    if (size == sizeof(*moved)) return fd;
    close(fd);
    return -EBADMSG;
}
#else
int raffia_connection_queue_open(int sockets[2])
{
    (void)sockets;
    return -ENOSYS;
}

int raffia_connection_queue_send(int queue, int fd, const struct raffia_moved *moved)
{
    (void)queue, (void)fd, (void)moved;
    return -ENOSYS;
}

int raffia_connection_queue_receive(int queue, struct raffia_moved *moved)
{
    (void)queue, (void)moved;
    return -ENOSYS;
}
#endif
