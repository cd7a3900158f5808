/* Transfers that do not wait, on descriptors that would. None here is O_NONBLOCK. */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>
#include "check.h"
#include "refuse.h"
#include "transfer.h"

enum { HERE = -1, LARGE = 1 << 20 };

static char buffer[LARGE];

/* Until it would have to wait; how much went. */
static int64_t fill(int fd)
{
    int64_t total = 0, count;
    while ((count = raffia_try_write(fd, buffer, sizeof(buffer), HERE)) > 0)
        total += count;
    CHECK_EQUAL(count, -EAGAIN);
    return total;
}

static int64_t empty(int fd)
{
    int64_t total = 0, count;
    while ((count = raffia_try_read(fd, buffer, sizeof(buffer), HERE)) > 0)
        total += count;
    CHECK(count == -EAGAIN || count == 0);
    return total;
}

static void both_ways(int reader, int writer)
{
    int flags = CHECK_CALL(fcntl(reader, F_GETFL));
    CHECK_EQUAL(raffia_try_read(reader, buffer, 10, HERE), -EAGAIN);
    CHECK_EQUAL(raffia_try_write(writer, "hello", 5, HERE), 5);
    CHECK_EQUAL(raffia_try_read(reader, buffer, 3, HERE), 3);
    CHECK_EQUAL(raffia_try_read(reader, buffer + 3, 10, HERE), 2);
    CHECK_EQUAL(memcmp(buffer, "hello", 5), 0);
    CHECK_EQUAL(raffia_try_read(reader, buffer, 10, HERE), -EAGAIN);
    int64_t sent = fill(writer);
    CHECK(sent >= PIPE_BUF);
    CHECK_EQUAL(empty(reader), sent);
    CHECK_EQUAL(fill(writer) > 0, 1);
    CHECK_EQUAL(fcntl(reader, F_GETFL), flags);
    CHECK_EQUAL(raffia_is_file(reader), 0);
}

static void a_blocking_pipe(void)
{
    int pipes[2];
    CHECK_CALL(pipe(pipes));
    both_ways(pipes[0], pipes[1]);
    CHECK(raffia_try_write(pipes[1], "x", 1, HERE) == 1 ||
          raffia_try_write(pipes[1], "x", 1, HERE) == -EAGAIN);
    CHECK_EQUAL(raffia_try_read(pipes[0], buffer, 1, 5), -ESPIPE);
    CHECK_CALL(close(pipes[1]));
    empty(pipes[0]);
    CHECK_EQUAL(raffia_try_read(pipes[0], buffer, 10, HERE), 0);
    CHECK_CALL(close(pipes[0]));
}

static void a_blocking_socket(void)
{
    int sockets[2];
    CHECK_CALL(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
    both_ways(sockets[0], sockets[1]);
    CHECK_CALL(close(sockets[1]));
    empty(sockets[0]);
    CHECK_EQUAL(raffia_try_read(sockets[0], buffer, 10, HERE), 0);
    CHECK_CALL(close(sockets[0]));
}

static void nobody_reads(void)
{
    int pipes[2], sockets[2];
    CHECK_CALL(pipe(pipes));
    CHECK_CALL(close(pipes[0]));
    CHECK_EQUAL(raffia_try_write(pipes[1], "x", 1, HERE), -EPIPE);
    CHECK_EQUAL(raffia_write(pipes[1], "x", 1, HERE), -EPIPE);
    CHECK_CALL(close(pipes[1]));
    CHECK_CALL(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
    CHECK_CALL(close(sockets[0]));
    CHECK_EQUAL(raffia_try_write(sockets[1], "x", 1, HERE), -EPIPE);
    CHECK_CALL(close(sockets[1]));
}

/* A terminal knows no RWF_NOWAIT: poll(2) is asked. */
static void a_terminal(void)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0) return; /* a container without /dev/pts */
    CHECK_CALL(grantpt(master));
    CHECK_CALL(unlockpt(master));
    int terminal = CHECK_CALL(open(ptsname(master), O_RDWR | O_NOCTTY));
    CHECK_EQUAL(raffia_try_read(terminal, buffer, 10, HERE), -EAGAIN);
    CHECK_EQUAL(raffia_try_write(master, "hi\n", 3, HERE), 3);
    CHECK_EQUAL(raffia_read(terminal, buffer, 10, HERE), 3);
    CHECK_EQUAL(memcmp(buffer, "hi\n", 3), 0);
    CHECK_EQUAL(raffia_try_read(terminal, buffer, 10, HERE), -EAGAIN);
    CHECK_CALL(close(terminal));
    CHECK_CALL(close(master));
}

