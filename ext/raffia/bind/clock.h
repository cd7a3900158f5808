#ifndef RAFFIA_BIND_CLOCK_H
#define RAFFIA_BIND_CLOCK_H

#include <time.h>
#include "raffia.h"

/* Seconds since 1970, a few milliseconds late; in a simulation those of the running host. */
time_t raffia_wall_clock(void);

#endif
