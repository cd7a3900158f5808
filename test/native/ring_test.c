/* Transfers through the loop: by the back ends that know them, and files by the blocking pool for
 * the others. */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include "contract.h"

enum { HERE = RAFFIA_CURRENT_POSITION };

static raffia_id transfer(struct raffia_loop *loop, enum raffia_kind kind, int fd, void *buffer,
                          size_t length, int64_t offset, raffia_data data)
{
    raffia_id id = 0;
    CHECK_EQUAL(raffia_loop_transfer(loop, kind, fd, buffer, length, offset, data, &id), 0);
    CHECK(id != 0);
    return id;
}

static void refused_where_only_readiness_is_known(struct raffia_loop *loop)
{
    char byte = 0;
    int pipes[2];
    raffia_id id;
    if (loop->backend->transfers) return;
    make_pipe(pipes);
    CHECK_EQUAL(raffia_loop_transfer(loop, RAFFIA_READ, pipes[0], &byte, 1, HERE, 1, &id),
                -ENOTSUP);
    CHECK_EQUAL(raffia_loop_transfer(loop, RAFFIA_WRITE, pipes[1], &byte, 1, 0, 1, &id), -ENOTSUP);
    close_pair(pipes);
    CHECK_EQUAL(raffia_loop_pending(loop), 0);
}

static void bad_arguments(struct raffia_loop *loop)
{
    char byte = 0;
    raffia_id id;
    CHECK_EQUAL(raffia_loop_transfer(loop, RAFFIA_POLL, 0, &byte, 1, HERE, 1, &id), -EINVAL);
    CHECK_EQUAL(raffia_loop_transfer(loop, RAFFIA_READ, 0, &byte, 1, -2, 1, &id), -EINVAL);
    CHECK_EQUAL(raffia_loop_transfer(loop, RAFFIA_READ, -1, &byte, 1, HERE, 1, &id), -EBADF);
    CHECK_EQUAL(raffia_loop_pending(loop), 0);
}

static void a_read_waits_for_data(struct raffia_loop *loop)
{
    int pipes[2];
    char buffer[16] = {0};
    if (!loop->backend->transfers) return;
    make_pipe(pipes);
    transfer(loop, RAFFIA_READ, pipes[0], buffer, sizeof(buffer), HERE, 1);
    expect_nothing(loop);
    CHECK_EQUAL(write(pipes[1], "hello", 5), 5);
    expect(loop, 1, 5);
    CHECK_EQUAL(memcmp(buffer, "hello", 6), 0);
    transfer(loop, RAFFIA_WRITE, pipes[1], "again", 5, HERE, 2);
    expect(loop, 2, 5);
    transfer(loop, RAFFIA_READ, pipes[0], buffer, 3, HERE, 3);
    expect(loop, 3, 3);
    CHECK_CALL(close(pipes[1]));
    transfer(loop, RAFFIA_READ, pipes[0], buffer, 16, HERE, 4);
    expect(loop, 4, 2);
    transfer(loop, RAFFIA_READ, pipes[0], buffer, 16, HERE, 5);
    expect(loop, 5, 0);
    CHECK_CALL(close(pipes[0]));
}

static void a_file_by_position_and_by_offset(struct raffia_loop *loop)
{
    char buffer[16] = {0};
    int fd = make_file();
    transfer(loop, RAFFIA_WRITE, fd, "0123456789", 10, HERE, 1);
    expect(loop, 1, 10);
    CHECK_EQUAL(lseek(fd, 0, SEEK_CUR), 10);
    transfer(loop, RAFFIA_WRITE, fd, "x", 1, 3, 2);
    expect(loop, 2, 1);
    transfer(loop, RAFFIA_READ, fd, buffer, 4, 2, 3);
    expect(loop, 3, 4);
    CHECK_EQUAL(memcmp(buffer, "2x45", 5), 0);
    CHECK_EQUAL(lseek(fd, 0, SEEK_CUR), 10);
    transfer(loop, RAFFIA_READ, fd, buffer, 4, HERE, 4);
    expect(loop, 4, 0);
    CHECK_CALL(close(fd));
}

/* Older kernels complete with EAGAIN at once, newer ones (6.18 does) wait as if the flag were not
 * there. */
static void expect_wait_or_refusal(struct raffia_loop *loop, int reader, int writer)
{
    char byte = 'a';
    CHECK_CALL(fcntl(reader, F_SETFL, O_NONBLOCK));
    transfer(loop, RAFFIA_READ, reader, &byte, 1, HERE, 1);
    if (raffia_loop_poll(loop, 50000000) == 0) {
        send_byte(writer);
        expect(loop, 1, 1);
        CHECK_EQUAL(byte, 'x');
    } else {
        expect(loop, 1, -EAGAIN);
        CHECK_EQUAL(byte, 'a');
    }
}

static void descriptors_that_do_not_block(struct raffia_loop *loop)
{
    int pipes[2], sockets[2];
    if (!loop->backend->transfers) return;
    make_pipe(pipes);
    make_sockets(sockets);
    expect_wait_or_refusal(loop, pipes[0], pipes[1]);
    expect_wait_or_refusal(loop, sockets[0], sockets[1]);
    close_pair(pipes);
    close_pair(sockets);
}

