/* Refuses a system call from here on, and in every child, like a container. */
#ifndef RAFFIA_REFUSE_H
#define RAFFIA_REFUSE_H

/* 1, or 0 where this cannot be had (no seccomp, no right). */
int refuse_system_call(int number, int error);
/* The same for calls whose second argument is this one: an operation of io_uring_register(2). */
int refuse_operation(int number, int operation, int error);

#endif
