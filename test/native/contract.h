/* One suite for every back end: each test gets a fresh loop on each that works here, and on those
 * with options, in each way. */
#ifndef RAFFIA_CONTRACT_H
#define RAFFIA_CONTRACT_H

#include "check.h"
#include "loop.h"

/* The buffers for receiving of each loop: so few and small that they run out. */
enum { CONTRACT_BUFFERS = 8, CONTRACT_BUFFER_SIZE = 64 };

struct contract_test {
    const char *name;
    void (*run)(struct raffia_loop *loop);
};

int contract_run(const char *group, const struct contract_test *tests, size_t count);

/* Whether the loop's back end is that one. */
int backend_is(const struct raffia_loop *loop, const char *name);
/* Whether it can wait for urgent data. */
int priority_is_known(const struct raffia_loop *loop);
/* Whether other threads run while the loop sleeps. valgrind (3.19) lets none while it is in
 * io_uring_enter. */
int threads_run_beside(const struct raffia_loop *loop);
/* Polls until something completes, seconds at most, and checks that it is this. */
void expect(struct raffia_loop *loop, raffia_data data, int64_t result);
/* The next completion, with polls of seconds at most. */
struct raffia_completion next_completion(struct raffia_loop *loop);
/* Polls without sleeping, a few times, and checks that nothing comes. */
void expect_nothing(struct raffia_loop *loop);
/* Arms, checks that it worked, and gives the id. */
raffia_id arm(struct raffia_loop *loop, int fd, uint32_t events, raffia_data data);
/* Checks that every armed op has completed, was disarmed, or is pending. */
void expect_balance(const struct raffia_loop *loop);
uint64_t syscalls(const struct raffia_loop *loop);

void make_pipe(int pipes[2]);
void make_sockets(int sockets[2]);
void close_pair(const int pair[2]);
void send_byte(int fd);
void take_byte(int fd);
/* An empty file that has no name, open for reading and writing. */
int make_file(void);

#endif
