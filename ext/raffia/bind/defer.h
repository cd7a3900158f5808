/* One call put off until a fiber waits, so that more work of its kind is done with it. */
#ifndef RAFFIA_BIND_DEFER_H
#define RAFFIA_BIND_DEFER_H

#include <ruby.h>

struct deferral {
    void (*run)(VALUE arg); /* neither raises nor waits; NULL: none */
    VALUE arg;
};

/* Makes the deferred call now, if there is one. */
static inline void raffia_run_deferred(struct deferral *deferral)
{
    void (*run)(VALUE arg) = deferral->run;
    if (!run) return;
    VALUE arg = deferral->arg;
    deferral->run = NULL;
    deferral->arg = Qnil;
    run(arg);
    RB_GC_GUARD(arg);
}

/* Calls `run` before any fiber waits again, and before the loop sleeps. An earlier deferred call
 * runs now. */
static inline void raffia_defer(struct deferral *deferral, void (*run)(VALUE arg), VALUE arg)
{
    raffia_run_deferred(deferral);
    deferral->run = run;
    deferral->arg = arg;
}

#endif
