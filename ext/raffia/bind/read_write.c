/* Core calls these hooks on IO#read, IO#write and similar methods with a length of 0; IO::Buffer's
 * own methods pass the least number of bytes.
 *
 * A length of 0 reads once without waiting, except from sockets: IO#read_nonblock comes here too. A
 * write always waits for room: IO#write_nonblock does not come here, IO#syswrite would fail
 * without, and IO#write would call again. IO#sysread waits too.
 *
 * The system call comes first, because most often it succeeds. Regular files have no readiness to
 * wait for: where the disk must be read, lib/raffia/scheduler/file_io.rb continues. */
#include "read_write.h"

#include <ruby/debug.h>
#include <ruby/io.h>
#include "compat.h"
#include "park.h"
#include "scheduler.h"
#include "transfer.h"

static ID id_io_wait, id_transfer, id_yield, id_raise_no_progress, id_basic_socket, id_read,
    id_write, id_is_locked;
static VALUE sym_sysread;

struct transfer {
    struct scheduler *scheduler;
    VALUE io, buffer;
    enum raffia_kind kind;
    size_t least, offset;
    int socket; /* as far as Ruby knows */
    int sliced; /* a large read of a file */
};

/* Bytes after which other fibers run during a larger read of a file: some 100 us, if all is in
 * memory. */
enum { SLICE = 1 << 20 };

/* The class exists once the socket library has been loaded, and then for ever. */
static int is_socket(VALUE io)
{
    static VALUE basic_socket;
    if (!basic_socket && rb_const_defined(rb_cObject, id_basic_socket))
        basic_socket = rb_const_get(rb_cObject, id_basic_socket);
    return basic_socket && RTEST(rb_obj_is_kind_of(io, basic_socket));
}

static int64_t receive(const struct transfer *transfer, int fd, char *start, size_t room)
{
    return transfer->socket ? raffia_try_receive(fd, start, room)
                            : raffia_try_read(fd, start, room, RAFFIA_CURRENT_POSITION);
}

/* With more fibers their stacks are in no cache, and the second switch costs more than a system
 * call. */
enum { MANY = 4096 };

/* While other fibers are ready, a ring collects output and sends it with theirs: one system call
 * for all, and a peer on this machine is woken once. */
static int is_worth_batching(const struct transfer *transfer)
{
    const struct raffia_loop *loop = transfer->scheduler->loop;
    return loop->backend->transfers && loop->ready.count > 0 &&
           transfer->scheduler->waits.used < MANY &&
           raffia_scheduler_is_own_thread(transfer->scheduler);
}

struct sending {
    struct parking parking;
    const char *start;
    size_t room;
};

static int submit(struct parking *parking)
{
    struct sending *sending = parking->arg;
    raffia_id id;
    raffia_check(raffia_loop_transfer(parking->scheduler->loop, RAFFIA_SEND, parking->fd,
                                      (char *)sending->start, sending->room,
                                      RAFFIA_CURRENT_POSITION, (raffia_data)parking->wait->ticket,
                                      &id),
                 "send");
    parking->op = id; /* set only now that there is an op to wait for */
    return 0;
}

static VALUE send_and_wait(VALUE pointer)
{
    return LL2NUM(raffia_park((struct parking *)pointer));
}

static VALUE unlock(VALUE buffer)
{
    return rb_io_buffer_try_unlock(buffer) ? Qtrue : Qfalse;
}

static int64_t send_batched(const struct transfer *transfer, int fd, const char *start, size_t room)
{
    VALUE limit = RB_TYPE_P(transfer->io, T_FILE) ? rb_io_timeout(transfer->io) : Qnil;
    struct sending sending = {
        .parking = {.scheduler = transfer->scheduler,
                    .reason = FOR_IO,
                    .blocker = transfer->io,
                    .fd = fd,
                    .events = RAFFIA_WRITABLE,
                    .limit = NIL_P(limit) ? RAFFIA_NO_LIMIT : raffia_nanoseconds(limit),
                    .must_complete = 1,
                    .begin = submit},
        .start = start,
        .room = room};
    sending.parking.arg = &sending;
    /* Core has locked its own memory already. */
    if (RTEST(rb_funcall(transfer->buffer, id_is_locked, 0))) {
        raffia_park(&sending.parking);
    } else {
        rb_io_buffer_lock(transfer->buffer);
        rb_ensure(send_and_wait, (VALUE)&sending.parking, unlock, transfer->buffer);
    }
    if (sending.parking.result == -ETIME)
        rb_funcall(transfer->scheduler->self, id_raise_no_progress, 1, transfer->io);
    return sending.parking.result;
}

