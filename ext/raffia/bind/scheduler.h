/* Raffia::Scheduler::Native: the hooks that every wait goes through, in C. What is rarely called is Ruby (lib/raffia/scheduler).
 *
 * All of this runs with Ruby's lock held, and Ruby code runs only where a hook calls it, so nothing comes in between two lines of C. What
 * may raise: a switch (interrupts of the thread strike after it), Ruby methods, and allocations of Ruby's. */
#ifndef RAFFIA_BIND_SCHEDULER_H
#define RAFFIA_BIND_SCHEDULER_H

#include <ruby.h>
#include <ruby/st.h>
#include "engine.h"
#include "waits.h"

/* A fiber that has started another one and goes on when that one waits for the first time. `once`: it was not that fiber that started
 * another one, but it struck it (Fiber#raise); nobody takes it off the stack but the switch to it. */
struct start {
    VALUE fiber, running;
    uint64_t number;
    int once;
};

/* A fiber in Scheduler#run. */
struct runner {
    VALUE fiber, running;
};

struct scheduler {
    VALUE self;
    VALUE engine; /* Qnil before it is attached */
    VALUE thread;
    VALUE main; /* the fiber that made the scheduler: the thread's first, as a rule */
    /* The scheduler's fiber that runs; Qnil outside of all. Whoever switches sets it for the other side, so a fiber that finds somebody
     * else's name there when it goes on was not switched to: it has been struck. */
    VALUE running;
    struct raffia_loop *loop;
    struct waits waits;
    struct st_table *parked; /* fiber => struct wait: its innermost one */
    struct start *starts;
    size_t start_count, start_capacity;
    uint64_t start_number;
    struct runner *runners;
    size_t runner_count, runner_capacity;
    struct carrier *idle;  /* recycled fibers without work; see fibers.c */
    struct carrier *spare; /* those of fibers that ended */
    size_t idle_count;
    VALUE living, nothing; /* Procs: of our fibers, and of fibers that never run */
    VALUE permits;   /* WeakKeyMap: fiber => whether it is good for a sleep; unblocks that came too early */
    VALUE addressed; /* WeakKeyMap: fiber => true; interrupts have been sent to it, so it is not used again */
    VALUE held; /* Hash: fiber => what it was given, where a trap handler waits before its block has begun */
    VALUE left; /* WeakKeyMap: fiber => what it has given up blocking on */
    size_t postponed;                  /* interrupts that wait for their fiber's next wait */
    uint64_t switches, started, fresh; /* fresh: of those started, for how many a fiber had to be made */
    size_t live;                       /* fibers of ours, the idle ones included */
    uint64_t turns;                    /* looks at I/O */
    size_t deepest;                    /* the most completions that were ready after one of them */
    int64_t turn_begun,
        longest_turn; /* the longest time between two of them, without sleep; coarse, nanoseconds */
    int64_t happened; /* not before that what the running fiber waited for last; nanoseconds */
    unsigned burst;   /* switches since I/O was looked at */
    unsigned turn;    /* how many of them there may be */
    int recycle;
    unsigned char *misses; /* by descriptor: how often in a row there was nothing to read yet; see bytes.c */
    size_t miss_count;
    int closes;            /* something has been closed since waits were looked through; see closes.c */
    int64_t looked;        /* when that was; coarse nanoseconds */
    uint64_t looked_after; /* and after how many switches */
    size_t unheard;        /* waits for what would be closed without a word */
    int crowded;           /* somebody waits for a fiber to end */
    int watchful;          /* a deadlock is to be looked for */
    int refusing;          /* nothing may begin to wait any more */
    int closed;
    /* What was put off to be done together with more of its kind: once, with `put_off_of`, before a fiber waits. */
    void (*put_off)(VALUE of);
    VALUE put_off_of;
};

struct scheduler *raffia_scheduler_of(VALUE self);
int raffia_scheduler_is_native(VALUE scheduler);
/* The same, with its engine open: it is opened by the thread that uses it first. Raises Raffia::Closed. */
struct scheduler *raffia_scheduler_attached(VALUE self);
int raffia_scheduler_is_own_thread(const struct scheduler *scheduler);

/* switch.c: who runs next. */
/* Gives the thread to somebody else, and comes back sooner or later. */
void raffia_switch(struct scheduler *scheduler);
/* Runs `child` at once; comes back when it waits or has ended. A fresh one is handed the argument, and says itself that it runs, because it
 * may not get a stack; one that has begun is not: Qundef. `guarded`: with raffia_birth_begin; then the child calls raffia_birth_end first of
 * all. */
