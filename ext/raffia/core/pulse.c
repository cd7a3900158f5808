#include "pulse.h"

#include <errno.h>
#include <time.h>
#include "timer.h"

int raffia_pulse_init(struct raffia_pulse *pulse, _Atomic int64_t *running_since)
{
    pthread_condattr_t attributes;
    pulse->running_since = running_since;
    atomic_init(&pulse->watcher_sleeps, 0);
    pulse->stopping = 0;
    int failure = pthread_condattr_init(&attributes);
    if (failure != 0) return -failure;
#ifdef __linux__
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
#endif
    failure = pthread_cond_init(&pulse->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if (failure == 0) failure = pthread_mutex_init(&pulse->lock, NULL);
    return -failure;
}

void raffia_pulse_free(struct raffia_pulse *pulse)
{
    pthread_mutex_destroy(&pulse->lock);
    pthread_cond_destroy(&pulse->changed);
}

void raffia_pulse_pause(struct raffia_pulse *pulse)
{
    atomic_store_explicit(pulse->running_since, 0, memory_order_release);
}

/* Sequentially consistent: either the watcher sees that the loop runs, or this sees that the
 * watcher sleeps. */
void raffia_pulse_beat(struct raffia_pulse *pulse)
{
    atomic_store(pulse->running_since, raffia_now());
    if (!atomic_load(&pulse->watcher_sleeps)) return;
    pthread_mutex_lock(&pulse->lock);
    atomic_store(&pulse->watcher_sleeps, 0);
    pthread_cond_signal(&pulse->changed);
    pthread_mutex_unlock(&pulse->lock);
}

int raffia_pulse_await(struct raffia_pulse *pulse)
{
    pthread_mutex_lock(&pulse->lock);
    while (!pulse->stopping) {
        /* Anew each time: the loop may sleep again before this thread is awake. */
        atomic_store(&pulse->watcher_sleeps, 1);
        if (atomic_load(pulse->running_since) != 0) break;
        pthread_cond_wait(&pulse->changed, &pulse->lock);
    }
    atomic_store(&pulse->watcher_sleeps, 0);
    int goes_on = !pulse->stopping;
    pthread_mutex_unlock(&pulse->lock);
    return goes_on;
}

int raffia_pulse_sleep(struct raffia_pulse *pulse, int64_t nanoseconds)
{
    struct timespec until;
#ifdef __linux__
    clock_gettime(CLOCK_MONOTONIC, &until);
#else
    clock_gettime(CLOCK_REALTIME, &until);
#endif
    int64_t end = until.tv_nsec + nanoseconds;
    until.tv_sec += end / 1000000000;
    until.tv_nsec = end % 1000000000;
    pthread_mutex_lock(&pulse->lock);
    int late = 0;
    while (!pulse->stopping && !late)
        late = pthread_cond_timedwait(&pulse->changed, &pulse->lock, &until) == ETIMEDOUT;
    int goes_on = !pulse->stopping;
    pthread_mutex_unlock(&pulse->lock);
    return goes_on;
}

void raffia_pulse_stop(struct raffia_pulse *pulse)
{
    pthread_mutex_lock(&pulse->lock);
    pulse->stopping = 1;
    pthread_cond_signal(&pulse->changed);
    pthread_mutex_unlock(&pulse->lock);
}
