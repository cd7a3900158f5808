/* Sends output: one system call for all there is, in the connection's own memory and in the app's
 * strings. */
#include "http1_response.h"

#ifdef HAVE_LLHTTP

#include <errno.h>
#include <ruby/fiber/scheduler.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/sendfile.h>
#include <sys/uio.h>

/* KEPT: memory that a busy connection keeps for its next responses; more is freed. */
enum { KEPT = 16 * 1024, VECTORS = 64 };

/* The most that is sent at once: copying it into the kernel takes time, and a disk may have to be
 * read. */
enum { BITE = 256 * 1024 };

static ID id_wait_readable, id_wait_writable;

void raffia_http1_output_init(struct http1_output *output)
{
    *output = (struct http1_output){.declared = -1, .timeout = -1};
}

void raffia_http1_output_free(struct http1_output *output)
{
    ruby_xfree(output->bytes);
}

size_t raffia_http1_output_memsize(const struct http1_output *output)
{
    return output->capacity;
}

static void make_room(struct http1_output *output, size_t length)
{
    size_t capacity = output->capacity ? output->capacity : 512;
    while (capacity < output->length + length)
        capacity *= 2;
    if (capacity == output->capacity) return;
    REALLOC_N(output->bytes, char, capacity);
    output->capacity = capacity;
}

void raffia_http1_append(struct http1_output *output, const char *bytes, size_t length)
{
    if (output->length + length > output->capacity) make_room(output, length);
    memcpy(output->bytes + output->length, bytes, length);
    output->length += length;
}

int raffia_http1_insert(struct http1_output *output, const char *bytes, size_t length)
{
    if (output->begun && !output->whole) return 0;
    size_t mark = output->begun ? output->mark : output->length, rest = output->length - mark;
    raffia_http1_append(output, bytes, length);
    memmove(output->bytes + mark + length, output->bytes + mark, rest);
    memcpy(output->bytes + mark, bytes, length);
    output->mark = mark + length;
    return 1;
}

/* Removes sent bytes, and frees memory that is not needed. */
static void forget(struct http1_output *output, size_t sent)
{
    if (sent > 0) output->whole = 0;
    output->start += sent;
    if (output->start < output->length) return;
    output->start = output->length = 0;
    if (output->capacity <= KEPT) return;
    ruby_xfree(output->bytes);
    output->bytes = NULL;
    output->capacity = 0;
}

NORETURN(static void disconnected(const char *why));

static void disconnected(const char *why)
{
    rb_raise(rb_path2class("Raffia::Server::Disconnected"), "%s", why);
}

/* One call of send: the output, then `strings` from `first` on, of which `offset` bytes have been
 * sent. */
struct batch {
    struct http1_response *response;
    VALUE strings; /* Array of Strings, or Qnil */
    long first;
    size_t offset;
    int pinned, done;
    int64_t deadline; /* until which more must have been sent, after the first wait */
    size_t since;     /* bytes sent since that was set */
};

static long remaining(const struct batch *batch)
{
    return NIL_P(batch->strings) ? 0 : RARRAY_LEN(batch->strings) - batch->first;
}

static size_t take(struct iovec *vector, char *bytes, size_t length, size_t room)
{
    *vector = (struct iovec){bytes, length < room ? length : room};
    return vector->iov_len;
}

static int gather(const struct batch *batch, struct iovec *vectors)
{
    const struct http1_output *output = &batch->response->output;
    int count = 0;
    size_t offset = batch->offset, room = BITE;
    if (output->start < output->length)
        room -= take(&vectors[count++], output->bytes + output->start,
                     output->length - output->start, room);
    for (long i = batch->first; i < batch->first + remaining(batch) && count < VECTORS && room > 0;
         i++, offset = 0) {
        VALUE string = RARRAY_AREF(batch->strings, i);
        size_t length = (size_t)RSTRING_LEN(string);
        if (length > offset)
            room -= take(&vectors[count++], RSTRING_PTR(string) + offset, length - offset, room);
    }
    return count;
}

static void advance(struct batch *batch, size_t sent)
{
    struct http1_output *output = &batch->response->output;
    size_t own = output->length - output->start;
    if (own > sent) own = sent;
    forget(output, own);
    batch->offset += sent - own;
    while (remaining(batch) > 0) {
        size_t length = (size_t)RSTRING_LEN(RARRAY_AREF(batch->strings, batch->first));
        if (batch->offset < length) return;
        batch->offset -= length;
        batch->first++;
    }
}

/* The app may change its strings while the fiber waits, so from the first wait on they are copies,
 * which share their bytes. */
