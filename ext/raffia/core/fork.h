/* The id of this process without a system call: glibc makes one each time, and the loop needs it on
 * every call. */
#ifndef RAFFIA_FORK_H
#define RAFFIA_FORK_H

#include <sys/types.h>

/* To be called before the first raffia_process. 0 or -errno. */
int raffia_process_init(void);
/* The id of this process: one load from memory. A child made by a bare clone(2), which runs no fork
 * handlers, still sees its parent's. Where a mistake would harm the parent (closing), getpid(2) is
 * called instead. */
pid_t raffia_process(void);
/* Has the kernel kill this process (SIGKILL) when the thread that forked it ends, and so with its
 * parent, in all cases. 0; -ESRCH when the parent has ended already; -ENOSYS except on Linux; or
 * another -errno. */
int raffia_process_die_with_parent(pid_t parent);
/* Whether this process, instead of init, becomes the parent of descendants whose own parents end.
 * 0; -ENOSYS except on Linux; or another -errno. */
int raffia_process_set_subreaper(int orphans);

#endif
