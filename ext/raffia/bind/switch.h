/* Chooses the fiber that runs next. */
#ifndef RAFFIA_BIND_SWITCH_H
#define RAFFIA_BIND_SWITCH_H

#include <ruby.h>

struct scheduler;

/* A fiber that has started another one, and resumes when that one waits for the first time. */
struct start {
    VALUE fiber, running;
    uint64_t number;
    /* It did not start the other fiber but raised in it (Fiber#raise): the switch to it removes the
     * entry. */
    int once;
};

struct start_stack {
    struct start *entries;
    size_t count, capacity;
    uint64_t last_number;
};

/* A fiber in Scheduler#run. */
struct runner {
    VALUE fiber, running;
};

struct runner_stack {
    struct runner *entries;
    size_t count, capacity;
};

/* A turn is the time between two polls of the engine. */
struct poll_turns {
    uint64_t count;
    size_t most_ready;           /* completions after one poll */
    int64_t started, longest;    /* without sleep; coarse, nanoseconds */
    unsigned switches, interval; /* switches since the last poll, and how many there may be */
};

/* Switches to another fiber; returns when the caller is resumed. */
void raffia_switch(struct scheduler *scheduler);
/* Runs `child` at once; returns when it waits or has ended. A fresh fiber is passed the argument
 * and sets `running` itself, because it may not get a stack; for one that has begun the argument is
 * Qundef. `locked`: takes the fiber start lock, which the child releases first of all. */
void raffia_start_fiber(struct scheduler *scheduler, VALUE child, VALUE argument, int locked);
/* Makes `owner` the running fiber again. Fiber#raise and Fiber#kill transfer to their target, and
 * Ruby keeps no way back: a fiber that finds another one running here resumes that one when it
 * waits or ends itself. */
void raffia_restore_running(struct scheduler *scheduler, VALUE owner);
/* Whether no fiber waits. */
int raffia_scheduler_is_idle(const struct scheduler *scheduler);

void raffia_init_switch(VALUE native);

#endif