static void errors_are_the_results(struct raffia_loop *loop)
{
    int pipes[2];
    char byte = 0;
    if (!loop->backend->transfers) return;
    make_pipe(pipes);
    CHECK_CALL(close(pipes[0]));
    transfer(loop, RAFFIA_WRITE, pipes[1], &byte, 1, HERE, 3);
    expect(loop, 3, -EPIPE);
    transfer(loop, RAFFIA_READ, pipes[1], &byte, 1, HERE, 4);
    expect(loop, 4, -EBADF);
    CHECK_CALL(close(pipes[1]));
    transfer(loop, RAFFIA_READ, pipes[1], &byte, 1, HERE, 5);
    expect(loop, 5, -EBADF);
}

static void a_file_with_errors(struct raffia_loop *loop)
{
    char byte = 0;
    int fd = CHECK_CALL(open("/dev/null", O_RDONLY));
    CHECK_CALL(close(fd));
    raffia_id id;
    int result = raffia_loop_transfer(loop, RAFFIA_READ, fd, &byte, 1, 0, 1, &id);
    if (result == 0) expect(loop, 1, -EBADF);
    if (result != 0) CHECK_EQUAL(result, -EBADF);
    fd = CHECK_CALL(open("/", O_RDONLY | O_DIRECTORY));
    transfer(loop, RAFFIA_READ, fd, &byte, 1, 0, 2);
    expect(loop, 2, -EISDIR);
    transfer(loop, RAFFIA_WRITE, fd, &byte, 1, 0, 3);
    expect(loop, 3, -EBADF);
    CHECK_CALL(close(fd));
}

/* Each completes once, with what it did or with nothing. */
static void file_reads_that_are_called_off(struct raffia_loop *loop)
{
    static char bytes[500];
    raffia_id ids[COUNT(bytes)];
    int fd = make_file(), completed = 0;
    CHECK_EQUAL(write(fd, "x", 1), 1);
    for (int round = 0; round < 5; round++) {
        for (size_t i = 0; i < COUNT(bytes); i++)
            ids[i] = transfer(loop, RAFFIA_READ, fd, &bytes[i], 1, 0, i);
        if (round % 2) CHECK(raffia_loop_poll(loop, 0) >= 0);
        for (size_t i = 0; i < COUNT(bytes); i++)
            CHECK(raffia_loop_disarm(loop, ids[i]) != 1);
        while (raffia_loop_pending(loop) > 0)
            CHECK(raffia_loop_poll(loop, 1000000000) >= 0);
        struct raffia_completion completion;
        for (; raffia_loop_shift(loop, &completion); completed++)
            CHECK(completion.result == 1 || completion.result == -ECANCELED);
    }
    CHECK_EQUAL(completed, 5 * COUNT(bytes));
    for (size_t i = 0; i < COUNT(bytes); i++)
        transfer(loop, RAFFIA_READ, fd, &bytes[i], 1, 0, i);
    raffia_loop_close(loop);
    memset(bytes, 0, sizeof(bytes));
    CHECK_CALL(close(fd));
}

/* Not before the kernel has let go of the buffer. */
static void a_cancelled_read_completes(struct raffia_loop *loop)
{
    int pipes[2];
    char byte = 'a';
    if (!loop->backend->transfers) return;
    make_pipe(pipes);
    for (int submitted = 0; submitted < 2; submitted++) {
        raffia_id id = transfer(loop, RAFFIA_READ, pipes[0], &byte, 1, HERE, 1);
        if (submitted) expect_nothing(loop);
        CHECK_EQUAL(raffia_loop_disarm(loop, id), 0);
        CHECK_EQUAL(raffia_loop_disarm(loop, id), 0);
        CHECK_EQUAL(raffia_loop_pending(loop), 1);
        expect(loop, 1, -ECANCELED);
        CHECK_EQUAL(raffia_loop_disarm(loop, id), -ENOENT);
        expect_nothing(loop);
        send_byte(pipes[1]);
        take_byte(pipes[0]);
        CHECK_EQUAL(byte, 'a');
    }
    close_pair(pipes);
}

/* Either it was too late to cancel, or the data is still there: no byte is lost. */
static void a_cancel_that_races_with_data(struct raffia_loop *loop)
{
    int pipes[2];
    if (!loop->backend->transfers) return;
    make_pipe(pipes);
    for (int i = 0; i < 200; i++) {
        char byte = 'a';
        raffia_id id = transfer(loop, RAFFIA_READ, pipes[0], &byte, 1, HERE, 1);
        if (i % 2) expect_nothing(loop);
        send_byte(pipes[1]);
        CHECK_EQUAL(raffia_loop_disarm(loop, id), 0);
        struct raffia_completion completion = next_completion(loop);
        if (completion.result == 1) {
            CHECK_EQUAL(byte, 'x');
            continue;
        }
        CHECK_EQUAL(completion.result, -ECANCELED);
        CHECK_EQUAL(byte, 'a');
        take_byte(pipes[0]);
    }
    close_pair(pipes);
}

