/* A kernel, or a container, that refuses: for the rest of this process's life. */
#ifndef RAFFIA_REFUSE_H
#define RAFFIA_REFUSE_H

/* 1 when the system call of that number answers with that error from now on; 0 where filters cannot be set. */
int refuse_system_call(int number, int error);

#endif
