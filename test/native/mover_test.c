/* Connections that move: the board, the queue, and the thread that moves them. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"
#include "connection_mover.h"
#include "contract.h"
#include "timer.h"

#ifdef __linux__
#define MILLISECOND INT64_C(1000000)

enum { ME, OTHER, PLACES };
enum { DATA = 7 };

static struct raffia_load_board board;
static int queue[2], client[2];
static struct raffia_mover *mover;
static struct raffia_load *other;

static void nap(void)
{
    struct timespec time = {.tv_nsec = MILLISECOND};
    nanosleep(&time, NULL);
}

static struct raffia_mover_options options_for(struct raffia_loop *loop)
{
    return (struct raffia_mover_options){
        .loop = loop, .board = &board, .index = ME, .queue = queue[0], .notify = -1};
}

static void start(const struct raffia_mover_options *options)
{
    int failure;
    mover = raffia_mover_start(options, &failure);
    CHECK_EQUAL(failure, 0);
    CHECK(mover);
}

/* A mover for the loop, and another worker that is idle. */
static void open_all(struct raffia_loop *loop)
{
    CHECK_EQUAL(raffia_load_board_open(&board, PLACES), 0);
    CHECK_EQUAL(raffia_connection_queue_open(queue), 0);
    make_sockets(client);
    other = raffia_load_board_begin(&board, OTHER, getpid());
    atomic_store(&other->receiving, 1);
    struct raffia_mover_options options = options_for(loop);
    start(&options);
}

static void close_all(void)
{
    raffia_mover_free(mover);
    close_pair(client);
    close_pair(queue);
    raffia_load_board_close(&board);
}

/* Waits like a loop that does not turn. */
static int take(struct raffia_moved *moved)
{
    int fd;
    while ((fd = raffia_connection_queue_receive(queue[1], moved)) == -EAGAIN)
        nap();
    return fd;
}

/* Long enough for the thread to move what it may. */
static void be_late(void)
{
    for (int64_t begin = raffia_now(); raffia_now() - begin < 60 * MILLISECOND;)
        nap();
}

static void expect_none(void)
{
    struct raffia_moved moved;
    CHECK_EQUAL(raffia_connection_queue_receive(queue[1], &moved), -EAGAIN);
}

static struct raffia_movable *add(int64_t moved_at)
{
    struct raffia_moved moved = {
        .at = moved_at, .listener = 3, .established = 1, .address = "192.0.2.7"};
    struct raffia_movable *movable = raffia_mover_add(mover, &moved);
    CHECK(movable);
    return movable;
}

static void a_readable_connection_moves_while_the_loop_is_late(struct raffia_loop *loop)
{
    struct raffia_moved moved;
    char byte;
    open_all(loop);
    struct raffia_movable *movable = add(0);
    raffia_mover_offer(mover, movable, client[0], DATA, 5);
    send_byte(client[1]);
    int fd = take(&moved);
    CHECK(fd >= 0);
    CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    CHECK_EQUAL(moved.way, RAFFIA_MOVED_IDLE);
    CHECK_EQUAL(moved.listener, 3);
    CHECK_EQUAL(moved.served, 5);
    CHECK_EQUAL(moved.sender, getpid());
    CHECK(moved.established && moved.at > 0);
    CHECK_EQUAL(strcmp(moved.address, "192.0.2.7"), 0);
    /* Unread, and the loop is told. */
    CHECK_EQUAL(recv(fd, &byte, 1, MSG_DONTWAIT), 1);
    close(fd);
    expect(loop, DATA, RAFFIA_READABLE);
    CHECK_EQUAL(raffia_mover_claim(mover, movable), 0);
    raffia_mover_remove(mover, movable);
    close_all();
}

/* Short turns wake the thread, which finds the loop asleep again. */
static void short_turns_before_a_long_one(struct raffia_loop *loop)
{
    struct raffia_moved moved;
    open_all(loop);
    for (int i = 0; i < 50; i++) {
        raffia_pulse_pause(loop->pulse);
        if (i % 2) nap();
        raffia_pulse_beat(loop->pulse);
        raffia_pulse_pause(loop->pulse);
        nap();
    }
    raffia_pulse_beat(loop->pulse);
    struct raffia_movable *movable = add(0);
    raffia_mover_offer(mover, movable, client[0], DATA, 0);
    send_byte(client[1]);
    int fd = take(&moved);
    CHECK(fd >= 0);
    close(fd);
    close_all();
}

