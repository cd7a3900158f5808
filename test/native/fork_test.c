/* A forked child has its parent's loop in memory, and must not touch what the kernel shares with
 * the parent. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "contract.h"

enum { R = RAFFIA_READABLE };

/* 0 when all is as it should be, or the line. */
#define WRONG_UNLESS(condition)                                                                    \
    do {                                                                                           \
        if (!(condition)) return __LINE__;                                                         \
    } while (0)

static void visit(raffia_data *data, void *arg)
{
    (void)data;
    ++*(int *)arg;
}

static int use_loop_of_parent(struct raffia_loop *loop)
{
    raffia_id id;
    char byte;
    int visited = 0;
    struct raffia_completion completion;
    WRONG_UNLESS(!raffia_loop_owned(loop));
    WRONG_UNLESS(raffia_loop_arm(loop, 0, R, 1, &id) == -ECHILD);
    WRONG_UNLESS(raffia_loop_transfer(loop, RAFFIA_READ, 0, &byte, 1, 0, 1, &id) == -ECHILD);
    WRONG_UNLESS(raffia_loop_after(loop, 0, 1, &id) == -ECHILD);
    WRONG_UNLESS(raffia_loop_accept(loop, 0, 1, &id) == -ECHILD);
    WRONG_UNLESS(raffia_loop_receive(loop, 0, 1, &id) == -ECHILD);
    WRONG_UNLESS(raffia_loop_close_descriptor(loop, 0, 1, &id) == -ECHILD);
    WRONG_UNLESS(raffia_loop_child(loop, 1, 1, &id) == -ECHILD);
    WRONG_UNLESS(raffia_loop_return_buffer(loop, 1) == -ECHILD);
    WRONG_UNLESS(raffia_loop_disarm(loop, 1) == -ECHILD);
    WRONG_UNLESS(raffia_loop_push(loop, 1, 1) == -ECHILD);
    WRONG_UNLESS(raffia_loop_inject(loop, 1, 1) == -ECHILD);
    WRONG_UNLESS(raffia_loop_wake(loop) == -ECHILD);
    WRONG_UNLESS(raffia_loop_prepare(loop, 0) == -ECHILD);
    WRONG_UNLESS(raffia_loop_wait(loop, 0) == -ECHILD);
    WRONG_UNLESS(raffia_loop_finish(loop, 0) == -ECHILD);
    WRONG_UNLESS(raffia_loop_poll(loop, -1) == -ECHILD);
    WRONG_UNLESS(raffia_loop_shift(loop, &completion) == 0);
    raffia_loop_each(loop, visit, &visited);
    WRONG_UNLESS(visited > 0);
    raffia_loop_close(loop);
    raffia_loop_close(loop);
    return 0;
}

static int use_loop_of_its_own(const struct raffia_backend *backend)
{
    struct raffia_loop loop;
    struct raffia_completion completion;
    raffia_id id;
    int pipes[2];
    WRONG_UNLESS(raffia_loop_open(&loop, backend, NULL) == 0);
    WRONG_UNLESS(pipe(pipes) == 0 && write(pipes[1], "x", 1) == 1);
    WRONG_UNLESS(raffia_loop_arm(&loop, pipes[0], R, 7, &id) == 0);
    WRONG_UNLESS(raffia_loop_poll(&loop, -1) == 1);
    WRONG_UNLESS(raffia_loop_shift(&loop, &completion) == 1 && completion.data == 7);
    raffia_loop_close(&loop);
    return 0;
}

static void in_child(struct raffia_loop *loop)
{
    int status;
    pid_t child = CHECK_CALL(fork());
    if (child == 0) {
        const struct raffia_backend *backend = loop->backend;
        alarm(30);
        int line = use_loop_of_parent(loop);
        if (line == 0) line = use_loop_of_its_own(backend);
        _exit(line & 255);
    }
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), 0);
}

static void the_parent_goes_on(struct raffia_loop *loop)
{
    int pipes[2], others[2];
    raffia_id id, read = 0;
    char byte = 'a';
    make_pipe(pipes);
    make_pipe(others);
    arm(loop, pipes[0], R, 1);
    if (loop->backend->transfers) {
        CHECK_EQUAL(raffia_loop_transfer(loop, RAFFIA_READ, others[0], &byte, 1, -1, 2, &read), 0);
    }
    expect_nothing(loop); /* so the kernel has them */
    raffia_id unsubmitted = arm(loop, pipes[0], R, 3);
    CHECK_EQUAL(raffia_loop_after(loop, 1, 4, &id), 0);
    CHECK_EQUAL(raffia_loop_push(loop, 5, 0), 0);
    CHECK_EQUAL(raffia_loop_inject(loop, 6, 0), 0);
    in_child(loop);
    in_child(loop);
    expect(loop, 5, 0);
    expect(loop, 4, -ETIME);
    expect(loop, 6, 0);
    expect_nothing(loop);
    CHECK_EQUAL(raffia_loop_disarm(loop, unsubmitted), 1);
    send_byte(pipes[1]);
    expect(loop, 1, R);
    if (read) {
        send_byte(others[1]);
        expect(loop, 2, 1);
        CHECK_EQUAL(byte, 'x');
    }
    CHECK(raffia_loop_prepare(loop, -1) > 0);
    CHECK_EQUAL(raffia_loop_wake(loop), 1);
    CHECK_EQUAL(raffia_loop_finish(loop, raffia_loop_wait(loop, RAFFIA_FOREVER)), 0);
    close_pair(pipes);
    close_pair(others);
}

