#include "fork.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

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
