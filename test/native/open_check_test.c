/* Files that open without waiting. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "open_check.h"

static char folder[] = "/tmp/raffia-open-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void files_and_folders(void)
{
    struct raffia_devices devices = {.next = 0};
    CHECK(mkdtemp(folder));
    int fd = CHECK_CALL(open(in_folder("file"), O_CREAT | O_WRONLY, 0600));
    CHECK_CALL(close(fd));
    for (int i = 0; i < 20; i++)
        CHECK_EQUAL(raffia_open_check(&devices, in_folder("file"), O_RDONLY), RAFFIA_OPENS_AT_ONCE);
    CHECK_EQUAL(raffia_open_check(&devices, folder, O_RDONLY), RAFFIA_OPENS_AT_ONCE);
    CHECK_EQUAL(raffia_open_check(&devices, in_folder("none"), O_RDONLY), RAFFIA_OPENS_AT_ONCE);
    CHECK_EQUAL(raffia_open_check(&devices, "/proc/self/status", O_RDONLY), RAFFIA_OPENS_AT_ONCE);
    CHECK(devices.next <= 2);
    CHECK_CALL(unlink(in_folder("file")));
}

static void fifos_and_terminals(void)
{
    struct raffia_devices devices = {.next = 0};
    CHECK_CALL(mkfifo(in_folder("fifo"), 0600));
    CHECK_EQUAL(raffia_open_check(&devices, in_folder("fifo"), O_RDONLY), RAFFIA_OPENS_LATER);
    CHECK_EQUAL(raffia_open_check(&devices, in_folder("fifo"), O_WRONLY), RAFFIA_OPENS_LATER);
    CHECK_EQUAL(raffia_open_check(&devices, in_folder("fifo"), O_RDONLY | O_NONBLOCK),
                RAFFIA_OPENS_AT_ONCE);
#ifdef __linux__
    CHECK_EQUAL(raffia_open_check(&devices, "/dev/null", O_WRONLY), RAFFIA_OPENS_AT_ONCE);
    CHECK_EQUAL(raffia_open_check(&devices, "/dev/tty", O_RDONLY), RAFFIA_OPENS_LATER);
#endif
    CHECK_CALL(unlink(in_folder("fifo")));
    CHECK_CALL(rmdir(folder));
}

int main(void)
{
    static const struct check_test tests[] = {TEST(files_and_folders), TEST(fifos_and_terminals)};
    return check_run("open_check", tests, COUNT(tests));
}
