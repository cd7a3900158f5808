/* Waits for descriptors that another fiber or thread has closed. */
#ifndef RAFFIA_BIND_CLOSE_SCAN_H
#define RAFFIA_BIND_CLOSE_SCAN_H

#include <ruby.h>

struct scheduler;

struct close_scan {
    int requested;             /* a descriptor was closed since the last scan */
    int64_t scanned_at;        /* coarse nanoseconds */
    uint64_t switches_at_scan; /* the scheduler's count then */
    size_t unannounced;        /* waits for IOs whose closing Ruby does not announce */
};

/* Fails the waits for closed descriptors, if a scan is due. Else returns the nanoseconds until it
 * is, or -1. */
int64_t raffia_fail_closed_waits(struct scheduler *scheduler);
/* Whether Ruby does not announce the closing of this object. */
int raffia_close_is_unannounced(VALUE io);

void raffia_init_close_scan(VALUE native);

#endif
