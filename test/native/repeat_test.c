/* Accepting, receiving, sending, closing, and children that end: by the kernel where it knows how,
 * emulated where not, and the same to see from here. The last run is on kernels that know less,
 * which a seccomp filter makes of this one. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "contract.h"
#include "refuse.h"

enum { HERE = RAFFIA_CURRENT_POSITION, BUFFERS = CONTRACT_BUFFERS, SIZE = CONTRACT_BUFFER_SIZE };

/* -- accepting -- */

struct listener {
    int fd;
    struct sockaddr_in address;
};

static struct listener listen_here(void)
{
    struct listener listener = {.address = {.sin_family = AF_INET}};
    socklen_t length = sizeof(listener.address);
    listener.address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listener.fd = CHECK_CALL(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
    CHECK_CALL(bind(listener.fd, (struct sockaddr *)&listener.address, length));
    CHECK_CALL(listen(listener.fd, 1024));
    CHECK_CALL(getsockname(listener.fd, (struct sockaddr *)&listener.address, &length));
    return listener;
}

static int connect_to(const struct listener *listener)
{
    int fd = CHECK_CALL(socket(AF_INET, SOCK_STREAM, 0));
    CHECK_CALL(connect(fd, (const struct sockaddr *)&listener->address, sizeof(listener->address)));
    return fd;
}

static raffia_id accept_on(struct raffia_loop *loop, int fd, raffia_data data)
{
    raffia_id id = 0;
    CHECK_EQUAL(raffia_loop_accept(loop, fd, data, &id), 0);
    CHECK(id != 0);
    return id;
}

static void expect_last(struct raffia_loop *loop, raffia_data data, int64_t result)
{
    struct raffia_completion completion = next_completion(loop);
    CHECK_EQUAL(completion.data, data);
    CHECK_EQUAL(completion.result, result);
    CHECK_EQUAL(completion.flags, 0);
    CHECK_EQUAL(completion.buffer, 0);
}

static int expect_connection(struct raffia_loop *loop, raffia_data data)
{
    struct raffia_completion completion = next_completion(loop);
    CHECK_EQUAL(completion.data, data);
    CHECK(completion.result >= 0);
    CHECK_EQUAL(completion.flags, RAFFIA_MORE | RAFFIA_DESCRIPTOR);
    int fd = (int)completion.result;
    CHECK_EQUAL(fcntl(fd, F_GETFD), FD_CLOEXEC);
    CHECK_EQUAL(fcntl(fd, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
    return fd;
}

static void stop(struct raffia_loop *loop, raffia_id id, raffia_data data)
{
    CHECK_EQUAL(raffia_loop_disarm(loop, id), 0);
    expect_last(loop, data, -ECANCELED);
    CHECK_EQUAL(raffia_loop_disarm(loop, id), -ENOENT);
}

static void accepts_until_it_is_told_to_stop(struct raffia_loop *loop)
{
    struct listener listener = listen_here();
    raffia_id id = accept_on(loop, listener.fd, 1);
    expect_nothing(loop);
    for (int i = 0; i < 50; i++) {
        int client = connect_to(&listener), server = expect_connection(loop, 1);
        send_byte(client);
        take_byte(server);
        CHECK_CALL(close(client));
        CHECK_CALL(close(server));
        CHECK_EQUAL(raffia_loop_pending(loop), 1);
    }
    CHECK_EQUAL(loop->metrics.produced, 50);
    stop(loop, id, 1);
    int client = connect_to(&listener);
    expect_nothing(loop);
    CHECK_CALL(close(client));
    CHECK_CALL(close(listener.fd));
}

static void many_connections_at_once(struct raffia_loop *loop)
{
    struct listener listener = listen_here();
    int clients[200];
    raffia_id id = accept_on(loop, listener.fd, 1);
    for (size_t i = 0; i < COUNT(clients); i++)
        clients[i] = connect_to(&listener);
    for (size_t i = 0; i < COUNT(clients); i++)
        CHECK_CALL(close(expect_connection(loop, 1)));
    stop(loop, id, 1);
    for (size_t i = 0; i < COUNT(clients); i++)
        CHECK_CALL(close(clients[i]));
    CHECK_CALL(close(listener.fd));
}

/* Each connection is delivered, or still waits to be accepted. */
static void a_disarm_that_races_with_connections(struct raffia_loop *loop)
{
    struct listener listener = listen_here();
    for (raffia_data i = 0; i < 100; i++) {
        int delivered = 0, fd;
        raffia_id id = accept_on(loop, listener.fd, i);
        if (i % 2) expect_nothing(loop);
        int clients[2] = {connect_to(&listener), connect_to(&listener)};
        if (i % 3 == 0) CHECK(raffia_loop_poll(loop, 0) >= 0);
        CHECK_EQUAL(raffia_loop_disarm(loop, id), 0);
        CHECK(raffia_loop_disarm(loop, id) <= 0);
        struct raffia_completion completion;
        while ((completion = next_completion(loop)).flags & RAFFIA_MORE) {
            CHECK_EQUAL(completion.data, i);
            CHECK_CALL(close((int)completion.result));
            delivered++;
        }
        CHECK_EQUAL(completion.data, i);
        CHECK_EQUAL(completion.result, -ECANCELED);
        for (; (fd = accept(listener.fd, NULL, NULL)) >= 0; delivered++)
            CHECK_CALL(close(fd));
        CHECK_EQUAL(delivered, 2);
        close_pair(clients);
    }
    CHECK_CALL(close(listener.fd));
}

static void nothing_to_accept_from(struct raffia_loop *loop)
{
    raffia_id id;
    int sockets[2], pipes[2];
    make_sockets(sockets);
    make_pipe(pipes);
    CHECK_EQUAL(raffia_loop_accept(loop, sockets[0], 1, &id), -EINVAL); /* it would block */
    CHECK_CALL(fcntl(sockets[0], F_SETFL, O_NONBLOCK));
    CHECK_CALL(fcntl(pipes[0], F_SETFL, O_NONBLOCK));
    accept_on(loop, sockets[0], 2);
    send_byte(sockets[1]); /* where readiness is waited for, the error is seen when there is some */
    expect_last(loop, 2, -EINVAL);
    accept_on(loop, pipes[0], 3);
    send_byte(pipes[1]);
    expect_last(loop, 3, -ENOTSOCK);
    CHECK_EQUAL(raffia_loop_accept(loop, -1, 4, &id), -EBADF);
    close_pair(sockets);
    CHECK_EQUAL(raffia_loop_accept(loop, sockets[0], 5, &id), -EBADF);
    CHECK_EQUAL(raffia_loop_pending(loop), 0);
    close_pair(pipes);
}

static void too_many_open_files(struct raffia_loop *loop)
{
    struct rlimit limit, less;
    if (check_valgrind())
        return; /* keeps the limit to itself, and the kernel does not know of it */
    struct listener listener = listen_here();
    int client = connect_to(&listener);
    CHECK_CALL(getrlimit(RLIMIT_NOFILE, &limit));
    less = (struct rlimit){(rlim_t)client + 1, limit.rlim_max};
    CHECK_CALL(setrlimit(RLIMIT_NOFILE, &less));
    accept_on(loop, listener.fd, 1); /* io_uring knows the limit of when it was asked */
    struct raffia_completion completion = next_completion(loop);
    CHECK_CALL(setrlimit(RLIMIT_NOFILE, &limit));
    CHECK_EQUAL(completion.result, -EMFILE);
    CHECK_EQUAL(completion.flags, 0);
    raffia_id id = accept_on(loop, listener.fd, 2);
    CHECK_CALL(close(expect_connection(loop, 2)));
    stop(loop, id, 2);
    CHECK_CALL(close(client));
    CHECK_CALL(close(listener.fd));
}

/* The caller counts descriptors, and so checks that they are closed. */
static void descriptors_that_nobody_took(struct raffia_loop *loop)
{
    struct listener listener = listen_here();
    int clients[20];
    accept_on(loop, listener.fd, 1);
    for (size_t i = 0; i < COUNT(clients); i++)
        clients[i] = connect_to(&listener);
    CHECK(raffia_loop_poll(loop, -1) > 0);
    raffia_loop_close(loop);
    for (size_t i = 0; i < COUNT(clients); i++)
        CHECK_CALL(close(clients[i]));
    CHECK_CALL(close(listener.fd));
}

/* -- receiving -- */

static raffia_id receive_from(struct raffia_loop *loop, int fd, raffia_data data)
{
    raffia_id id = 0;
    CHECK_EQUAL(raffia_loop_receive(loop, fd, data, &id), 0);
    CHECK(id != 0);
    return id;
}

/* The stream is the letters in turn, so that a byte tells its position. How many of them went. */
static int send_letters(int fd, int from, int count)
{
    char letters[BUFFERS * SIZE * 2];
    CHECK(count <= (int)sizeof(letters));
    for (int i = 0; i < count; i++)
        letters[i] = (char)('a' + (from + i) % 26);
    ssize_t sent = send(fd, letters, (size_t)count, MSG_DONTWAIT);
    return sent < 0 ? 0 : (int)sent;
}

static int send_messages(int fd, int from, int count)
{
    for (int i = 0; i < count; i++) {
        if (send_letters(fd, from + i, 1) == 0) return i;
    }
    return count;
}

static void check_letters(const char *bytes, int64_t count, int from)
{
    for (int64_t i = 0; i < count; i++)
        CHECK_EQUAL(bytes[i], 'a' + (from + i) % 26);
}

/* The bytes of a completion, whose place in the stream is `from`; its buffer is then given back. */
static int take_letters(struct raffia_loop *loop, struct raffia_completion completion, int from)
{
    CHECK(completion.result > 0 && completion.result <= SIZE);
    CHECK_EQUAL(completion.flags, RAFFIA_MORE);
    check_letters(raffia_loop_buffer(loop, completion.buffer), completion.result, from);
    CHECK_EQUAL(raffia_loop_return_buffer(loop, completion.buffer), 0);
    return from + (int)completion.result;
}

static void receives_until_the_end_of_the_stream(struct raffia_loop *loop)
{
    int sockets[2], received = 0;
    make_sockets(sockets);
    raffia_id id = receive_from(loop, sockets[0], 1);
    expect_nothing(loop);
    for (int i = 0; i < 100; i++) {
        CHECK_EQUAL(send_letters(sockets[1], received, 1), 1);
        received = take_letters(loop, next_completion(loop), received);
        CHECK_EQUAL(received, i + 1);
    }
    CHECK_EQUAL(send_letters(sockets[1], received, 4 * SIZE), 4 * SIZE);
    while (received < 100 + 4 * SIZE)
        received = take_letters(loop, next_completion(loop), received);
    CHECK_EQUAL(send_letters(sockets[1], received, 3), 3);
    CHECK_CALL(shutdown(sockets[1], SHUT_WR));
    received = take_letters(loop, next_completion(loop), received);
    expect_last(loop, 1, 0);
    CHECK_EQUAL(raffia_loop_disarm(loop, id), -ENOENT);
    close_pair(sockets);
}

static void a_buffer_is_given_back_once(struct raffia_loop *loop)
{
    int sockets[2];
    CHECK_EQUAL(raffia_loop_return_buffer(loop, 1), -EINVAL);
    CHECK(raffia_loop_buffer(loop, 1) == NULL);
    make_sockets(sockets);
    raffia_id id = receive_from(loop, sockets[0], 1);
    CHECK_EQUAL(send_letters(sockets[1], 0, 1), 1);
    uint32_t buffer = next_completion(loop).buffer;
    CHECK(raffia_loop_buffer(loop, buffer) != NULL);
    CHECK_EQUAL(raffia_loop_return_buffer(loop, buffer), 0);
    CHECK(raffia_loop_buffer(loop, buffer) == NULL);
    CHECK_EQUAL(raffia_loop_return_buffer(loop, buffer), -EINVAL);
    CHECK_EQUAL(raffia_loop_return_buffer(loop, 0), -EINVAL);
    CHECK_EQUAL(raffia_loop_return_buffer(loop, BUFFERS + 1), -EINVAL);
    stop(loop, id, 1);
    close_pair(sockets);
}

/* Polls as long as something comes; what has come. */
static size_t hoard(struct raffia_loop *loop, struct raffia_completion *completions, size_t most)
{
    size_t count = 0;
    for (int quiet = 0; quiet < 5; quiet++) {
        CHECK(raffia_loop_poll(loop, 0) >= 0);
        for (; raffia_loop_shift(loop, &completions[count]); quiet = 0)
            CHECK(++count < most);
    }
    return count;
}

static void a_receive_waits_for_a_buffer(struct raffia_loop *loop)
{
    enum { MORE = 3 * SIZE };
    int sockets[2], received = 0;
    struct raffia_completion held[BUFFERS + 2];
    make_sockets(sockets);
    raffia_id id = receive_from(loop, sockets[0], 1);
    CHECK_EQUAL(send_letters(sockets[1], 0, BUFFERS * SIZE + MORE), BUFFERS * SIZE + MORE);
    size_t count = hoard(loop, held, COUNT(held));
    CHECK_EQUAL(count, BUFFERS);
    CHECK(loop->metrics.starved >= 1);
    uint64_t starved = loop->metrics.starved;
    expect_nothing(loop);
    CHECK_EQUAL(loop->metrics.starved, starved);
    for (size_t i = 0; i < count; i++)
        received = take_letters(loop, held[i], received);
    while (received < BUFFERS * SIZE + MORE)
        received = take_letters(loop, next_completion(loop), received);
    expect_nothing(loop);
    stop(loop, id, 1);
    close_pair(sockets);
}

static void a_disarm_while_it_waits_for_a_buffer(struct raffia_loop *loop)
{
    int sockets[2], received = 0;
    struct raffia_completion held[BUFFERS + 2];
    make_sockets(sockets);
    raffia_id id = receive_from(loop, sockets[0], 1);
    CHECK_EQUAL(send_letters(sockets[1], 0, BUFFERS * SIZE + 5), BUFFERS * SIZE + 5);
    size_t count = hoard(loop, held, COUNT(held));
    CHECK_EQUAL(count, BUFFERS);
    stop(loop, id, 1);
    for (size_t i = 0; i < count; i++)
        received = take_letters(loop, held[i], received);
    expect_nothing(loop);
    id = receive_from(loop, sockets[0], 2);
    received = take_letters(loop, next_completion(loop), received);
    CHECK_EQUAL(received, BUFFERS * SIZE + 5);
    stop(loop, id, 2);
    close_pair(sockets);
}

enum { PEERS = 5 * BUFFERS, LETTERS = 300 };

/* Held back for a while by a caller that is slow, and there are fewer of them than senders. */
static void few_buffers_for_many(struct raffia_loop *loop)
{
    int sockets[PEERS][2], sent[PEERS] = {0}, received[PEERS] = {0}, total = 0;
    raffia_id ids[PEERS];
    struct raffia_completion held[BUFFERS + 1];
    size_t holding = 0;
    for (raffia_data i = 0; i < PEERS; i++) {
        make_sockets(sockets[i]);
        ids[i] = receive_from(loop, sockets[i][0], i);
    }
    while (total < PEERS * LETTERS) {
        for (int i = 0; i < PEERS; i++)
            sent[i] += send_letters(sockets[i][1], sent[i],
                                    (int)check_random((uint32_t)(LETTERS - sent[i] + 1)));
        CHECK(raffia_loop_poll(loop, 0) >= 0);
        while (holding < BUFFERS && raffia_loop_shift(loop, &held[holding]))
            holding++;
        for (; holding > 0 && check_random(4); holding--) {
            int before = received[held[0].data], after = take_letters(loop, held[0], before);
            received[held[0].data] = after;
            total += after - before;
            memmove(held, held + 1, (holding - 1) * sizeof(*held));
        }
    }
    CHECK_EQUAL(raffia_buffers_free_count(&loop->buffers), BUFFERS);
    for (raffia_data i = 0; i < PEERS; i++) {
        CHECK_EQUAL(received[i], LETTERS);
        stop(loop, ids[i], i);
        close_pair(sockets[i]);
    }
}

/* All that was sent has been received, or is still there. */
static void a_disarm_that_races_with_data(struct raffia_loop *loop)
{
    int sockets[2], place = 0, sent = 0;
    make_sockets(sockets);
    for (raffia_data i = 0; i < 200; i++) {
        raffia_id id = receive_from(loop, sockets[0], i);
        if (i % 2) expect_nothing(loop);
        sent += send_letters(sockets[1], sent, 3);
        if (i % 3 == 0) CHECK(raffia_loop_poll(loop, 0) >= 0);
        CHECK_EQUAL(raffia_loop_disarm(loop, id), 0);
        struct raffia_completion completion;
        while ((completion = next_completion(loop)).flags & RAFFIA_MORE)
            place = take_letters(loop, completion, place);
        CHECK_EQUAL(completion.result, -ECANCELED);
        char rest[16];
        ssize_t count = recv(sockets[0], rest, sizeof(rest), MSG_DONTWAIT);
        if (count > 0) check_letters(rest, count, place);
        if (count > 0) place += (int)count;
        CHECK_EQUAL(place, sent);
    }
    CHECK_EQUAL(raffia_buffers_free_count(&loop->buffers), BUFFERS);
    close_pair(sockets);
}

static void errors_end_it(struct raffia_loop *loop)
{
    int pipes[2];
    struct listener listener = listen_here();
    int client = connect_to(&listener), server = CHECK_CALL(accept(listener.fd, NULL, NULL));
    make_pipe(pipes);
    receive_from(loop, pipes[0], 1);
    send_byte(pipes[1]);
    expect_last(loop, 1, -ENOTSOCK);
    receive_from(loop, server, 2);
    expect_nothing(loop);
    struct linger reset = {.l_onoff = 1};
    CHECK_CALL(setsockopt(client, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)));
    CHECK_CALL(close(client));
    /* libkqueue fetches the socket's error to report it, and then it is gone. */
    struct raffia_completion last = next_completion(loop);
    CHECK(last.result == -ECONNRESET || (last.result == 0 && backend_is(loop, "kqueue")));
    CHECK_EQUAL(last.flags, 0);
    CHECK_EQUAL(raffia_buffers_free_count(&loop->buffers), BUFFERS);
    CHECK_CALL(close(server));
    CHECK_CALL(close(listener.fd));
    close_pair(pipes);
}

/* A caller that polls and never shifts gets so many completions, and the rest when it has
 * shifted. */
static void a_caller_that_falls_behind(struct raffia_loop *parent)
{
    enum { MESSAGES = 6000, BOUND = 4096 };
    int sockets[2], sent = 0, stuck = 0, received = 0;
    struct raffia_loop loop;
    struct raffia_completion completion;
    struct raffia_options options = {.buffers = 8192, .buffer_size = 16};
    CHECK_EQUAL(raffia_loop_open(&loop, parent->backend, &options), 0);
    CHECK_CALL(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets));
    raffia_id id = receive_from(&loop, sockets[0], 1);
    while (stuck < 10) {
        int more = send_messages(sockets[1], sent, MESSAGES - sent);
        sent += more;
        stuck = more > 0 ? 0 : stuck + 1;
        CHECK(raffia_loop_poll(&loop, 0) >= 0);
    }
    CHECK_EQUAL(loop.ready.count, BOUND);
    CHECK(sent < MESSAGES || loop.metrics.produced < MESSAGES);
    while (received < MESSAGES) {
        sent += send_messages(sockets[1], sent, MESSAGES - sent);
        completion = next_completion(&loop);
        CHECK_EQUAL(completion.result, 1);
        check_letters(raffia_loop_buffer(&loop, completion.buffer), 1, received++);
        CHECK_EQUAL(raffia_loop_return_buffer(&loop, completion.buffer), 0);
    }
    CHECK_EQUAL(raffia_loop_disarm(&loop, id), 0);
    expect_last(&loop, 1, -ECANCELED);
    expect_balance(&loop);
    raffia_loop_close(&loop);
    close_pair(sockets);
}

static void wrong_options(struct raffia_loop *parent)
{
    static const struct raffia_options wrong[] = {
        {.buffers = 3}, {.buffers = 1 << 16}, {.buffer_size = 1 << 30}};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct raffia_loop loop;
        CHECK_EQUAL(raffia_loop_open(&loop, parent->backend, &wrong[i]), -EINVAL);
    }
}

