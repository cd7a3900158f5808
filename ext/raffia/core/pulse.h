/* When a loop last polled. Another thread watches it, and sleeps as long as the loop does. */
#ifndef RAFFIA_PULSE_H
#define RAFFIA_PULSE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct raffia_pulse {
    _Atomic int64_t *running_since; /* raffia_now of the last poll's end; 0: the loop sleeps */
    atomic_int watcher_sleeps;
    int stopping; /* under the lock */
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

/* 0 or -errno. */
int raffia_pulse_init(struct raffia_pulse *pulse, _Atomic int64_t *running_since);
void raffia_pulse_free(struct raffia_pulse *pulse);
/* For the loop: it begins to sleep; it has polled. */
void raffia_pulse_pause(struct raffia_pulse *pulse);
void raffia_pulse_beat(struct raffia_pulse *pulse);
/* For the watcher: sleeps until the loop runs, or so many nanoseconds at most. Returns 0 when the
 * watcher is to end. */
int raffia_pulse_await(struct raffia_pulse *pulse);
int raffia_pulse_sleep(struct raffia_pulse *pulse, int64_t nanoseconds);
/* Ends the watcher's sleep for good. */
void raffia_pulse_stop(struct raffia_pulse *pulse);

#endif