static void pin(struct batch *batch)
{
    if (batch->pinned || NIL_P(batch->strings)) return;
    VALUE copies = rb_ary_new_capa(remaining(batch));
    for (long i = batch->first; i < RARRAY_LEN(batch->strings); i++)
        rb_ary_push(copies, rb_str_new_frozen(RARRAY_AREF(batch->strings, i)));
    batch->strings = copies;
    batch->first = 0;
    batch->pinned = 1;
}

/* Bytes that a client must take to start its timeout anew. A client that takes one now and then
 * occupies as much memory as one that takes none. */
enum { PROGRESS = 16 * 1024 };

static int64_t time_left(struct batch *batch)
{
    int64_t timeout = batch->response->output.timeout, now = raffia_coarse_now();
    if (timeout < 0) return RAFFIA_NO_LIMIT;
    if (batch->deadline == 0 || batch->since >= PROGRESS) {
        batch->deadline = now + timeout;
        batch->since = 0;
    }
    return batch->deadline > now ? batch->deadline - now : 0;
}

static void await_room(struct batch *batch)
{
    pin(batch);
    if (!raffia_http_wait(&batch->response->request.transport, RAFFIA_WRITABLE, time_left(batch)))
        disconnected("the client takes nothing more: the write timeout has passed");
}

/* A thread of the pool must not wait for a slow client: the rest is appended to the output, and the
 * connection's fiber flushes it. Returns whether there was room for it. */
static int keep_for_later(struct batch *batch)
{
    struct http1_output *output = &batch->response->output;
    size_t left = output->length - output->start;
    if (output->buffer_limit == 0) return 0;
    for (long i = 0; i < remaining(batch); i++)
        left += (size_t)RSTRING_LEN(RARRAY_AREF(batch->strings, batch->first + i));
    if (left - batch->offset > output->buffer_limit) return 0;
    for (; remaining(batch) > 0; batch->first++, batch->offset = 0) {
        VALUE string = RARRAY_AREF(batch->strings, batch->first);
        raffia_http1_append(output, RSTRING_PTR(string) + batch->offset,
                            (size_t)RSTRING_LEN(string) - batch->offset);
        RB_GC_GUARD(string);
    }
    return 1;
}

static void count_sent(struct batch *batch, size_t sent)
{
    batch->response->request.transport.sent += sent;
    batch->since += sent;
}

/* A long send lets other fibers run in between. */
static void give_way(struct batch *batch)
{
    pin(batch);
    raffia_http_yield();
}

/* Most responses are one piece. Then the kernel need not read a list of pieces, which is 3% of the
 * call. */
static ssize_t try_to_send(int fd, struct iovec *vectors, int count)
{
    enum { FLAGS = MSG_DONTWAIT | MSG_NOSIGNAL };
    if (count == 1) return send(fd, vectors[0].iov_base, vectors[0].iov_len, FLAGS);
    struct msghdr message = {.msg_iov = vectors, .msg_iovlen = (size_t)count};
    return sendmsg(fd, &message, FLAGS);
}

static void send_natively(struct batch *batch)
{
    struct iovec vectors[VECTORS];
    for (;;) {
        int count = gather(batch, vectors);
        if (count == 0) return;
        ssize_t sent = try_to_send(raffia_http_descriptor(&batch->response->request.transport),
                                   vectors, count);
        if (sent >= 0) {
            count_sent(batch, (size_t)sent);
            advance(batch, (size_t)sent);
            if (sent == BITE) give_way(batch);
        } else if (errno == EAGAIN) {
            if (keep_for_later(batch)) return;
            await_room(batch);
        } else if (errno != EINTR) {
            disconnected("the client has gone");
        }
    }
}

/* TLS, and schedulers that are not ours. */

struct attempt {
    struct http1_response *response;
    VALUE string;
};

static VALUE try_to_write(VALUE pointer)
{
    const struct attempt *attempt = (const struct attempt *)pointer;
    return raffia_http_write_record(&attempt->response->request.transport, attempt->string);
}

static VALUE is_gone(VALUE unused, VALUE error)
{
    (void)unused, (void)error;
    disconnected("the client has gone");
    return Qnil;
}