/* One request that stays, and one call of the kernel for each turn. */
static void what_a_receive_costs(struct raffia_loop *loop)
{
    int sockets[2], received = 0;
    make_sockets(sockets);
    raffia_id id = receive_from(loop, sockets[0], 1);
    expect_nothing(loop);
    uint64_t before = syscalls(loop);
    for (int i = 0; i < 100; i++) {
        CHECK_EQUAL(send_letters(sockets[1], received, 1), 1);
        received = take_letters(loop, next_completion(loop), received);
    }
    if (backend_is(loop, "uring") && loop->buffers.lent) CHECK(syscalls(loop) - before <= 105);
    stop(loop, id, 1);
    close_pair(sockets);
}

struct visit {
    struct raffia_loop *loop;
    int listener, socket;
};

static void *start_and_end(void *arg)
{
    struct visit *visit = arg;
    accept_on(visit->loop, visit->listener, 1);
    receive_from(visit->loop, visit->socket, 2);
    CHECK_EQUAL(raffia_loop_poll(visit->loop, 1000000), 0);
    return NULL;
}

/* Like the native threads of a Ractor. */
static void a_thread_that_ends_leaves_its_ops(struct raffia_loop *parent)
{
    int sockets[2];
    pthread_t thread;
    struct raffia_loop loop;
    struct listener listener = listen_here();
    make_sockets(sockets);
    CHECK_EQUAL(raffia_loop_open(&loop, parent->backend, &(struct raffia_options){.movable = 1}),
                0);
    struct visit visit = {&loop, listener.fd, sockets[0]};
    CHECK_EQUAL(pthread_create(&thread, NULL, start_and_end, &visit), 0);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
    for (int i = 0; i < 3; i++) {
        int client = connect_to(&listener);
        CHECK_CALL(close(expect_connection(&loop, 1)));
        CHECK_CALL(close(client));
        CHECK_EQUAL(send_letters(sockets[1], 0, 1), 1);
        struct raffia_completion completion = next_completion(&loop);
        CHECK_EQUAL(completion.data, 2);
        CHECK_EQUAL(completion.result, 1);
        CHECK_EQUAL(raffia_loop_return_buffer(&loop, completion.buffer), 0);
    }
    raffia_loop_close(&loop);
    close_pair(sockets);
    CHECK_CALL(close(listener.fd));
}