/* Long ago for the mover: it must not expect a request. */
static void offer_unused(struct raffia_movable *movable, int fd)
{
    _Atomic int64_t *turn = &board.loads[ME].running_since;
    int64_t now = atomic_load(turn);
    atomic_store(turn, 1);
    raffia_mover_offer(mover, movable, fd, DATA, 0);
    atomic_store(turn, now);
}

static void idle_and_claimed_ones_stay(struct raffia_loop *loop)
{
    open_all(loop);
    struct raffia_movable *movable = add(0);
    raffia_pulse_beat(loop->pulse);
    offer_unused(movable, client[0]);
    be_late(); /* no input */
    expect_none();
    CHECK_EQUAL(raffia_mover_claim(mover, movable), 1);
    send_byte(client[1]);
    be_late();
    expect_none();
    raffia_mover_remove(mover, movable);
    close_all();
}

/* Some in each turn, so that a loop that is often behind does not send connections all the time. */
static void recently_used_ones_move_ahead_of_their_requests(struct raffia_loop *loop)
{
    enum { CONNECTIONS = 24, MOST = 16 };
    struct raffia_movable *all[CONNECTIONS];
    struct raffia_moved moved;
    int pairs[CONNECTIONS][2], gone = 0;
    open_all(loop);
    for (int i = 0; i < CONNECTIONS; i++) {
        make_sockets(pairs[i]);
        all[i] = add(0);
        raffia_mover_offer(mover, all[i], pairs[i][0], DATA, 0);
    }
    close(pairs[0][1]); /* at its end: it is not sent */
    for (int i = 0; i < MOST; i++)
        close(take(&moved));
    CHECK_EQUAL(moved.way, RAFFIA_MOVED_IDLE);
    be_late();
    expect_none();
    CHECK_EQUAL(raffia_mover_claim(mover, all[0]), 1);
    for (int i = 0; i < CONNECTIONS; i++)
        gone += !raffia_mover_claim(mover, all[i]);
    CHECK_EQUAL(gone, MOST);
    for (int i = 0; i < CONNECTIONS; i++) {
        raffia_mover_remove(mover, all[i]);
        close(pairs[i][0]);
        if (i > 0) close(pairs[i][1]);
    }
    close_all();
}

static void it_stays_when_nobody_is_idle(struct raffia_loop *loop)
{
    open_all(loop);
    struct raffia_movable *movable = add(0);
    atomic_store(&other->full, 1);
    raffia_mover_offer(mover, movable, client[0], DATA, 0);
    send_byte(client[1]);
    be_late();
    expect_none();
    atomic_store(&other->running_since, raffia_now() - 1000 * MILLISECOND);
    atomic_store(&other->full, 0);
    be_late();
    expect_none();
    pid_t child = fork();
    if (child == 0) _exit(0);
    CHECK_EQUAL(waitpid(child, NULL, 0), child);
    atomic_store(&other->pid, child); /* which has ended */
    atomic_store(&other->running_since, 0);
    be_late();
    expect_none();
    CHECK_EQUAL(atomic_load(&other->receiving), 0);
    CHECK_EQUAL(raffia_mover_has_receiver(mover), 0);
    CHECK_EQUAL(raffia_mover_claim(mover, movable), 1);
    close_all();
}

static void it_moves_once_a_second(struct raffia_loop *loop)
{
    open_all(loop);
    /* Not a second ago, however long this takes. */
    struct raffia_movable *movable = add(raffia_now() + 3600 * 1000 * MILLISECOND);
    raffia_mover_offer(mover, movable, client[0], DATA, 0);
    send_byte(client[1]);
    be_late();
    expect_none();
    CHECK_EQUAL(raffia_mover_claim(mover, movable), 1);
    raffia_mover_set_full(mover, 1);
    CHECK_EQUAL(raffia_mover_pass_on(mover, movable, client[0]), 0);
    close_all();
}