void raffia_start(struct scheduler *scheduler, VALUE child, VALUE argument, int guarded);
/* Fiber#raise and Fiber#kill go to the fiber that they strike by a transfer, from which Ruby knows no way back. So whoever finds somebody
 * else running when it goes on lets that one go on when it waits or ends itself. `owner`: whose turn it is really. */
void raffia_give_back(struct scheduler *scheduler, VALUE owner);
int raffia_is_idle(const struct scheduler *scheduler);

/* park.c: one suspension of one fiber. */
struct parking {
    struct scheduler *scheduler;
    VALUE blocker; /* what it waits for, to be compared and shown, or Qnil */
    VALUE running; /* who ran before */
    enum reason reason;
    enum wakeable wakeable;
    int guarded;     /* not to be interrupted */
    int owed;        /* the op uses memory of the caller's: nothing ends the wait before it has completed */
    int fd;          /* that is waited for, or -1 */
    uint32_t events; /* of it: RAFFIA_READABLE, ... */
    int64_t limit;   /* nanoseconds; the result is -ETIME then. Or RAFFIA_NO_LIMIT */
    /* Called when the wait can be found: it arms what will end it, and says whether there is no need to wait. Or NULL. */
    int (*begin)(struct parking *parking);
    void *arg;
    struct wait *wait; /* while it lasts */
    raffia_id timer, op;
    int64_t result; /* 0 when there was no need to wait */
    int woken;      /* unblock came */
};
#define RAFFIA_NO_LIMIT (-1)
/* `todo` is called with `of` before any fiber waits the next time; what was put off before is done now. It may neither raise nor wait. */
void raffia_put_off(struct scheduler *scheduler, void (*todo)(VALUE of), VALUE of);
/* Returns parking->result. Raises what interrupts it. */
int64_t raffia_park(struct parking *parking);
/* The innermost wait of a fiber, or NULL. */
struct wait *raffia_wait_of(const struct scheduler *scheduler, VALUE fiber);
/* Completes an op of the caller's own making, from any thread. */
void raffia_deliver(struct scheduler *scheduler, VALUE word, int64_t result);

/* readiness.c: the events of an IO that came within `limit` nanoseconds, or Qfalse. Raises what interrupts the wait. */
VALUE raffia_wait_until_ready(struct scheduler *scheduler, VALUE io, uint32_t events, int64_t limit);

/* closes.c: fails the waits for what has been closed, if it is time for that; else the nanoseconds until it is, or -1. */
int64_t raffia_look_for_closed(struct scheduler *scheduler);
/* Whether nobody tells us when this object is closed. */
int raffia_closes_unheard(VALUE io);

/* births.c: the first switch to a fiber, where other Ractors may do the same. */
int raffia_births_shared(void);
/* May raise, and then nothing has begun. Until the switch nothing may allocate or take a lock of Ruby's. */
void raffia_birth_begin(struct scheduler *scheduler);
/* May be called when nothing has begun, or it has ended. */
void raffia_birth_end(struct scheduler *scheduler);
void raffia_init_births(void);

/* block.c: an unblock that came before the fiber waited: Qtrue when it ends a sleep too, Qfalse when not. Qnil: there was none. */
VALUE raffia_take_permit(struct scheduler *scheduler, VALUE fiber);

void raffia_init_scheduler(VALUE raffia);
void raffia_init_switch(VALUE native);
void raffia_init_park(VALUE native);
void raffia_init_fibers(VALUE native);
void raffia_init_block(VALUE native);
void raffia_init_readiness(VALUE native);
void raffia_init_bytes(VALUE native);
void raffia_init_closes(VALUE native);
void raffia_init_inspect(VALUE raffia, VALUE native);

/* fibers.c */
void raffia_fibers_mark(struct scheduler *scheduler);
void raffia_fibers_free(struct scheduler *scheduler);
/* Whether it has ended its block and waits for another. */
int raffia_fibers_is_idle(const struct scheduler *scheduler, VALUE fiber);
/* What a block has left in the running fiber. */
void raffia_clear_locals(void);
void raffia_clear_variables(VALUE fiber);
/* Lets go of those that are idle. */
void raffia_fibers_release(struct scheduler *scheduler);

#endif