static void closing_in_the_middle(struct raffia_loop *loop)
{
    struct listener listener = listen_here();
    int sockets[2], others[2];
    struct raffia_completion held[BUFFERS + 2];
    make_sockets(sockets);
    make_sockets(others);
    accept_on(loop, listener.fd, 1);
    receive_from(loop, sockets[0], 2);
    CHECK_EQUAL(send_letters(sockets[1], 0, (BUFFERS + 1) * SIZE), (BUFFERS + 1) * SIZE);
    CHECK_EQUAL(hoard(loop, held, COUNT(held)), BUFFERS);
    receive_from(loop, others[0], 3);
    int client = connect_to(&listener);
    raffia_loop_close(loop);
    CHECK_EQUAL(raffia_loop_return_buffer(loop, held[0].buffer), -EBADF);
    CHECK_CALL(close(client));
    CHECK_CALL(close(listener.fd));
    close_pair(sockets);
    close_pair(others);
}

/* -- sending and receiving once -- */

static raffia_id transfer(struct raffia_loop *loop, enum raffia_kind kind, int fd, void *buffer,
                          size_t length, raffia_data data)
{
    raffia_id id = 0;
    CHECK_EQUAL(raffia_loop_transfer(loop, kind, fd, buffer, length, HERE, data, &id), 0);
    return id;
}

