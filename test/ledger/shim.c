/*
 * The faults that the ledger test causes in a program, by LD_PRELOAD:
 *
 *  - Its clock jumps: CLOCK_REALTIME is off by as many seconds as the file RAFFIA_SHIM_WORLD says,
 *    at any time.
 *  - Its disk is full while the second number in that file is not 0: writes to files in the folder
 *    RAFFIA_SHIM_DISK fail.
 *  - Its disk forgets: overwritten data of each file in the folder RAFFIA_SHIM_DISK is noted beside
 *    it (NAME.undo) until the file is synced. A power cut is then: kill all processes, and undo the
 *    notes, the last first. All that was not synced is gone.
 *
 * SQLite has one writer of a file at a time, by its own locks, so notes are in the order of the
 * writes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define MOST 4096

static char noted[MOST][PATH_MAX]; /* path of the notes, by descriptor of the file; "" for others */
static const struct {
    int64_t ahead; /* seconds */
    int64_t full;
} *world; /* in shared memory */

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("RAFFIA_SHIM_WORLD");
    if (!path) return;
    int fd = NEXT(open)(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    void *map = mmap(NULL, sizeof(*world), PROT_READ, MAP_SHARED, fd, 0);
    if (map != MAP_FAILED) world = map;
    close(fd);
}

/* --- the clock --- */

int clock_gettime(clockid_t id, struct timespec *at)
{
    static __typeof__(&clock_gettime) next;
    if (!next) next = NEXT(clock_gettime);
    int result = next(id, at);
    if (world && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) at->tv_sec += world->ahead;
    return result;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone)
{
    static __typeof__(&gettimeofday) next;
    if (!next) next = NEXT(gettimeofday);
    int result = next(at, zone);
    if (world) at->tv_sec += world->ahead;
    return result;
}

time_t time(time_t *at)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (at) *at = now.tv_sec;
    return now.tv_sec;
}

/* --- the disk --- */

struct note {
    int64_t offset, length, size; /* what was there, and how long the file was */
};

static void watch(int fd, const char *path)
{
    const char *folder = getenv("RAFFIA_SHIM_DISK");
    char whole[PATH_MAX];
    if (fd < 0 || fd >= MOST) return;
    noted[fd][0] = 0;
    if (!folder || !realpath(path, whole) || strncmp(whole, folder, strlen(folder))) return;
    if (strstr(whole, "-shm")) return; /* is made anew after a cut */
    snprintf(noted[fd], PATH_MAX, "%.*s.undo", PATH_MAX - 6, whole);
}

static int notes(int fd)
{
    if (fd < 0 || fd >= MOST || !noted[fd][0]) return -1;
    return NEXT(open)(noted[fd], O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

static int full(int fd) { return world && world->full && fd >= 0 && fd < MOST && noted[fd][0]; }

/* Before `length` bytes from `offset` on are overwritten, or cut off. */
static void note(int fd, off_t offset, size_t length)
{
    int out = notes(fd);
    struct stat stat;
    if (out < 0) return;
    if (fstat(fd, &stat)) abort();
    int64_t rest = stat.st_size - offset;
    int64_t kept = rest <= 0 ? 0 : (int64_t)length < rest ? (int64_t)length : rest;
    char *bytes = malloc(sizeof(struct note) + (size_t)kept);
    if (!bytes) abort();
    *(struct note *)bytes = (struct note){offset, kept, stat.st_size};
    if (kept && pread(fd, bytes + sizeof(struct note), (size_t)kept, offset) != kept) abort();
    ssize_t whole = (ssize_t)sizeof(struct note) + kept;
    /* One write: a killed program has noted all of it or nothing. */
    if (NEXT(write)(out, bytes, (size_t)whole) != whole) abort();
    free(bytes);
    close(out);
}

/* Data on the disk now stays. Nothing is really synced, because that would only take time. */
static int synced(int fd)
{
    int out = notes(fd);
    if (out < 0) return -1;
    if (ftruncate(out, 0)) abort();
    close(out);
    return 0;
}

#define OPEN(name)                                                            \
    int name(const char *path, int flags, ...)                                \
    {                                                                         \
        mode_t mode = 0;                                                      \
        if (flags & (O_CREAT | O_TMPFILE)) {                                  \
            va_list rest;                                                     \
            va_start(rest, flags);                                            \
            mode = va_arg(rest, mode_t);                                      \
            va_end(rest);                                                     \
        }                                                                     \
        int fd = NEXT(name)(path, flags, mode);                               \
        watch(fd, path);                                                      \
        return fd;                                                            \
    }

OPEN(open)
OPEN(open64)

#define PWRITE(name, offset_type)                                             \
    ssize_t name(int fd, const void *bytes, size_t length, offset_type offset) \
    {                                                                         \
        if (full(fd)) {                                                       \
            errno = ENOSPC;                                                   \
            return -1;                                                        \
        }                                                                     \
        note(fd, offset, length);                                             \
        return NEXT(name)(fd, bytes, length, offset);                         \
    }

PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define TRUNCATE(name, offset_type)                                           \
    int name(int fd, offset_type size)                                        \
    {                                                                         \
        if (fd >= 0 && fd < MOST && noted[fd][0]) note(fd, size, INT64_MAX);  \
        return NEXT(name)(fd, size);                                          \
    }

TRUNCATE(ftruncate64, off64_t)

int fsync(int fd) { return synced(fd) ? NEXT(fsync)(fd) : 0; }
int fdatasync(int fd) { return synced(fd) ? NEXT(fdatasync)(fd) : 0; }

int close(int fd)
{
    if (fd >= 0 && fd < MOST) noted[fd][0] = 0;
    return NEXT(close)(fd);
}