static int64_t send_now(const struct transfer *transfer, int fd, const char *start, size_t room)
{
    if (transfer->socket && is_worth_batching(transfer))
        return send_batched(transfer, fd, start, room);
    return transfer->socket ? raffia_try_send(fd, start, room)
                            : raffia_try_write(fd, start, room, RAFFIA_CURRENT_POSITION);
}

/* The address is read each time, because the memory may be another after a wait. */
static int64_t try(const struct transfer *transfer, int fd, size_t offset, size_t *room)
{
    if (transfer->kind == RAFFIA_READ) {
        char *start = raffia_buffer_for_writing(transfer->buffer, offset, room);
        if (transfer->sliced && *room > SLICE) *room = SLICE;
        return *room ? receive(transfer, fd, start, *room) : 0;
    }
    const char *start = raffia_buffer_for_reading(transfer->buffer, offset, room);
    return *room ? send_now(transfer, fd, start, *room) : 0;
}

/* With all three arguments, like core's calls: a subclass may have its own method. */
static VALUE await(const struct transfer *transfer)
{
    VALUE arguments[] = {transfer->io,
                         INT2FIX(transfer->kind == RAFFIA_READ ? RAFFIA_READABLE : RAFFIA_WRITABLE),
                         Qnil};
    return rb_funcallv(transfer->scheduler->self, id_io_wait, 3, arguments);
}

/* IO#sysread leaves the waiting to the scheduler. Only the caller's name tells it from
 * IO#read_nonblock. */
static int is_sysread(void)
{
    VALUE frames[2];
    if (rb_profile_frames(0, 2, frames, NULL) < 2) return 0;
    VALUE name = rb_profile_frame_method_name(frames[1]);
    return RB_TYPE_P(name, T_STRING) && rb_sym2str(sym_sysread) == name;
}

static int waits(const struct transfer *transfer, int64_t count)
{
    return count == -EAGAIN &&
           (transfer->least > 0 || transfer->kind == RAFFIA_WRITE || is_sysread());
}

static VALUE transfer_file(const struct transfer *transfer, size_t done)
{
    return rb_funcall(transfer->scheduler->self, id_transfer, 7,
                      ID2SYM(transfer->kind == RAFFIA_READ ? id_read : id_write), transfer->io,
                      transfer->buffer, Qnil, SIZET2NUM(transfer->least),
                      SIZET2NUM(transfer->offset), SIZET2NUM(done));
}

/* A file returns without waiting the bytes that are in memory, but callers expect that only its end
 * makes a read short. */
static int is_whole(const struct transfer *transfer, int fd, int64_t count, size_t room)
{
    if (count == 0 || (size_t)count == room || transfer->kind == RAFFIA_WRITE || transfer->socket)
        return 1;
    return !raffia_is_cut_short(fd, RAFFIA_CURRENT_POSITION);
}

/* After SEVERAL misses in a row the next read will probably miss too, and costs a system call: a
 * peer takes longer to answer. NOW_AND_THEN it is tried all the same. */
enum { SEVERAL = 3, NOW_AND_THEN = 16 };

static unsigned char *misses_of(struct read_misses *misses, int fd)
{
    if ((size_t)fd >= misses->size) {
        size_t size = misses->size ? misses->size : 64;
        while (size <= (size_t)fd)
            size *= 2;
        REALLOC_N(misses->counts, unsigned char, size);
        MEMZERO(misses->counts + misses->size, unsigned char, size - misses->size);
        misses->size = size;
    }
    return misses->counts + fd;
}

static int is_likely_to_miss(unsigned char *misses)
{
    if (*misses < SEVERAL) return 0;
    *misses = *misses < SEVERAL + NOW_AND_THEN ? *misses + 1 : SEVERAL - 1;
    return *misses >= SEVERAL;
}

/* A socket's read_nonblock does not come here (it has a recv of its own), so the caller is ready to
 * wait. */