static void make_impatient_sockets(int sockets[2])
{
    CHECK_CALL(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets));
}

static void they_wait_on_sockets_that_do_not_block(struct raffia_loop *loop)
{
    static char large[1 << 20], bytes[1 << 20];
    int sockets[2];
    int64_t sent, received = 0;
    make_impatient_sockets(sockets);
    transfer(loop, RAFFIA_RECV, sockets[0], bytes, sizeof(bytes), 1);
    expect_nothing(loop);
    transfer(loop, RAFFIA_SEND, sockets[1], "hello", 5, 2);
    struct raffia_completion first = next_completion(loop), second = next_completion(loop);
    CHECK_EQUAL(first.data + second.data, 3);
    CHECK(first.result == 5 && second.result == 5);
    CHECK_EQUAL(memcmp(bytes, "hello", 5), 0);
    while ((sent = send(sockets[1], large, sizeof(large), 0)) > 0)
        received -= sent;
    transfer(loop, RAFFIA_SEND, sockets[1], large, sizeof(large), 3);
    expect_nothing(loop);
    while (received < 0) {
        transfer(loop, RAFFIA_RECV, sockets[0], bytes, sizeof(bytes), 4);
        for (struct raffia_completion completion; (completion = next_completion(loop)).data != 0;) {
            CHECK(completion.result > 0);
            if (completion.data == 4) received += completion.result;
            if (completion.data == 4) break;
            received -= completion.result;
        }
    }
    if (raffia_loop_pending(loop)) CHECK(next_completion(loop).result > 0);
    close_pair(sockets);
}

