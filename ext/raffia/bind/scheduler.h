/* Raffia::Scheduler::Native as an object: its state, and who may use it. Each family of hooks has a
 * header and a file of its own; what is called seldom is Ruby (lib/raffia/scheduler).
 *
 * Contract of all these files: they run with the GVL held, and Ruby code runs only where a hook
 * calls it. So nothing happens between two lines of C. Three things may raise: a switch (interrupts
 * of the thread are raised after it), Ruby methods, and Ruby's allocations. */
#ifndef RAFFIA_BIND_SCHEDULER_H
#define RAFFIA_BIND_SCHEDULER_H

#include <ruby.h>
#include <ruby/st.h>
#include "close_scan.h"
#include "defer.h"
#include "engine.h"
#include "fiber_pool.h"
#include "permits.h"
#include "read_write.h"
#include "switch.h"
#include "waits.h"

struct scheduler {
    VALUE self;
    VALUE engine; /* Qnil before it is attached */
    VALUE thread;
    VALUE main; /* the fiber that made the scheduler: usually the thread's first one */
    /* The scheduler's fiber that runs; Qnil outside of all. Each switch sets it for the target. A
     * fiber that resumes and finds another name here was not switched to: Fiber#raise or Fiber#kill
     * transferred to it. */
    VALUE running;
    struct raffia_loop *loop;
    struct waits waits;
    struct st_table *parked; /* fiber => struct wait: its innermost one */
    struct start_stack starts;
    struct runner_stack runners;
    struct fiber_pool fibers;
    struct permits permits;
    struct deferral deferral;
    size_t postponed_interrupts; /* raised at the next wait of their fiber */
    uint64_t switches;
    struct poll_turns turns;
    /* Lower bound of the time of the event that resumed the running fiber; nanoseconds. */
    int64_t occurred_after;
    struct read_misses read_misses;
    struct close_scan closes;
    int detects_deadlocks;
    int rejects_waits;
    int closed;
};

struct scheduler *raffia_scheduler_of(VALUE self);
int raffia_scheduler_is_native(VALUE scheduler);
/* The same with an open engine: the thread that uses the scheduler first opens it. Raises
 * Raffia::Closed. */
struct scheduler *raffia_scheduler_attached(VALUE self);
int raffia_scheduler_is_own_thread(const struct scheduler *scheduler);

#endif
