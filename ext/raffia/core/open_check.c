#include "open_check.h"

#include <fcntl.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/sysmacros.h>
#include <sys/vfs.h>

static int is_remote(const char *path)
{
    static const unsigned long magics[] = {
        0x6969,     /* NFS */
        0x517b,     /* SMB */
        0xff534d42, /* CIFS */
        0xfe534d42, /* SMB2 */
        0x65735546, /* FUSE */
        0x00c36400, /* Ceph */
        0x01021997, /* 9P */
        0x5346414f, /* AFS */
        0x73757245, /* Coda */
        0x0bd00bd0, /* Lustre */
        0x47504653, /* GPFS */
        0x0187,     /* autofs */
    };
    struct statfs system;
    if (statfs(path, &system) < 0) return 0;
    for (size_t i = 0; i < sizeof(magics) / sizeof(*magics); i++)
        if (((unsigned long)system.f_type & 0xffffffff) == magics[i]) return 1;
    return 0;
}

static int device_is_remote(struct raffia_devices *devices, dev_t device, const char *path)
{
    enum { ROOM = sizeof(devices->seen) / sizeof(*devices->seen) };
    if (major(device) != 0) return 0; /* a disk */
    for (unsigned i = 0; i < ROOM; i++)
        if (devices->seen[i].known && devices->seen[i].device == device)
            return devices->seen[i].remote;
    unsigned place = devices->next++ % ROOM;
    devices->seen[place].device = device;
    devices->seen[place].known = 1;
    return devices->seen[place].remote = is_remote(path);
}

/* Memory devices, such as /dev/null. */
static int is_memory(dev_t device)
{
    return major(device) == 1;
}
#else
static int device_is_remote(struct raffia_devices *devices, dev_t device, const char *path)
{
    (void)devices, (void)device, (void)path;
    return 0;
}

static int is_memory(dev_t device)
{
    (void)device;
    return 0;
}
#endif

enum raffia_open_check raffia_open_check(struct raffia_devices *devices, const char *path,
                                         int flags)
{
    struct stat status;
    if ((flags & O_NONBLOCK) || stat(path, &status) < 0) return RAFFIA_OPENS_AT_ONCE;
    if (S_ISFIFO(status.st_mode)) return RAFFIA_OPENS_LATER;
    if (S_ISCHR(status.st_mode))
        return is_memory(status.st_rdev) ? RAFFIA_OPENS_AT_ONCE : RAFFIA_OPENS_LATER;
    return device_is_remote(devices, status.st_dev, path) ? RAFFIA_OPENS_REMOTELY
                                                          : RAFFIA_OPENS_AT_ONCE;
}