static void nobody_receives(struct raffia_loop *loop)
{
    int sockets[2];
    make_impatient_sockets(sockets);
    CHECK_CALL(close(sockets[1]));
    signal(SIGPIPE, SIG_DFL);
    transfer(loop, RAFFIA_SEND, sockets[0], "x", 1, 1);
    expect(loop, 1, -EPIPE);
    char byte;
    transfer(loop, RAFFIA_RECV, sockets[0], &byte, 1, 2);
    expect(loop, 2, 0);
    raffia_id id;
    CHECK_EQUAL(raffia_loop_transfer(loop, RAFFIA_RECV, sockets[0], &byte, 1, 0, 3, &id), -EINVAL);
    CHECK_CALL(close(sockets[0]));
}

static void a_cancelled_one_leaves_the_data(struct raffia_loop *loop)
{
    int sockets[2];
    char byte = 'a';
    make_impatient_sockets(sockets);
    for (int i = 0; i < 20; i++) {
        raffia_id id = transfer(loop, RAFFIA_RECV, sockets[0], &byte, 1, 1);
        if (i % 2) expect_nothing(loop);
        int result = raffia_loop_disarm(loop, id);
        CHECK_EQUAL(result, loop->backend->transfers ? 0 : 1);
        if (result == 0) expect(loop, 1, -ECANCELED);
        send_byte(sockets[1]);
        expect_nothing(loop);
        take_byte(sockets[0]);
        CHECK_EQUAL(byte, 'a');
    }
    close_pair(sockets);
}

