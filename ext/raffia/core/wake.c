#include "wake.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum {
    UP,
    ASLEEP, /* or about to be */
    WOKEN,  /* the sleep has been ended; or the next one has, when it was not under way yet */
};

int raffia_wake_init(struct raffia_wake *wake)
{
    atomic_init(&wake->state, UP);
    atomic_init(&wake->writes, 0);
    wake->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return wake->fd < 0 ? -errno : 0;
}

void raffia_wake_close(struct raffia_wake *wake)
{
    if (wake->fd >= 0) close(wake->fd);
    wake->fd = -1;
}

int raffia_wake_sleep(struct raffia_wake *wake)
{
    int state = UP;
    if (atomic_compare_exchange_strong(&wake->state, &state, ASLEEP)) return 1;
    atomic_store(&wake->state, UP);
    return 0;
}

void raffia_wake_up(struct raffia_wake *wake)
{
    atomic_store(&wake->state, UP);
}

/* A signal handler must leave errno as it was. EAGAIN means that the counter is full, and so readable: that will do. */
static int write_descriptor(struct raffia_wake *wake)
{
    int saved = errno, result = 1;
    uint64_t one = 1;
    ssize_t written;
    do
        written = write(wake->fd, &one, sizeof(one));
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
    uint64_t count;
    while (read(wake->fd, &count, sizeof(count)) < 0 && errno == EINTR)
        continue;
}
