/* Wakes a fiber from any thread, whatever interrupts that thread meanwhile. */
#ifndef RAFFIA_BIND_UNBLOCK_H
#define RAFFIA_BIND_UNBLOCK_H

#include <ruby.h>

struct raffia_unblocking {
    void (*wake)(struct raffia_unblocking *unblocking); /* may raise, and is then called again */
    VALUE scheduler;
    VALUE blocker, fiber; /* as the hook gets them */
    int closing;          /* the fiber is in IO#close */
    int attempted, woken;
};

/* Calls `wake` until it has returned. Raises afterwards what was raised meanwhile. */
void raffia_unblock(struct raffia_unblocking *unblocking);

#endif
