/* The part of an engine that the scheduler's hot hooks use: they call its loop directly, the others
 * its Ruby methods. */
#ifndef RAFFIA_BIND_ENGINE_H
#define RAFFIA_BIND_ENGINE_H

#include <ruby.h>
#include "loop.h"

struct engine {
    struct raffia_loop loop;
    const struct raffia_backend *backend; /* stays when the loop is closed */
    VALUE next;                           /* the data of the peeked completion */
    int64_t result, occurred_after;
    int peeked;
    int polling; /* a thread is in the back end's wait, without the GVL */
};

/* Raises a TypeError for any other object. */
struct engine *raffia_engine_of(VALUE engine);
/* False when it is closed or, in a forked child, the parent's. */
int raffia_engine_is_open(const struct engine *engine);
/* Its loop, for a caller that changes it. Raises where raffia_engine_is_open is false, or another
 * thread sleeps in it. */
struct raffia_loop *raffia_engine_loop(VALUE engine);

/* Whether there is a completion: then `next` and `result` are set, and stay until
 * raffia_engine_drop. */
int raffia_engine_peek(VALUE self, struct engine *engine);
void raffia_engine_drop(struct engine *engine);

/* Runs one turn; `nanoseconds` as for raffia_loop_prepare. `poll_locked`: polls once with the GVL
 * held before it sleeps without. Returns the number of completions, and does not check interrupts
 * of the thread. */
int raffia_engine_turn(VALUE self, int64_t nanoseconds, int poll_locked);

/* Nanoseconds of any number, rounded up; 0 for a negative one. */
int64_t raffia_nanoseconds(VALUE seconds);
/* Raises the SystemCallError of a negative result. */
int64_t raffia_check(int64_t result, const char *what);
/* The descriptor of an IO, or of an Integer itself. */
int raffia_descriptor_of(VALUE io);
/* The bytes of an IO::Buffer from `offset` on. */
char *raffia_buffer_for_writing(VALUE buffer, size_t offset, size_t *length);
const char *raffia_buffer_for_reading(VALUE buffer, size_t offset, size_t *length);

#endif
