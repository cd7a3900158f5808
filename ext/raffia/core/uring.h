/* <liburing.h>, also where the kernel's headers are older than the library: the compat.h of
 * liburing 2.9, which its configure script wrote on the machine that packaged it, includes
 * <linux/blkdev.h>, a newer header than Debian 12 has. This does what that file would have done
 * without it. */
#ifndef RAFFIA_URING_H
#define RAFFIA_URING_H

#if defined(__has_include)
#if !__has_include(<linux/blkdev.h>)
#include <linux/openat2.h>
#include <linux/time_types.h>
#include <sys/ioctl.h>
#define UAPI_LINUX_IO_URING_H_SKIP_LINUX_TIME_TYPES_H 1
#define LIBURING_COMPAT_H
#ifndef BLOCK_URING_CMD_DISCARD
#define BLOCK_URING_CMD_DISCARD _IO(0x12, 0)
#endif
#endif
#endif

#include <liburing.h>

/* IORING_OP_WAITID: Linux 6.7, liburing 2.5. Debian 12 has 2.3. */
#if defined(IO_URING_VERSION_MAJOR) &&                                                             \
    (IO_URING_VERSION_MAJOR > 2 || (IO_URING_VERSION_MAJOR == 2 && IO_URING_VERSION_MINOR >= 5))
#define HAVE_URING_WAITID 1
#endif

#endif
