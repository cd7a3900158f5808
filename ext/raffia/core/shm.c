#include "shm.h"

#include <errno.h>

#ifdef __linux__
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Room for the descriptors of one message, aligned as the kernel wants it. */
union control {
    char bytes[CMSG_SPACE(RAFFIA_SHM_MAX_PAYLOADS * sizeof(int))];
    struct cmsghdr header;
};

int raffia_shm_pair(int sockets[2])
{
    /* Messages stay separate, so one that was never received can be skipped. */
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0 ? -errno : 0;
}

static size_t whole(size_t size)
{
    return RAFFIA_SHM_HEAD + size + RAFFIA_SHM_TAIL;
}

static int write_all(int file, const char *start, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t count = pwrite(file, start + done, size - done, (off_t)(RAFFIA_SHM_HEAD + done));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return -errno;
        done += (size_t)count;
    }
    return 0;
}

/* A limit on the size of files applies to these too, and its signal would end the process. */
static int is_allowed(size_t size)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY ||
           size <= limit.rlim_cur;
}

static int fill(const struct raffia_payload *payload)
{
    if (!is_allowed(whole(payload->size))) return -EFBIG;
    int file = memfd_create("raffia", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (file < 0) return -errno;
    /* Written and not mapped: the kernel need not clear pages that it fills at once, and there are
     * no page faults. */
    int failure = write_all(file, payload->start, payload->size);
    if (failure == 0 && ftruncate(file, (off_t)whole(payload->size)) < 0) failure = -errno;
    /* A process that has it mapped would get SIGBUS if it shrank. (A seal against writing would
     * first wait until no page is in use.) */
    if (failure == 0 && fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
        failure = -errno;
    if (failure == 0) return file;
    close(file);
    return failure;
}

static void close_all(const int *files, int count)
{
    while (count > 0)
        close(files[--count]);
}

static int send_files(int socket, const int *files, int count)
{
    char byte = (char)count;
    union control control = {.bytes = {0}};
    struct iovec content = {.iov_base = &byte, .iov_len = 1};
    size_t size = (size_t)count * sizeof(int);
    struct msghdr message = {.msg_iov = &content,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = CMSG_SPACE(size)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(header), files, size);
    return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : count;
}

int raffia_shm_send(int socket, const struct raffia_payload *payloads, int count)
{
    int files[RAFFIA_SHM_MAX_PAYLOADS], filled = 0, result = 0;
    if (count < 1 || count > RAFFIA_SHM_MAX_PAYLOADS) return -EINVAL;
    while (filled < count && result >= 0) {
        result = fill(payloads + filled);
        if (result >= 0) files[filled++] = result;
    }
    if (result >= 0) result = send_files(socket, files, filled);
    /* The message keeps the files that were sent. */
    close_all(files, filled);
    return result;
}

int raffia_shm_receive(int socket, int files[RAFFIA_SHM_MAX_PAYLOADS])
{
    char byte = 0;
    union control control;
    struct iovec content = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {.msg_iov = &content,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t size = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (size < 0) return -errno;
    struct cmsghdr *header = size > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (!header) return size == 0 ? -EPIPE : -EMFILE;
    int count = (int)((header->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    memcpy(files, CMSG_DATA(header), (size_t)count * sizeof(int));
    if (count == byte) return count;
    /* This process has too many open files: the kernel has passed as many as it could. */
    close_all(files, count);
    return -EMFILE;
}

long long raffia_shm_size(int file)
{
    struct stat status;
    if (fstat(file, &status) < 0) return -errno;
    return status.st_size < (off_t)whole(0) ? -EINVAL
                                            : (long long)status.st_size - (long long)whole(0);
}

int raffia_shm_map(int file, size_t size, char **start)
{
    void *memory = mmap(NULL, whole(size), PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    if (memory == MAP_FAILED) return -errno;
    *start = memory;
    return 0;
}

void raffia_shm_unmap(char *start, size_t size)
{
    munmap(start, whole(size));
}

int raffia_shm_copy(int file, char *room, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t count = pread(file, room + done, size - done, (off_t)(RAFFIA_SHM_HEAD + done));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return count < 0 ? -errno : -EIO;
        done += (size_t)count;
    }
    return 0;
}
#else
int raffia_shm_pair(int sockets[2])
{
    (void)sockets;
    return -ENOSYS;
}

int raffia_shm_send(int socket, const struct raffia_payload *payloads, int count)
{
    (void)socket, (void)payloads, (void)count;
    return -ENOSYS;
}

int raffia_shm_receive(int socket, int files[RAFFIA_SHM_MAX_PAYLOADS])
{
    (void)socket, (void)files;
    return -ENOSYS;
}

long long raffia_shm_size(int file)
{
    (void)file;
    return -ENOSYS;
}

int raffia_shm_map(int file, size_t size, char **start)
{
    (void)file, (void)size, (void)start;
    return -ENOSYS;
}

void raffia_shm_unmap(char *start, size_t size)
{
    (void)start, (void)size;
}

int raffia_shm_copy(int file, char *room, size_t size)
{
    (void)file, (void)room, (void)size;
    return -ENOSYS;
}
#endif
