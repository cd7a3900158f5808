/*
 * A disk that keeps only flushed data. Loaded before libc (LD_PRELOAD), it copies a file with
 * $POWER_CUT_MATCH in its path to $POWER_CUT_DIR each time that the file has been flushed. When the
 * process is killed, that directory has the files of a disk after a power cut that lost as much as
 * it may lose.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef int (*of_fd)(int);
typedef int (*of_path)(const char *);

/* Where the copy of it goes; 0 when it is none of those that are watched. */
static int copy_of(const char *path, char *to, size_t size)
{
    const char *dir = getenv("POWER_CUT_DIR"), *match = getenv("POWER_CUT_MATCH");
    if (!dir || !match || !strstr(path, match)) return 0;
    return snprintf(to, size, "%s/%s", dir, strrchr(path, '/') + 1) < (int)size;
}

/* Reads by the flushed descriptor, because closing another one would drop the process's locks of
 * the file. */
static void keep(int fd)
{
    char link[64], path[PATH_MAX], to[PATH_MAX], unready[PATH_MAX + 16], buffer[1 << 16];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    struct stat status;
    if (length < 0 || fstat(fd, &status) || !S_ISREG(status.st_mode)) return;
    path[length] = 0;
    if (!copy_of(path, to, sizeof to)) return;

    snprintf(unready, sizeof unready, "%s.%d", to, fd);
    int out = open(unready, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    off_t at = 0;
    for (ssize_t got; (got = pread(fd, buffer, sizeof buffer, at)) > 0; at += got)
        if (write(out, buffer, (size_t)got) != got) abort();
    close(out);
    rename(unready, to);
}

int fsync(int fd)
{
    int result = ((of_fd)dlsym(RTLD_NEXT, "fsync"))(fd);
    if (!result) keep(fd);
    return result;
}

int fdatasync(int fd)
{
    int result = ((of_fd)dlsym(RTLD_NEXT, "fdatasync"))(fd);
    if (!result) keep(fd);
    return result;
}

/* A program that removes a journal flushes its directory. */
int unlink(const char *path)
{
    of_path real = (of_path)dlsym(RTLD_NEXT, "unlink");
    int result = real(path);
    char to[PATH_MAX];
    if (!result && copy_of(path, to, sizeof to)) real(to);
    return result;
}
