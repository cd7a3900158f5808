#include "backend.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "loop.h"

/* All back ends, best first, in the order of Raffia::Engine::BACKENDS. A new one is a file
 * backend_NAME.c and a line here. */
#define BACK_ENDS(ENTRY)                                                                           \
    ENTRY(uring)                                                                                   \
    ENTRY(epoll)                                                                                   \
    ENTRY(kqueue)                                                                                  \
    ENTRY(poll)

#define DECLARATION(name) extern const struct raffia_backend raffia_backend_##name;
#define ADDRESS(name)     &raffia_backend_##name,

BACK_ENDS(DECLARATION)

const struct raffia_backend *const raffia_backends[] = {BACK_ENDS(ADDRESS) NULL};

static const struct raffia_backend *find(const char *name)
{
    for (const struct raffia_backend *const *each = raffia_backends; *each; each++) {
        if (strcmp((*each)->name, name) == 0) return *each;
    }
    return NULL;
}

const struct raffia_backend *raffia_backend_named(const char *name)
{
    const struct raffia_backend *backend = find(name);
    return backend && !backend->absence ? backend : NULL;
}

const char *raffia_backend_absence(const char *name)
{
    const struct raffia_backend *backend = find(name);
    return backend ? backend->absence : "this build of the extension is without it";
}

static int explain(const struct raffia_backend *backend, const char *what, int failure, char *why,
                   size_t size)
{
    if (size > 0)
        snprintf(why, size, "%s: %s%s", what, strerror(-failure),
                 backend->hint ? backend->hint(-failure) : "");
    return failure;
}

enum { LIMIT = 1000000000 }; /* nanoseconds for a wait that should end at once */

/* Calls the back end directly: the loop's own prepare would find reasons not to sleep. */
static int probe_wake(struct raffia_loop *loop)
{
    int failure = raffia_wake_sleep(&loop->wake) ? raffia_wake_signal(&loop->wake) : -EAGAIN;
    for (int64_t end = raffia_now() + LIMIT; failure >= 0 && loop->metrics.wakes == 0;) {
        failure = raffia_loop_finish(loop, raffia_loop_wait(loop, LIMIT));
        if (failure >= 0 && loop->metrics.wakes == 0 && raffia_now() >= end) failure = -ETIMEDOUT;
    }
    return failure < 0 ? failure : 0;
}

static int wait_for_one(struct raffia_loop *loop, struct raffia_completion *completion)
{
    int found = 0;
    for (int64_t end = raffia_now() + LIMIT; found == 0;) {
        found = raffia_loop_poll(loop, LIMIT);
        if (found == 0 && raffia_now() >= end) found = -ETIMEDOUT;
    }
    if (found > 0) raffia_loop_shift(loop, completion);
    return found;
}

/* Reads one byte through a pipe, or at least its readiness. */
static int probe_pipe(struct raffia_loop *loop, int reader, int writer, char *byte)
{
    raffia_id id;
    struct raffia_completion completion = {0};
    if (write(writer, "r", 1) != 1) return -errno;
    int result = loop->backend->transfers ? raffia_loop_transfer(loop, RAFFIA_READ, reader, byte, 1,
                                                                 RAFFIA_CURRENT_POSITION, 0, &id)
                                          : raffia_loop_arm(loop, reader, RAFFIA_READABLE, 0, &id);
    if (result == 0) result = wait_for_one(loop, &completion);
    if (result < 0) return result;
    if (completion.result < 0) return (int)completion.result;
    return completion.result == 1 ? 0 : -EIO;
}

static int probe_read(struct raffia_loop *loop)
{
    int pipes[2];
    /* Static, because a kernel that never answers may still write here after this function has
     * returned. */
    static char byte;
    if (pipe(pipes) < 0) return -errno;
    int failure = probe_pipe(loop, pipes[0], pipes[1], &byte);
    close(pipes[0]);
    close(pipes[1]);
    return failure;
}

int raffia_backend_probe(const struct raffia_backend *backend, char *why, size_t size)
{
    struct raffia_loop loop;
    const char *what = "wake-up";
    if (size > 0) *why = '\0';
    int failure = raffia_loop_open(&loop, backend, NULL);
    if (failure < 0) return explain(backend, backend->open_call, failure, why, size);
    failure = probe_wake(&loop);
    if (failure == 0) {
        what = backend->transfers ? "read" : "poll";
        failure = probe_read(&loop);
    }
    raffia_loop_close(&loop);
    return failure < 0 ? explain(backend, what, failure, why, size) : 0;
}
