#include "fork.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_int current;
static int failure;

static void remember(void)
{
    atomic_store(&current, getpid());
}

static void start(void)
{
    remember();
    failure = -pthread_atfork(NULL, NULL, remember);
}

int raffia_process_init(void)
{
    int result = -pthread_once(&once, start);
    return result < 0 ? result : failure;
}

pid_t raffia_process(void)
{
    return atomic_load_explicit(&current, memory_order_relaxed);
}

int raffia_process_die_with_parent(pid_t parent)
{
#ifdef __linux__
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0) return -errno;
    /* The parent may have ended before that. */
    return getppid() == parent ? 0 : -ESRCH;
#else
    (void)parent;
    return -ENOSYS;
#endif
}

int raffia_process_set_subreaper(int orphans)
{
#ifdef __linux__
    return prctl(PR_SET_CHILD_SUBREAPER, (unsigned long)(orphans != 0), 0, 0, 0) < 0 ? -errno : 0;
#else
    (void)orphans;
    return -ENOSYS;
#endif
}
