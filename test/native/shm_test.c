/* Parcels: bytes in shared memory that change hands. */
#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <stdlib.h>
#include "check.h"
#include "shm.h"

enum { LONG = 300000 };

#ifdef __linux__
static int pair[2];

static void open_pair(void)
{
    CHECK_EQUAL(raffia_shm_pair(pair), 0);
}

static void close_pair(void)
{
    close(pair[0]);
    close(pair[1]);
}

static char *pattern(size_t size)
{
    char *bytes = malloc(size);
    CHECK(bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)(i * 31);
    return bytes;
}

static void check_contents(int file, const char *expected, size_t size)
{
    char *room = malloc(size + 1), *start;
    CHECK_EQUAL(raffia_shm_size(file), size);
    CHECK_EQUAL(raffia_shm_copy(file, room, size), 0);
    CHECK_EQUAL(memcmp(room, expected, size), 0);
    CHECK_EQUAL(raffia_shm_map(file, size, &start), 0);
    CHECK_EQUAL(memcmp(start + RAFFIA_SHM_HEAD, expected, size), 0);
    CHECK_EQUAL(start[RAFFIA_SHM_HEAD + size], 0);
    /* No other process sees it. */
    start[RAFFIA_SHM_HEAD] = (char)(start[RAFFIA_SHM_HEAD] + 1);
    CHECK_EQUAL(raffia_shm_copy(file, room, size), 0);
    CHECK_EQUAL(memcmp(room, expected, size), 0);
    raffia_shm_unmap(start, size);
    free(room);
}

static void contents_arrive(void)
{
    int files[RAFFIA_SHM_MAX_PAYLOADS], before = check_open_descriptors();
    char *bytes = pattern(LONG);
    struct raffia_payload payloads[] = {{bytes, LONG}, {bytes, 0}, {bytes, 4096}};
    open_pair();
    CHECK_EQUAL(raffia_shm_send(pair[0], payloads, 3), 3);
    CHECK_EQUAL(raffia_shm_send(pair[0], payloads + 2, 1), 1);
    CHECK_EQUAL(raffia_shm_receive(pair[1], files), 3);
    for (int i = 0; i < 3; i++) {
        check_contents(files[i], bytes, payloads[i].size);
        close(files[i]);
    }
    CHECK_EQUAL(raffia_shm_receive(pair[1], files), 1);
    check_contents(files[0], bytes, 4096);
    close(files[0]);
    CHECK_EQUAL(raffia_shm_receive(pair[1], files), -EAGAIN);
    close_pair();
    free(bytes);
    CHECK_EQUAL(check_open_descriptors(), before);
}

static void nobody_can_make_it_shorter(void)
{
    int files[RAFFIA_SHM_MAX_PAYLOADS];
    struct raffia_payload parcel = {"xyz", 3};
    open_pair();
    CHECK_EQUAL(raffia_shm_send(pair[0], &parcel, 1), 1);
    CHECK_EQUAL(raffia_shm_receive(pair[1], files), 1);
    CHECK_EQUAL(ftruncate(files[0], 0), -1);
    CHECK_EQUAL(errno, EPERM);
    CHECK_EQUAL(raffia_shm_size(files[0]), 3);
    close(files[0]);
    close_pair();
}

static void nothing_stays_behind(void)
{
    int files[RAFFIA_SHM_MAX_PAYLOADS], before = check_open_descriptors();
    struct raffia_payload parcel = {"x", 1};
    struct raffia_payload payloads[RAFFIA_SHM_MAX_PAYLOADS + 1] = {{0}};
    int sent = 0, result;
    open_pair();
    CHECK_EQUAL(raffia_shm_send(pair[0], payloads, 0), -EINVAL);
    CHECK_EQUAL(raffia_shm_send(pair[0], payloads, RAFFIA_SHM_MAX_PAYLOADS + 1), -EINVAL);
    while ((result = raffia_shm_send(pair[0], &parcel, 1)) == 1)
        sent++;
    CHECK(sent > 0);
    CHECK(result == -EAGAIN || result == -ETOOMANYREFS);
    close(pair[1]);
    result = raffia_shm_send(pair[0], &parcel, 1);
    CHECK(result == -EPIPE || result == -ECONNRESET);
    result = raffia_shm_receive(pair[0], files);
    CHECK(result == -EPIPE || result == -ECONNRESET);
    close(pair[0]);
    CHECK_EQUAL(check_open_descriptors(), before);
    CHECK_EQUAL(raffia_shm_size(0x7fff), -EBADF);
    CHECK_EQUAL(raffia_shm_copy(0x7fff, NULL, 1), -EBADF);
}

static int files_are_limited(void)
{
    int files[RAFFIA_SHM_MAX_PAYLOADS];
    struct raffia_payload payloads[] = {{"x", 1}, {"y", 1}};
    struct rlimit small = {100, 100}, few = {(rlim_t)pair[1] + 2, (rlim_t)pair[1] + 2};
    if (raffia_shm_send(pair[0], payloads, 2) != 2) return __LINE__;
    /* One fits, two do not: none is kept. */
    if (setrlimit(RLIMIT_NOFILE, &few) < 0) return __LINE__;
    if (raffia_shm_receive(pair[1], files) != -EMFILE) return __LINE__;
    if (raffia_shm_send(pair[0], payloads, 2) != -EMFILE) return __LINE__;
    if (raffia_shm_send(pair[0], payloads, 1) != 1) return __LINE__;
    if (setrlimit(RLIMIT_FSIZE, &small) < 0) return __LINE__;
    payloads[0].size = 101;
    return raffia_shm_send(pair[0], payloads, 1) == -EFBIG ? 0 : __LINE__;
}

static void limits_are_errors(void)
{
    int status;
    open_pair();
    pid_t child = CHECK_CALL(fork());
    if (child == 0) _exit(files_are_limited());
    CHECK_CALL(waitpid(child, &status, 0));
    CHECK_EQUAL(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), 0);
    close_pair();
}

static const struct check_test tests[] = {TEST(contents_arrive), TEST(nobody_can_make_it_shorter),
                                          TEST(nothing_stays_behind), TEST(limits_are_errors)};

int main(void)
{
    return check_run("shm", tests, COUNT(tests));
}
#else
int main(void)
{
    int pair[2];
    CHECK_EQUAL(raffia_shm_pair(pair), -ENOSYS);
    return 0;
}
#endif
