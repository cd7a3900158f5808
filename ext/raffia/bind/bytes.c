/* Reading and writing through IO::Buffer. Core calls these on IO#read, #write and their kin with a length of 0; IO::Buffer's own methods
 * hand in the least number of bytes.
 *
 * A length of 0 means to read once without waiting: IO#read_nonblock comes here too. IO#write_nonblock does not, so a write waits for
 * room: IO#syswrite would fail without, and IO#write ask once more.
 *
 * The system call comes first, because most often the answer is known. Regular files have no readiness to wait for: where the disk must be
 * asked, lib/raffia/scheduler/transfer.rb goes on. */
#include "scheduler.h"

#include <ruby/io.h>
#include "compat.h"
#include "transfer.h"

static ID id_io_wait, id_carry, id_no_progress, id_basic_socket, id_read, id_write;

struct bytes {
    struct scheduler *scheduler;
    VALUE io, buffer;
    enum raffia_kind kind;
    size_t least, offset;
    int socket; /* as far as Ruby knows */
};

/* The class is there when the socket library is loaded, and then for ever. */
static int is_socket(VALUE io)
{
    static VALUE basic_socket;
    if (!basic_socket && rb_const_defined(rb_cObject, id_basic_socket))
        basic_socket = rb_const_get(rb_cObject, id_basic_socket);
    return basic_socket && RTEST(rb_obj_is_kind_of(io, basic_socket));
}

static int64_t receive(const struct bytes *bytes, int fd, char *start, size_t room)
{
    return bytes->socket ? raffia_try_receive(fd, start, room)
                         : raffia_try_read(fd, start, room, RAFFIA_CURRENT_POSITION);
}

static int64_t send_off(const struct bytes *bytes, int fd, const char *start, size_t room)
{
    return bytes->socket ? raffia_try_send(fd, start, room)
                         : raffia_try_write(fd, start, room, RAFFIA_CURRENT_POSITION);
}

/* The buffer is asked each time: its memory may be another after a wait. */
static int64_t try(const struct bytes *bytes, int fd, size_t offset, size_t *room)
{
    if (bytes->kind == RAFFIA_READ) {
        char *start = raffia_room_to_read(bytes->buffer, offset, room);
        return *room ? receive(bytes, fd, start, *room) : 0;
    }
    const char *start = raffia_bytes_to_write(bytes->buffer, offset, room);
    return *room ? send_off(bytes, fd, start, *room) : 0;
}

static VALUE await(const struct bytes *bytes)
{
    VALUE arguments[] = {bytes->io, INT2FIX(bytes->kind == RAFFIA_READ ? RAFFIA_READABLE : RAFFIA_WRITABLE)};
    return rb_funcallv(bytes->scheduler->self, id_io_wait, 2, arguments);
}

static VALUE carry_file(const struct bytes *bytes, size_t done)
{
    return rb_funcall(bytes->scheduler->self, id_carry, 7,
                      ID2SYM(bytes->kind == RAFFIA_READ ? id_read : id_write), bytes->io, bytes->buffer, Qnil,
                      SIZET2NUM(bytes->least), SIZET2NUM(bytes->offset), SIZET2NUM(done));
}

/* A file gives without waiting what is in memory of it, but callers expect that only its end makes a read short. */
static int is_whole(const struct bytes *bytes, int fd, int64_t count, size_t room)
{
    if (count == 0 || (size_t)count == room || bytes->kind == RAFFIA_WRITE || bytes->socket) return 1;
    return !raffia_is_cut_short(fd, RAFFIA_CURRENT_POSITION);
}

static VALUE carry(const struct bytes *bytes)
{
    size_t done = 0, room;
    for (;;) {
        int fd = raffia_descriptor_of(bytes->io);
        int64_t count = try(bytes, fd, bytes->offset + done, &room);
        if (count >= 0) {
            done += (size_t)count;
            if (!is_whole(bytes, fd, count, room)) return carry_file(bytes, done);
            if (count == 0 || done >= bytes->least || (size_t)count == room) return SIZET2NUM(done);
            continue;
        }
        if (count == -EAGAIN && !bytes->socket && raffia_is_file(fd)) return carry_file(bytes, done);
        int waits = count == -EAGAIN && (bytes->least > 0 || bytes->kind == RAFFIA_WRITE);
        /* What has arrived is told first; the error, if it lasts, comes with the next call. */
        if (!waits) return done > 0 ? SIZET2NUM(done) : LL2NUM(count);
        if (RTEST(await(bytes))) continue;
        return done > 0 ? SIZET2NUM(done) : rb_funcall(bytes->scheduler->self, id_no_progress, 1, bytes->io);
    }
}

static VALUE transfer(VALUE self, enum raffia_kind kind, VALUE *argv)
{
    struct bytes bytes = {.scheduler = raffia_scheduler_attached(self),
                          .kind = kind,
                          .io = argv[0],
                          .buffer = argv[1],
                          .least = NUM2SIZET(argv[2]),
                          .offset = NUM2SIZET(argv[3]),
                          .socket = is_socket(argv[0])};
    return carry(&bytes);
}

/*
 * @overload io_read(io, buffer, length, offset)
 *   Hook. Reads into +buffer+ from +offset+ on.
 *   @param io [IO]
 *   @param buffer [IO::Buffer]
 *   @param length [Integer] the least number of bytes to wait for; 0: try once
 *   @param offset [Integer] bytes
 *   @return [Integer] the number of bytes, 0 at the end of the file, or a negative errno
 */
static VALUE scheduler_io_read(VALUE self, VALUE io, VALUE buffer, VALUE length, VALUE offset)
{
    VALUE arguments[] = {io, buffer, length, offset};
    return transfer(self, RAFFIA_READ, arguments);
}

/*
 * @overload io_write(io, buffer, length, offset)
 *   Hook. The other way.
 *   @return [Integer] as {#io_read}
 */
static VALUE scheduler_io_write(VALUE self, VALUE io, VALUE buffer, VALUE length, VALUE offset)
{
    VALUE arguments[] = {io, buffer, length, offset};
    return transfer(self, RAFFIA_WRITE, arguments);
}

void raffia_init_bytes(VALUE native)
{
    id_io_wait = rb_intern("io_wait");
    id_carry = rb_intern("carry");
    id_no_progress = rb_intern("no_progress");
    id_basic_socket = rb_intern("BasicSocket");
    id_read = rb_intern("read");
    id_write = rb_intern("write");
    rb_define_method(native, "io_read", scheduler_io_read, 4);
    rb_define_method(native, "io_write", scheduler_io_write, 4);
}