/* -- closing -- */

static void a_descriptor_is_closed(struct raffia_loop *loop)
{
    raffia_id id;
    int pipes[2];
    make_pipe(pipes);
    CHECK_EQUAL(raffia_loop_close_descriptor(loop, pipes[0], 1, &id), 0);
    expect_last(loop, 1, 0);
    CHECK_EQUAL(fcntl(pipes[0], F_GETFD), -1);
    CHECK_EQUAL(write(pipes[1], "x", 1), -1);
    CHECK_EQUAL(raffia_loop_close_descriptor(loop, pipes[0], 2, &id), 0);
    expect_last(loop, 2, -EBADF);
    CHECK_EQUAL(raffia_loop_close_descriptor(loop, pipes[1], 3, &id), 0);
    int result = raffia_loop_disarm(loop, id);
    CHECK(result == 0 || result == -ENOENT);
    expect_last(loop, 3, 0);
    CHECK_EQUAL(fcntl(pipes[1], F_GETFD), -1);
    CHECK_EQUAL(raffia_loop_close_descriptor(loop, -1, 4, &id), -EBADF);
    /* And when the loop is closed meanwhile. */
    make_pipe(pipes);
    CHECK_EQUAL(raffia_loop_close_descriptor(loop, pipes[0], 5, &id), 0);
    CHECK_EQUAL(raffia_loop_close_descriptor(loop, pipes[1], 6, &id), 0);
    raffia_loop_close(loop);
}