static VALUE read_socket(const struct transfer *transfer)
{
    unsigned char *misses =
        misses_of(&transfer->scheduler->read_misses, raffia_descriptor_of(transfer->io));
    size_t room;
    int64_t count = -EAGAIN;
    if (!is_likely_to_miss(misses)) {
        count = try(transfer, raffia_descriptor_of(transfer->io), transfer->offset, &room);
        if (count >= 0) *misses = 0;
        if (count == -EAGAIN) ++*misses;
    }
    while (count == -EAGAIN) {
        if (!RTEST(await(transfer)))
            rb_funcall(transfer->scheduler->self, id_raise_no_progress, 1, transfer->io);
        count = try(transfer, raffia_descriptor_of(transfer->io), transfer->offset, &room);
    }
    return LL2NUM(count);
}

static VALUE run(const struct transfer *transfer)
{
    size_t done = 0, room;
    for (;;) {
        int fd = raffia_descriptor_of(transfer->io);
        int64_t count = try(transfer, fd, transfer->offset + done, &room);
        if (count >= 0) {
            done += (size_t)count;
            if (transfer->sliced && count == SLICE) {
                transfer->scheduler->turns.switches =
                    transfer->scheduler->turns.interval; /* poll I/O, too */
                rb_funcall(transfer->scheduler->self, id_yield, 0);
                continue;
            }
            if (!is_whole(transfer, fd, count, room)) return transfer_file(transfer, done);
            if (count == 0 || done >= transfer->least || (size_t)count == room)
                return SIZET2NUM(done);
            continue;
        }
        if (count == -EAGAIN && !transfer->socket && raffia_is_file(fd))
            return transfer_file(transfer, done);
        /* The bytes that have arrived are returned first; the error, if it lasts, comes with the
         * next call. */
        if (!waits(transfer, count)) return done > 0 ? SIZET2NUM(done) : LL2NUM(count);
        if (RTEST(await(transfer))) continue;
        return done > 0
                   ? SIZET2NUM(done)
                   : rb_funcall(transfer->scheduler->self, id_raise_no_progress, 1, transfer->io);
    }
}

static int is_large_read(const struct transfer *transfer)
{
    size_t room;
    if (transfer->kind != RAFFIA_READ || transfer->socket) return 0;
    raffia_buffer_for_writing(transfer->buffer, transfer->offset, &room);
    return room > SLICE && raffia_is_file(raffia_descriptor_of(transfer->io));
}

static VALUE call_hook(VALUE self, enum raffia_kind kind, VALUE *argv)
{
    struct transfer transfer = {.scheduler = raffia_scheduler_attached(self),
                                .kind = kind,
                                .io = argv[0],
                                .buffer = argv[1],
                                .least = NUM2SIZET(argv[2]),
                                .offset = NUM2SIZET(argv[3]),
                                .socket = is_socket(argv[0])};
    if (transfer.socket && kind == RAFFIA_READ && transfer.least == 0)
        return read_socket(&transfer);
    transfer.sliced = is_large_read(&transfer);
    return run(&transfer);
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
    return call_hook(self, RAFFIA_READ, arguments);
}

/*
 * @overload io_write(io, buffer, length, offset)
 *   Hook. Writes from +offset+ on.
 *   @return [Integer] as {#io_read}
 */
static VALUE scheduler_io_write(VALUE self, VALUE io, VALUE buffer, VALUE length, VALUE offset)
{
    VALUE arguments[] = {io, buffer, length, offset};
    return call_hook(self, RAFFIA_WRITE, arguments);
}

void raffia_init_read_write(VALUE native)
{
    id_io_wait = rb_intern("io_wait");
    id_transfer = rb_intern("transfer");
    id_yield = rb_intern("yield");
    id_raise_no_progress = rb_intern("raise_no_progress");
    id_basic_socket = rb_intern("BasicSocket");
    id_is_locked = rb_intern("locked?");
    id_read = rb_intern("read");
    id_write = rb_intern("write");
    sym_sysread = ID2SYM(rb_intern("sysread"));
    rb_define_method(native, "io_read", scheduler_io_read, 4);
    rb_define_method(native, "io_write", scheduler_io_write, 4);
}
