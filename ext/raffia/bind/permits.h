/* Wake-ups that came too early, and those that come too late.
 *
 * An `unblock` may arrive before its fiber has parked: it is kept as a permit, which the next
 * `block` takes. A late one names a blocker that its fiber has stopped waiting for. It must not end
 * a sleep. */
#ifndef RAFFIA_BIND_PERMITS_H
#define RAFFIA_BIND_PERMITS_H

#include <ruby.h>

struct permits {
    /* WeakKeyMaps, or Qnil before the first entry. */
    VALUE given;              /* fiber => whether its permit ends a sleep too */
    VALUE abandoned_blockers; /* fiber => what it has stopped blocking on */
};

/* Keeps a wake-up for a fiber that does not wait. */
void raffia_permit_give(struct permits *permits, VALUE fiber, int late);
VALUE raffia_permit_delete(struct permits *permits, VALUE fiber);
/* Qtrue when the fiber had a permit that ends a sleep too, Qfalse for a late one, Qnil for none. */
static inline VALUE raffia_permit_take(struct permits *permits, VALUE fiber)
{
    return NIL_P(permits->given) ? Qnil : raffia_permit_delete(permits, fiber);
}

/* The fiber stops blocking without a wake-up. */
void raffia_blocker_abandon(struct permits *permits, VALUE fiber, VALUE blocker);
/* The fiber begins to block again. */
void raffia_blocker_reset(struct permits *permits, VALUE fiber);
/* Whether a wake-up by this blocker comes too late for the fiber. */
int raffia_blocker_is_abandoned(const struct permits *permits, VALUE fiber, VALUE blocker);

void raffia_permits_mark(const struct permits *permits);
void raffia_init_permits(void);

#endif
