/* The first switch to a fiber, where other Ractors may start fibers too. */
#ifndef RAFFIA_BIND_FIBER_START_LOCK_H
#define RAFFIA_BIND_FIBER_START_LOCK_H

struct scheduler;

/* Whether there are other Ractors. */
int raffia_fiber_start_is_contended(void);
/* May raise, and then the lock is not taken. Until the switch nothing may allocate or take a lock
 * of Ruby's. */
void raffia_fiber_start_lock(struct scheduler *scheduler);
/* Harmless when the lock is not held. */
void raffia_fiber_start_unlock(struct scheduler *scheduler);
void raffia_init_fiber_start_lock(void);

#endif
