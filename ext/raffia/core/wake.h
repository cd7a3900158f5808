/* Waking a loop that may be asleep in the kernel, from any thread.
 *
 * The descriptor is written only when the loop has said that it is about to sleep, and once for
 * each sleep: everything else is a memory access. The loop announces its sleep BEFORE it
 * checks its inbox for the last time, and a sender fills the inbox BEFORE it checks the
 * announcement; both with sequential consistency, so at least one of them sees the other. */
#ifndef RAFFIA_WAKE_H
#define RAFFIA_WAKE_H

#include <stdatomic.h>
#include <stdint.h>

struct raffia_wake {
    int fd; /* readable when there is a reason to wake: an eventfd, or a pipe */
    int writer;
    atomic_int state;
    atomic_ulong writes; /* how often the descriptor was written */
};

/* 0 or -errno. */
int raffia_wake_init(struct raffia_wake *wake);
void raffia_wake_close(struct raffia_wake *wake);
/* The loop is about to sleep: 1, or 0 when it must not, because of an earlier request. */
int raffia_wake_sleep(struct raffia_wake *wake);
/* The loop is up again. */
void raffia_wake_up(struct raffia_wake *wake);
/* Ends the current sleep, if there is one; for a sender whose completion the loop will find before
 * it sleeps again. Any thread, any signal handler. 1 when the descriptor was written, 0 when that
 * was unnecessary, or -errno. */
int raffia_wake_signal(struct raffia_wake *wake);
/* The same, but if the loop is awake, its next sleep ends at once: for senders that leave no
 * completion. */
int raffia_wake_request(struct raffia_wake *wake);
/* Empties the descriptor, for back ends that would see it readable again and again. Back ends that
 * get one report for each write (EPOLLET, a multishot poll) save this system call. */
void raffia_wake_drain(struct raffia_wake *wake);

#endif
