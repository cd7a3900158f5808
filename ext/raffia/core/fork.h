/* Which process this is, without a system call: glibc asks the kernel each time, and the loop asks
 * on every call. */
#ifndef RAFFIA_FORK_H
#define RAFFIA_FORK_H

#include <sys/types.h>

/* Before the first raffia_process. 0 or -errno. */
int raffia_process_init(void);
/* The id of this process: one load from memory. A child made by a bare clone(2), that fork handlers
 * never hear of, still sees its parent's; where a mistake would hurt the parent (closing),
 * getpid(2) is asked instead. */
pid_t raffia_process(void);
/* The kernel kills this process (SIGKILL) when the thread that forked it ends, and so with its
 * parent, whatever ends that and whatever this one does at the time. 0; -ESRCH when the parent has
 * ended already; -ENOSYS but on Linux; or another -errno. */
int raffia_process_die_with_parent(pid_t parent);
/* Whether this process gets the descendants whose parents end, to reap them, instead of init. 0;
 * -ENOSYS but on Linux; or another -errno. */
int raffia_process_set_subreaper(int orphans);

#endif