static void a_full_queue_keeps_it(struct raffia_loop *loop)
{
    struct raffia_moved moved = {0};
    int fd, sent = 0, failure;
    open_all(loop);
    while ((failure = raffia_connection_queue_send(queue[0], client[1], &moved)) == 0)
        sent++;
    CHECK(sent > 0);
    CHECK(failure == -EAGAIN || failure == -ETOOMANYREFS);
    struct raffia_movable *movable = add(0);
    raffia_mover_offer(mover, movable, client[0], DATA, 0);
    send_byte(client[1]);
    be_late();
    for (; sent > 0; sent--) {
        fd = take(&moved);
        CHECK(fd >= 0);
        CHECK_EQUAL(moved.established, 0);
        close(fd);
    }
    fd = take(&moved);
    CHECK_EQUAL(moved.established, 1);
    close(fd);
    CHECK_EQUAL(raffia_mover_claim(mover, movable), 0);
    close_all();
}

static void a_request_that_would_wait_is_passed_on(struct raffia_loop *loop)
{
    struct raffia_moved moved;
    open_all(loop);
    struct raffia_movable *movable = add(0);
    CHECK_EQUAL(raffia_mover_pass_on(mover, movable, client[0]), 0); /* it would not */
    raffia_mover_set_full(mover, 1);
    CHECK_EQUAL(raffia_mover_pass_on(mover, movable, client[0]), 0); /* none has come */
    send_byte(client[1]);
    CHECK_EQUAL(raffia_mover_pass_on(mover, movable, client[0]), 1);
    CHECK_EQUAL(raffia_mover_claim(mover, movable), 0);
    int fd = take(&moved);
    CHECK_EQUAL(moved.way, RAFFIA_MOVED_WAITING);
    close(fd);
    close_all();
}

