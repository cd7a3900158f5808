/* Functions of the loop for servers, in addition to readiness and transfers. */
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include "loop_internal.h"

int raffia_loop_accept(struct raffia_loop *loop, int fd, raffia_data data, raffia_id *id)
{
    int failure = raffia_loop_check(loop);
    if (failure < 0) return failure;
    /* Another process may accept first, and then accept(2) of a readiness back end would block the
     * loop until the next connection. */
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0) return -errno;
    if (!(flags & O_NONBLOCK)) return -EINVAL;
    return raffia_loop_submit(loop, RAFFIA_ACCEPT, fd, 0, data, id);
}

static int ask_for(struct raffia_loop *loop, enum raffia_kind kind, int fd, raffia_data data,
                   raffia_id *id)
{
    int failure = raffia_loop_check(loop);
    if (failure == 0 && fd < 0) failure = -EBADF;
    return failure < 0 ? failure : raffia_loop_submit(loop, kind, fd, 0, data, id);
}

int raffia_loop_receive(struct raffia_loop *loop, int fd, raffia_data data, raffia_id *id)
{
    int failure = raffia_loop_check(loop);
    if (failure == 0) failure = raffia_buffers_prepare(&loop->buffers);
    return failure < 0 ? failure : ask_for(loop, RAFFIA_RECEIVE, fd, data, id);
}

const void *raffia_loop_buffer(const struct raffia_loop *loop, uint32_t buffer)
{
    return raffia_buffers_at(&loop->buffers, buffer);
}

static int give_back(struct raffia_loop *loop, uint32_t buffer)
{
    int failure = raffia_buffers_return(&loop->buffers, buffer);
    if (failure == 0 && loop->buffers.lent) loop->backend->provide(loop, buffer);
    return failure;
}

int raffia_loop_return_buffer(struct raffia_loop *loop, uint32_t buffer)
{
    int failure = raffia_loop_check(loop);
    return failure < 0 ? failure : give_back(loop, buffer);
}

int raffia_loop_close_descriptor(struct raffia_loop *loop, int fd, raffia_data data, raffia_id *id)
{
    return ask_for(loop, RAFFIA_CLOSE, fd, data, id);
}

int raffia_loop_child(struct raffia_loop *loop, pid_t pid, raffia_data data, raffia_id *id)
{
    siginfo_t unused;
    int failure = raffia_loop_check(loop);
    if (failure < 0) return failure;
    if (pid <= 0) return -EINVAL;
    /* A pidfd exists for a process that is no child, too, so the answer to a wrong number would
     * differ between back ends. */
    loop->metrics.syscalls++;
    if (waitid(P_PID, (id_t)pid, &unused, WEXITED | WNOHANG | WNOWAIT) < 0) return -errno;
    return raffia_loop_submit(loop, RAFFIA_CHILD, -1, pid, data, id);
}