static void write_string(struct batch *batch, VALUE string)
{
    struct http1_response *response = batch->response;
    struct attempt attempt = {.response = response, .string = string};
    long row = 0;
    while (RSTRING_LEN(attempt.string) > 0) {
        /* The classes of TLS errors are not known here. */
        VALUE written =
            rb_rescue2(try_to_write, (VALUE)&attempt, is_gone, Qnil, rb_eStandardError, (VALUE)0);
        if (written == ID2SYM(id_wait_writable)) {
            if ((size_t)RSTRING_LEN(attempt.string) <= response->output.buffer_limit) {
                raffia_http1_append(&response->output, RSTRING_PTR(attempt.string),
                                    (size_t)RSTRING_LEN(attempt.string));
                break;
            }
            await_room(batch);
        } else if (written == ID2SYM(id_wait_readable)) {
            if (!raffia_http_wait(&response->request.transport, RAFFIA_READABLE,
                                  response->output.timeout))
                disconnected("the client has gone");
        } else {
            long count = NUM2LONG(written);
            count_sent(batch, (size_t)count);
            attempt.string =
                rb_str_subseq(attempt.string, count, RSTRING_LEN(attempt.string) - count);
            if ((row += count) < BITE) continue;
            row = 0;
            give_way(batch);
        }
    }
    RB_GC_GUARD(attempt.string);
}

static void send_by_methods(struct batch *batch)
{
    struct http1_output *output = &batch->response->output;
    VALUE all = rb_str_new(output->bytes + output->start, (long)(output->length - output->start));
    forget(output, output->length - output->start);
    /* Appends bytes: the encodings may differ. */
    for (; remaining(batch) > 0; batch->first++) {
        VALUE string = RARRAY_AREF(batch->strings, batch->first);
        rb_str_cat(all, RSTRING_PTR(string), RSTRING_LEN(string));
        RB_GC_GUARD(string);
    }
    write_string(batch, all);
}

/* Not reentrant: the fiber that is parked in here owns the output. Ruby code keeps others out. */
static VALUE dispatch(VALUE pointer)
{
    struct batch *batch = (struct batch *)pointer;
    if (batch->response->request.transport.native)
        send_natively(batch);
    else
        send_by_methods(batch);
    RB_GC_GUARD(batch->strings);
    batch->done = 1;
    return Qnil;
}

/* The app may rescue what was raised, such as a timeout, and write more. The client would take that
 * for the rest of this piece. */
static VALUE note_loss(VALUE pointer)
{
    const struct batch *batch = (const struct batch *)pointer;
    if (!batch->done) batch->response->output.truncated = 1;
    return Qnil;
}

void raffia_http1_send(struct http1_response *response, VALUE strings)
{
    struct batch batch = {.response = response, .strings = strings};
    response->output.deferred = 0;
    if (response->output.truncated) disconnected("a piece of the response was interrupted");
    if (response->request.transport.native && NIL_P(strings))
        dispatch((VALUE)&batch); /* what is not sent stays in the output */
    else
        rb_ensure(dispatch, (VALUE)&batch, note_loss, (VALUE)&batch);
}

ssize_t raffia_http1_try_to_send(struct http1_response *response, size_t length)
{
    char *bytes = response->output.bytes + response->output.start;
    ssize_t sent = -1;
    if (response->request.transport.native) {
        struct iovec vector = {bytes, length};
        sent = try_to_send(raffia_http_descriptor(&response->request.transport), &vector, 1);
    } else {
        struct attempt attempt = {.response = response, .string = rb_str_new(bytes, (long)length)};
        VALUE written = try_to_write((VALUE)&attempt);
        if (RB_INTEGER_TYPE_P(written)) sent = NUM2LONG(written);
    }
    if (sent <= 0) return 0;
    response->request.transport.sent += (uint64_t)sent;
    forget(&response->output, (size_t)sent);
    return sent;
}

static void send_piece(struct batch *batch, VALUE file, off_t *from, size_t length)
{
    struct http1_response *response = batch->response;
    for (;;) {
        /* The file may have been closed during a wait, and its number be another file's. */
        int source = raffia_descriptor_of(file);
        ssize_t sent =
            sendfile(raffia_http_descriptor(&response->request.transport), source, from, length);
        if (sent > 0) {
            count_sent(batch, (size_t)sent);
            response->output.body += sent;
            if (sent == BITE) give_way(batch);
            return;
        }
        if (sent == 0)
            rb_raise(rb_path2class("Raffia::Server::BadResponse"),
                     "the file has become shorter while it was being sent");
        if (errno == EAGAIN)
            await_room(batch);
        else if (errno != EINTR)
            disconnected("the client has gone");
    }
}

void raffia_http1_send_file(struct http1_response *response, VALUE file, int64_t from,
                            int64_t length)
{
    struct batch batch = {.response = response, .strings = Qnil};
    off_t position = (off_t)from, end = (off_t)(from + length);
    raffia_http1_flush(response);
    while (position < end) {
        size_t piece = end - position < BITE ? (size_t)(end - position) : BITE;
        send_piece(&batch, file, &position, piece);
    }
}

void raffia_init_http1_output(void)
{
    id_wait_readable = rb_intern("wait_readable");
    id_wait_writable = rb_intern("wait_writable");
}

#endif