static int listen_here(struct sockaddr_in *address)
{
    socklen_t size = sizeof(*address);
    int fd = CHECK_CALL(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
    *address = (struct sockaddr_in){.sin_family = AF_INET};
    address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK_CALL(bind(fd, (struct sockaddr *)address, size));
    CHECK_CALL(listen(fd, 8));
    CHECK_CALL(getsockname(fd, (struct sockaddr *)address, &size));
    return fd;
}

static int connect_to(const struct sockaddr_in *address)
{
    int fd = CHECK_CALL(socket(AF_INET, SOCK_STREAM, 0));
    CHECK_CALL(connect(fd, (const struct sockaddr *)address, sizeof(*address)));
    return fd;
}

static void new_connections_are_accepted_for_others(struct raffia_loop *loop)
{
    struct raffia_moved moved;
    struct sockaddr_in address;
    int listener = listen_here(&address), notices[2];
    char notice;
    open_all(loop);
    raffia_mover_free(mover);
    make_pipe(notices);
    struct raffia_mover_options options = options_for(loop);
    options.notify = notices[1];
    options.listeners[0] = (struct raffia_mover_listener){.fd = listener, .number = 2};
    options.listener_count = 1;
    start(&options);
    int there = connect_to(&address), here = take(&moved);
    CHECK(here >= 0);
    CHECK_EQUAL(moved.way, RAFFIA_MOVED_ACCEPTED);
    CHECK_EQUAL(moved.listener, 2);
    CHECK_EQUAL(moved.established, 0);
    close(here);
    close(there);
    CHECK_EQUAL(read(notices[0], &notice, 1), 1); /* it is behind */
    CHECK_EQUAL(atomic_load(&board.loads[ME].behind), 1);
    raffia_mover_set_accepting(mover, 0);
    there = connect_to(&address);
    be_late();
    expect_none();
    raffia_mover_set_accepting(mover, 1);
    close(CHECK_CALL(take(&moved)));
    close(there);
    close(listener);
    close_pair(notices);
    close_all();
}

static void a_forked_child_has_no_mover(struct raffia_loop *loop)
{
    int status;
    open_all(loop);
    struct raffia_movable *movable = add(0);
    raffia_mover_offer(mover, movable, client[0], DATA, 0);
    send_byte(client[1]);
    pid_t child = fork();
    if (child == 0) {
        uint16_t listener;
        raffia_mover_set_full(mover, 1);
        raffia_mover_set_accepting(mover, 0);
        int fine = raffia_mover_claim(mover, movable) == 1 &&
                   raffia_mover_pass_on(mover, movable, client[0]) == 0 &&
                   raffia_mover_stop(mover, &listener) == -1;
        _exit(fine ? 0 : 1);
    }
    CHECK_EQUAL(waitpid(child, &status, 0), child);
    CHECK_EQUAL(status, 0);
    CHECK_EQUAL(atomic_load(&board.loads[ME].full), 0);
    struct raffia_moved moved;
    int fd = take(&moved); /* the parent's has gone on */
    CHECK_EQUAL(moved.sender, getpid());
    close(fd);
    close_all();
}

/* The loop claims and the thread moves the same connections: each belongs to one of them. */
static void one_owner_at_a_time(struct raffia_loop *loop)
{
    enum { CONNECTIONS = 100, ROUNDS = 20 };
    struct raffia_movable *all[CONNECTIONS];
    struct raffia_moved moved;
    int here[CONNECTIONS], there[CONNECTIONS], claimed = 0, received = 0, gone = 0;
    open_all(loop);
    for (int i = 0; i < CONNECTIONS; i++) {
        int pair[2];
        make_sockets(pair);
        here[i] = pair[0];
        there[i] = pair[1];
        send_byte(there[i]);
        all[i] = add(0);
    }
    for (int i = 0; i < CONNECTIONS; i++)
        raffia_mover_offer(mover, all[i], here[i], DATA, 0);
    raffia_pulse_beat(loop->pulse);
    for (int64_t begin = raffia_now(); raffia_now() - begin < RAFFIA_LOAD_LATE;) {
    }
    for (int round = 0; round < ROUNDS; round++) {
        nap();
        for (int i = round; i < CONNECTIONS; i += ROUNDS) {
            if (raffia_mover_claim(mover, all[i]))
                claimed++;
            else
                gone++;
        }
    }
    for (int fd; (fd = raffia_connection_queue_receive(queue[1], &moved)) >= 0; received++)
        close(fd);
    CHECK_EQUAL(claimed + gone, CONNECTIONS);
    CHECK_EQUAL(received, gone);
    for (int i = 0; i < CONNECTIONS; i++) {
        raffia_mover_remove(mover, all[i]);
        close(here[i]);
        close(there[i]);
    }
    close_all();
}

static void descriptors_are_needed(struct raffia_loop *loop)
{
    struct raffia_moved moved = {.listener = 1};
    struct rlimit before, none = {0};
    (void)loop;
    CHECK_EQUAL(raffia_connection_queue_open(queue), 0);
    make_sockets(client);
    CHECK_EQUAL(raffia_connection_queue_send(queue[0], client[0], &moved), 0);
    CHECK_CALL(getrlimit(RLIMIT_NOFILE, &before));
    none.rlim_max = before.rlim_max;
    CHECK_CALL(setrlimit(RLIMIT_NOFILE, &none));
    int failure = raffia_connection_queue_receive(queue[1], &moved);
    CHECK_CALL(setrlimit(RLIMIT_NOFILE, &before));
    CHECK(failure == -EMFILE || failure == -EINVAL);
    int fd = raffia_connection_queue_receive(queue[1], &moved); /* it has waited */
    CHECK(fd >= 0);
    close(fd);
    close_pair(client);
    close_pair(queue);
}

static void unwatched_loops_run_on(struct raffia_loop *loop)
{
    int before = check_open_descriptors();
    open_all(loop);
    CHECK(raffia_mover_memsize(mover) > 0);
    uint16_t listener;
    CHECK_EQUAL(raffia_mover_stop(mover, &listener), -1);
    CHECK(!loop->pulse);
    expect_nothing(loop);
    close_all();
    CHECK_EQUAL(check_open_descriptors(), before);
}

int main(void)
{
    const struct contract_test tests[] = {
        TEST(a_readable_connection_moves_while_the_loop_is_late),
        TEST(short_turns_before_a_long_one),
        TEST(idle_and_claimed_ones_stay),
        TEST(recently_used_ones_move_ahead_of_their_requests),
        TEST(it_stays_when_nobody_is_idle),
        TEST(it_moves_once_a_second),
        TEST(a_full_queue_keeps_it),
        TEST(a_request_that_would_wait_is_passed_on),
        TEST(new_connections_are_accepted_for_others),
        TEST(a_forked_child_has_no_mover),
        TEST(one_owner_at_a_time),
        TEST(descriptors_are_needed),
        TEST(unwatched_loops_run_on),
    };
    return contract_run("mover", tests, COUNT(tests));
}
#else
int main(void)
{
    return 0;
}
#endif