enum { READS = 1000 };

static void a_thousand_reads(struct raffia_loop *loop)
{
    int pipes[2];
    static char buffers[READS];
    static raffia_id ids[READS];
    int cancelled = 0, read = 0;
    if (!loop->backend->transfers) return;
    make_pipe(pipes);
    for (size_t i = 0; i < READS; i++)
        ids[i] = transfer(loop, RAFFIA_READ, pipes[0], &buffers[i], 1, HERE, i);
    expect_nothing(loop);
    for (int i = 0; i < READS / 2; i++)
        send_byte(pipes[1]);
    for (size_t i = 0; i < READS; i++) {
        int result = raffia_loop_disarm(loop, ids[i]);
        CHECK(result == 0 || result == -ENOENT);
    }
    for (int i = 0; i < READS; i++) {
        int64_t result = next_completion(loop).result;
        CHECK(result == 1 || result == -ECANCELED);
        if (result == 1)
            read++;
        else
            cancelled++;
    }
    CHECK_EQUAL(read + cancelled, READS);
    CHECK(read <= READS / 2);
    for (; read < READS / 2; read++)
        take_byte(pipes[0]);
    close_pair(pipes);
}

/* Bytes that come after the close are not read into memory that the caller has back. */
static void closing_waits_for_transfers(struct raffia_loop *loop)
{
    int pipes[2];
    char bytes[400];
    if (!loop->backend->transfers) return;
    memset(bytes, 'a', sizeof(bytes));
    make_pipe(pipes);
    for (size_t i = 0; i < sizeof(bytes); i++) {
        transfer(loop, RAFFIA_READ, pipes[0], &bytes[i], 1, HERE, 1);
        if (i == 200) expect_nothing(loop);
    }
    raffia_loop_close(loop);
    send_byte(pipes[1]);
    take_byte(pipes[0]);
    for (size_t i = 0; i < sizeof(bytes); i++)
        CHECK_EQUAL(bytes[i], 'a');
    close_pair(pipes);
}

struct visit {
    struct raffia_loop *loop;
    int *pipes;
    char *byte;
};

static void *start_and_end(void *arg)
{
    struct visit *visit = arg;
    arm(visit->loop, visit->pipes[0], RAFFIA_READABLE, 1);
    if (visit->loop->backend->transfers)
        transfer(visit->loop, RAFFIA_READ, visit->pipes[2], visit->byte, 1, HERE, 2);
    CHECK_EQUAL(raffia_loop_poll(visit->loop, 1000000), 0);
    return NULL;
}

/* Like the native threads of a Ractor. The kernel cancels a thread's requests after its end, when
 * they would complete; the loop's ops must continue. */
static void a_thread_that_ends_leaves_its_ops(struct raffia_loop *unused)
{
    int pipes[4];
    char byte = 'a';
    pthread_t thread;
    struct raffia_loop loop;
    (void)unused;
    CHECK_EQUAL(raffia_loop_open(&loop, unused->backend, &(struct raffia_options){.movable = 1}),
                0);
    make_pipe(pipes);
    make_pipe(pipes + 2);
    struct visit visit = {&loop, pipes, &byte};
    CHECK_EQUAL(pthread_create(&thread, NULL, start_and_end, &visit), 0);
    CHECK_EQUAL(pthread_join(thread, NULL), 0);
    CHECK_EQUAL(raffia_loop_poll(&loop, 50000000), 0);
    expect_nothing(&loop);
    send_byte(pipes[1]);
    expect(&loop, 1, RAFFIA_READABLE);
    if (loop.backend->transfers) {
        send_byte(pipes[3]);
        expect(&loop, 2, 1);
        CHECK_EQUAL(byte, 'x');
    }
    for (int i = 0; i < 3; i++) {
        CHECK(raffia_loop_prepare(&loop, -1) > 0);
        CHECK_EQUAL(raffia_loop_wake(&loop), 1);
        CHECK_EQUAL(raffia_loop_finish(&loop, raffia_loop_wait(&loop, RAFFIA_FOREVER)), 0);
    }
    raffia_loop_close(&loop);
    close_pair(pipes);
    close_pair(pipes + 2);
}

int main(void)
{
    static const struct contract_test tests[] = {
        TEST(refused_where_only_readiness_is_known),
        TEST(bad_arguments),
        TEST(a_read_waits_for_data),
        TEST(a_file_by_position_and_by_offset),
        TEST(descriptors_that_do_not_block),
        TEST(errors_are_the_results),
        TEST(a_file_with_errors),
        TEST(file_reads_that_are_called_off),
        TEST(a_cancelled_read_completes),
        TEST(a_cancel_that_races_with_data),
        TEST(a_thousand_reads),
        TEST(closing_waits_for_transfers),
        TEST(a_thread_that_ends_leaves_its_ops),
    };
    return contract_run("transfers", tests, COUNT(tests));
}