static void a_regular_file(void)
{
    char name[] = "/tmp/raffia-native-XXXXXX";
    int fd = CHECK_CALL(mkstemp(name));
    CHECK_CALL(unlink(name));
    CHECK_EQUAL(raffia_is_file(fd), 1);
    CHECK_EQUAL(raffia_write(fd, "0123456789", 10, HERE), 10);
    CHECK_EQUAL(raffia_write(fd, "x", 1, 3), 1);
    CHECK_EQUAL(raffia_read(fd, buffer, 10, HERE), 0);
    CHECK_EQUAL(raffia_read(fd, buffer, 4, 2), 4);
    CHECK_EQUAL(memcmp(buffer, "2x45", 4), 0);
    CHECK_EQUAL(lseek(fd, 0, SEEK_CUR), 10);
    int64_t count = raffia_try_read(fd, buffer, 4, 2);
    CHECK(count == 4 || count == -EAGAIN);
    CHECK_EQUAL(raffia_try_read(fd, buffer, 4, HERE), 0);
    count = raffia_try_write(fd, "ab", 2, HERE);
    CHECK(count == 2 || count == -EAGAIN);
    CHECK_EQUAL(lseek(fd, 0, SEEK_CUR), 10 + (count > 0 ? count : 0));
    CHECK_CALL(close(fd));
}

static void a_read_that_is_cut_short(void)
{
    char name[] = "/tmp/raffia-native-XXXXXX";
    int pipes[2];
    int fd = CHECK_CALL(mkstemp(name));
    CHECK_CALL(unlink(name));
    CHECK_EQUAL(raffia_write(fd, buffer, 8192, HERE), 8192);
    CHECK_EQUAL(raffia_is_cut_short(fd, 4096), 1);
    CHECK_EQUAL(raffia_is_cut_short(fd, 4097), 0); /* not the end of a page */
    CHECK_EQUAL(raffia_is_cut_short(fd, 8192), 0);
    CHECK_EQUAL(raffia_is_cut_short(fd, HERE), 0);
    CHECK_EQUAL(lseek(fd, 4096, SEEK_SET), 4096);
    CHECK_EQUAL(raffia_is_cut_short(fd, HERE), 1);
    CHECK_CALL(close(fd));
    CHECK_CALL(pipe(pipes));
    CHECK_EQUAL(raffia_is_cut_short(pipes[0], HERE), 0);
    CHECK_CALL(close(pipes[0]));
    CHECK_CALL(close(pipes[1]));
    CHECK_EQUAL(raffia_is_cut_short(pipes[0], HERE), 0);
}

static void what_is_a_file(void)
{
    int folder = CHECK_CALL(open("/tmp", O_RDONLY | O_DIRECTORY));
    CHECK_EQUAL(raffia_is_file(folder), 1);
    CHECK_EQUAL(raffia_try_read(folder, buffer, 1, HERE), -EISDIR);
    CHECK_CALL(close(folder));
    int null = CHECK_CALL(open("/dev/null", O_RDWR));
    CHECK_EQUAL(raffia_is_file(null), 0);
    CHECK_EQUAL(raffia_try_read(null, buffer, 10, HERE), 0);
    CHECK_EQUAL(raffia_try_write(null, buffer, 10, HERE), 10);
    CHECK_CALL(close(null));
}

static void a_closed_descriptor(void)
{
    int pipes[2];
    CHECK_CALL(pipe(pipes));
    CHECK_CALL(close(pipes[0]));
    CHECK_CALL(close(pipes[1]));
    CHECK_EQUAL(raffia_try_read(pipes[0], buffer, 1, HERE), -EBADF);
    CHECK_EQUAL(raffia_try_write(pipes[1], buffer, 1, HERE), -EBADF);
    CHECK_EQUAL(raffia_read(pipes[0], buffer, 1, 0), -EBADF);
    CHECK_EQUAL(raffia_write(pipes[1], buffer, 1, 0), -EBADF);
    CHECK_EQUAL(raffia_is_file(pipes[0]), 0);
}

int main(void)
{
    static const struct check_test tests[] = {
        TEST(a_blocking_pipe), TEST(a_blocking_socket),   TEST(nobody_reads),
        TEST(a_terminal),      TEST(a_regular_file),      TEST(a_read_that_is_cut_short),
        TEST(what_is_a_file),  TEST(a_closed_descriptor),
    };
    check_run("transfer", tests, COUNT(tests));
    /* And again as on a kernel that has no RWF_NOWAIT. */
    if (!refuse_system_call(SYS_preadv2, EOPNOTSUPP) || !refuse_system_call(SYS_pwritev2, ENOSYS))
        return 0;
    return check_run("transfer, without preadv2", tests, COUNT(tests));
}
