#include "wake.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#ifdef HAVE_EVENTFD
#include <sys/eventfd.h>
#endif

enum {
    AWAKE,
    ASLEEP, /* or about to be */
    WOKEN,  /* the current sleep has been ended, or the next one */
};

/* Linux' eventfd is one descriptor; a pipe is for all others. Both take eight bytes at a time. */
#ifdef HAVE_EVENTFD
static int open_descriptors(struct raffia_wake *wake)
{
    wake->fd = wake->writer = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return wake->fd < 0 ? -errno : 0;
}
#else
static int open_descriptors(struct raffia_wake *wake)
{
    int ends[2];
    if (pipe(ends) < 0) return -errno;
    for (int i = 0; i < 2; i++) {
        fcntl(ends[i], F_SETFD, FD_CLOEXEC);
        fcntl(ends[i], F_SETFL, O_NONBLOCK);
    }
    wake->fd = ends[0];
    wake->writer = ends[1];
    return 0;
}
#endif

int raffia_wake_init(struct raffia_wake *wake)
{
    atomic_init(&wake->state, AWAKE);
    atomic_init(&wake->writes, 0);
    wake->fd = wake->writer = -1;
    return open_descriptors(wake);
}

void raffia_wake_close(struct raffia_wake *wake)
{
    if (wake->writer >= 0 && wake->writer != wake->fd) close(wake->writer);
    if (wake->fd >= 0) close(wake->fd);
    wake->fd = wake->writer = -1;
}

int raffia_wake_sleep(struct raffia_wake *wake)
{
    int state = AWAKE;
    if (atomic_compare_exchange_strong(&wake->state, &state, ASLEEP)) return 1;
    atomic_store(&wake->state, AWAKE);
    return 0;
}

void raffia_wake_up(struct raffia_wake *wake)
{
    atomic_store(&wake->state, AWAKE);
}

/* A signal handler must preserve errno. EAGAIN: the descriptor is full, and so readable, which is
 * enough. */
static int write_descriptor(struct raffia_wake *wake)
{
    int saved = errno, result = 1;
    uint64_t one = 1;
    ssize_t written;
    do
        written = write(wake->writer, &one, sizeof(one));
    while (written < 0 && errno == EINTR);
    if (written < 0 && errno != EAGAIN) result = -errno;
    atomic_fetch_add_explicit(&wake->writes, 1, memory_order_relaxed);
    errno = saved;
    return result;
}

int raffia_wake_signal(struct raffia_wake *wake)
{
    int state = ASLEEP;
    if (!atomic_compare_exchange_strong(&wake->state, &state, WOKEN)) return 0;
    return write_descriptor(wake);
}

int raffia_wake_request(struct raffia_wake *wake)
{
    if (atomic_exchange(&wake->state, WOKEN) != ASLEEP) return 0;
    return write_descriptor(wake);
}

void raffia_wake_drain(struct raffia_wake *wake)
{
    /* An eventfd is empty after one read. A pipe may hold many; what is left makes it readable
     * again. */
    uint64_t counts[64];
    while (read(wake->fd, counts, sizeof(counts)) < 0 && errno == EINTR)
        continue;
}