/* -- children -- */

/* A process that ends with 7 when the pipe is closed. */
static pid_t make_child(int pipes[2])
{
    make_pipe(pipes);
    pid_t pid = CHECK_CALL(fork());
    if (pid > 0) return pid;
    char byte;
    close(pipes[1]);
    _exit(read(pipes[0], &byte, 1) == 0 ? 7 : 8);
}

/* Not everywhere: valgrind (3.19) knows no pidfd_open(2). */
static int can_watch(struct raffia_loop *loop)
{
    raffia_id id;
    int pipes[2];
    pid_t pid = make_child(pipes);
    int result = raffia_loop_child(loop, pid, 1, &id);
    if (result == 0) CHECK_EQUAL(raffia_loop_disarm(loop, id), 1);
    close_pair(pipes);
    CHECK_EQUAL(waitpid(pid, NULL, 0), pid);
    CHECK(result == 0 || result == -ENOSYS);
    return result == 0;
}

static void check_ended(pid_t pid)
{
    int status;
    CHECK_EQUAL(waitpid(pid, &status, WNOHANG), pid);
    CHECK_EQUAL(WEXITSTATUS(status), 7);
}

static void a_child_ends(struct raffia_loop *loop)
{
    raffia_id id;
    int pipes[2];
    if (!can_watch(loop)) return;
    pid_t pid = make_child(pipes);
    CHECK_EQUAL(raffia_loop_child(loop, pid, 1, &id), 0);
    CHECK_EQUAL(raffia_loop_child(loop, pid, 2, &id), 0);
    expect_nothing(loop);
    close_pair(pipes);
    CHECK_EQUAL(next_completion(loop).data + next_completion(loop).data, 3);
    CHECK_EQUAL(raffia_loop_child(loop, pid, 3, &id), 0);
    expect_last(loop, 3, 0);
    check_ended(pid);
    CHECK_EQUAL(raffia_loop_child(loop, pid, 4, &id), -ECHILD);
}