static int connect_to(int listener)
{
    struct sockaddr_in address = {0};
    socklen_t length = sizeof(address);
    CHECK_CALL(getsockname(listener, (struct sockaddr *)&address, &length));
    int fd = CHECK_CALL(socket(AF_INET, SOCK_STREAM, 0));
    CHECK_CALL(connect(fd, (struct sockaddr *)&address, length));
    return fd;
}

static int listen_here(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = CHECK_CALL(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
    CHECK_CALL(bind(fd, (struct sockaddr *)&address, sizeof(address)));
    CHECK_CALL(listen(fd, 10));
    return fd;
}

static void receive_byte(struct raffia_loop *loop, int peer)
{
    send_byte(peer);
    struct raffia_completion completion = next_completion(loop);
    CHECK_EQUAL(completion.result, 1);
    CHECK_EQUAL(*(const char *)raffia_loop_buffer(loop, completion.buffer), 'x');
    CHECK_EQUAL(raffia_loop_return_buffer(loop, completion.buffer), 0);
}

/* The listener, the ring of buffers, and a connection that is not accepted yet; the child closes
 * its copy of that. */
static void a_server_goes_on(struct raffia_loop *loop)
{
    int sockets[2], listener = listen_here();
    raffia_id accepting, receiving;
    make_sockets(sockets);
    CHECK_EQUAL(raffia_loop_accept(loop, listener, 1, &accepting), 0);
    CHECK_EQUAL(raffia_loop_receive(loop, sockets[0], 2, &receiving), 0);
    receive_byte(loop, sockets[1]);
    int client = connect_to(listener);
    while (loop->ready.count == 0)
        CHECK(raffia_loop_poll(loop, -1) >= 0);
    in_child(loop);
    int server = (int)next_completion(loop).result;
    CHECK_CALL(fcntl(server, F_GETFD));
    CHECK_EQUAL(write(server, "x", 1), 1);
    take_byte(client);
    for (int i = 0; i < 20; i++)
        receive_byte(loop, sockets[1]);
    CHECK_EQUAL(raffia_loop_disarm(loop, accepting), 0);
    expect(loop, 1, -ECANCELED);
    CHECK_EQUAL(raffia_loop_disarm(loop, receiving), 0);
    expect(loop, 2, -ECANCELED);
    CHECK_CALL(close(server));
    CHECK_CALL(close(client));
    CHECK_CALL(close(listener));
    close_pair(sockets);
}

/* Forked between prepare and finish, as a signal handler might. */
static void forked_in_the_middle_of_a_turn(struct raffia_loop *loop)
{
    CHECK_EQUAL(raffia_loop_push(loop, 1, 1), 0);
    expect(loop, 1, 1);
    CHECK(raffia_loop_prepare(loop, -1) > 0);
    CHECK_EQUAL(raffia_loop_inject(loop, 2, 2), 0);
    raffia_id id;
    CHECK_EQUAL(raffia_loop_after(loop, 3600000000000, 3, &id), 0);
    in_child(loop);
    CHECK_EQUAL(raffia_loop_finish(loop, raffia_loop_wait(loop, RAFFIA_FOREVER)), 1);
    expect(loop, 2, 2);
}

/* Another thread is adding a completion in that moment: its lock stays locked in the child for
 * ever. */
static void forked_while_the_inbox_is_locked(struct raffia_loop *loop)
{
    raffia_id id;
    CHECK_EQUAL(raffia_loop_inject(loop, 1, 1), 0);
    CHECK_EQUAL(raffia_loop_after(loop, 3600000000000, 3, &id), 0);
    pthread_mutex_lock(&loop->inbox.lock);
    in_child(loop);
    pthread_mutex_unlock(&loop->inbox.lock);
    expect(loop, 1, 1);
}

int main(void)
{
    static const struct contract_test tests[] = {
        TEST(the_parent_goes_on),
        TEST(a_server_goes_on),
        TEST(forked_in_the_middle_of_a_turn),
        TEST(forked_while_the_inbox_is_locked),
    };
    return contract_run("fork", tests, COUNT(tests));
}
