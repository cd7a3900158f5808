/* Whether opening a file may block. It is checked before, because an open that waits looks like one
 * that does not. */
#ifndef RAFFIA_OPEN_CHECK_H
#define RAFFIA_OPEN_CHECK_H

#include <sys/types.h>

enum raffia_open_check {
    RAFFIA_OPENS_AT_ONCE,
    RAFFIA_OPENS_REMOTELY, /* a network file system, or one in another process */
    RAFFIA_OPENS_LATER     /* a FIFO or a terminal: when its other end is opened */
};

/* File systems that have been seen, by device. */
struct raffia_devices {
    struct {
        dev_t device;
        int known, remote;
    } seen[16];
    unsigned next;
};

/* `flags` as for open(2). A file that does not exist yet, or is replaced meanwhile, counts as
 * opened at once. */
enum raffia_open_check raffia_open_check(struct raffia_devices *devices, const char *path,
                                         int flags);

#endif
