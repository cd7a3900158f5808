/* Waits for descriptors. */
#ifndef RAFFIA_BIND_READINESS_H
#define RAFFIA_BIND_READINESS_H

#include <ruby.h>

struct scheduler;

/* The events of an IO that came within `limit` nanoseconds, or Qfalse. Raises what interrupts the
 * wait. */
VALUE raffia_wait_until_ready(struct scheduler *scheduler, VALUE io, uint32_t events,
                              int64_t limit);

void raffia_init_readiness(VALUE native);

#endif