static void no_child(struct raffia_loop *loop)
{
    raffia_id id;
    CHECK_EQUAL(raffia_loop_child(loop, getpid(), 1, &id), -ECHILD);
    CHECK_EQUAL(raffia_loop_child(loop, 0, 1, &id), -EINVAL);
    CHECK_EQUAL(raffia_loop_child(loop, -1, 1, &id), -EINVAL);
    CHECK_EQUAL(raffia_loop_pending(loop), 0);
}

static void nobody_waits_for_a_child_any_more(struct raffia_loop *loop)
{
    raffia_id id;
    int pipes[2];
    if (!can_watch(loop)) return;
    pid_t pid = make_child(pipes);
    for (int i = 0; i < 3; i++) {
        CHECK_EQUAL(raffia_loop_child(loop, pid, 1, &id), 0);
        if (i) expect_nothing(loop);
        CHECK_EQUAL(raffia_loop_disarm(loop, id), 1);
    }
    CHECK_EQUAL(raffia_loop_child(loop, pid, 1, &id), 0);
    CHECK_EQUAL(raffia_loop_disarm(loop, id), 1);
    CHECK_EQUAL(raffia_loop_child(loop, pid, 2, &id), 0);
    close_pair(pipes);
    expect_last(loop, 2, 0);
    expect_nothing(loop);
    check_ended(pid);
    pid = make_child(pipes);
    CHECK_EQUAL(raffia_loop_child(loop, pid, 3, &id), 0);
    expect_nothing(loop);
    raffia_loop_close(loop);
    close_pair(pipes);
    CHECK_EQUAL(waitpid(pid, NULL, 0), pid);
}

static const struct contract_test tests[] = {
    TEST(accepts_until_it_is_told_to_stop),
    TEST(many_connections_at_once),
    TEST(a_disarm_that_races_with_connections),
    TEST(nothing_to_accept_from),
    TEST(too_many_open_files),
    TEST(descriptors_that_nobody_took),
    TEST(receives_until_the_end_of_the_stream),
    TEST(a_buffer_is_given_back_once),
    TEST(a_receive_waits_for_a_buffer),
    TEST(a_disarm_while_it_waits_for_a_buffer),
    TEST(few_buffers_for_many),
    TEST(a_disarm_that_races_with_data),
    TEST(errors_end_it),
    TEST(a_caller_that_falls_behind),
    TEST(wrong_options),
    TEST(what_a_receive_costs),
    TEST(a_thread_that_ends_leaves_its_ops),
    TEST(closing_in_the_middle),
    TEST(they_wait_on_sockets_that_do_not_block),
    TEST(nobody_receives),
    TEST(a_cancelled_one_leaves_the_data),
    TEST(a_descriptor_is_closed),
    TEST(a_child_ends),
    TEST(no_child),
    TEST(nobody_waits_for_a_child_any_more),
};

/* Opcodes of io_uring_register(2). liburing's header has them, but not every build has liburing. */
enum { REGISTER_PROBE = 8, REGISTER_BUFFERS = 22 };

/* In a process of its own, because the filter is for ever. */
static int without(int operation, const char *group)
{
    int status;
    pid_t pid = CHECK_CALL(fork());
    if (pid == 0) {
        int filtered = refuse_operation(SYS_io_uring_register, operation, EINVAL);
        int failed = filtered && contract_run(group, tests, COUNT(tests));
        fflush(stdout);
        _exit(failed);
    }
    alarm(0);
    CHECK_EQUAL(waitpid(pid, &status, 0), pid);
    return !WIFEXITED(status) || WEXITSTATUS(status);
}

int main(void)
{
    int failed = contract_run("repeating", tests, COUNT(tests));
    failed |= without(REGISTER_PROBE, "repeating, on a kernel of before multishot");
    failed |= without(REGISTER_BUFFERS, "repeating, on a kernel without rings of buffers");
    return failed;
}
