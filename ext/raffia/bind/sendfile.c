/* sendfile(2) that does not wait, for IO.copy_stream in a fiber. */
#include "raffia.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include "engine.h"
#include "transfer.h"
#ifdef __linux__
#include <sys/sendfile.h>

static int is_nonblocking_socket(int fd)
{
    int type;
    socklen_t size = sizeof type;
    if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0) return 0;
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && (flags & O_NONBLOCK);
}

static int64_t send_now(int to, int from, off_t position, size_t length)
{
    if (!is_nonblocking_socket(to)) return -EINVAL;
    ssize_t count;
    do
        count = sendfile(to, from, &position, length);
    while (count < 0 && errno == EINTR);
    if (count >= 0) return count;
    /* The caller writes then, which raises the error of the socket. */
    return errno == EAGAIN ? -EAGAIN : -EINVAL;
}
#else
static int64_t send_now(int to, int from, off_t position, size_t length)
{
    (void)to, (void)from, (void)position, (void)length;
    return -EINVAL;
}
#endif

/*
 * @overload sendfile(to, from, position, length)
 *   @param to [IO]
 *   @param from [File] its own position stays as it is
 *   @param position [Integer] bytes from the start
 *   @param length [Integer] bytes at most
 *   @return [Integer] bytes; -EAGAIN where it would wait; another negative number where it cannot
 *     be done
 */
static VALUE native_sendfile(VALUE module, VALUE to, VALUE from, VALUE position, VALUE length)
{
    (void)module;
    return LL2NUM(send_now(raffia_descriptor_of(to), raffia_descriptor_of(from), NUM2OFFT(position),
                           NUM2SIZET(length)));
}

/*
 * @overload cached?(file, position)
 *   @return [Boolean] whether the byte there can be read without waiting for a disk; true where
 *     that is unknown
 */
static VALUE is_cached(VALUE module, VALUE file, VALUE position)
{
    char byte;
    (void)module;
    return raffia_try_read(raffia_descriptor_of(file), &byte, 1, NUM2OFFT(position)) == -EAGAIN
               ? Qfalse
               : Qtrue;
}

void raffia_init_sendfile(VALUE raffia)
{
    VALUE native = rb_define_module_under(raffia, "Native");
    rb_define_singleton_method(native, "sendfile", native_sendfile, 4);
    rb_define_singleton_method(native, "cached?", is_cached, 2);
}
