/* Raffia::Engine::Native: the loop as a Ruby object. lib/raffia/engine/select.rb documents its
 * methods, which are the same there. */
#include "raffia.h"
#include "compat.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include "engine.h"
#include "poll_once.h"
#include "transfer.h"

/* The data of a transfer is a hidden array: the caller's data, the buffer, and whether we locked
 * it. */
enum { TRANSFER_DATA, TRANSFER_BUFFER, TRANSFER_LOCKED, TRANSFER_SIZE };

static ID id_locked;

/* Garbage collection. The data of ops are Ruby objects, kept alive until their completion is
 * shifted. */

static void mark_word(raffia_data *data, void *unused)
{
    (void)unused;
    rb_gc_mark_movable((VALUE)*data);
}

static void move_word(raffia_data *data, void *unused)
{
    (void)unused;
    *data = (raffia_data)rb_gc_location((VALUE)*data);
}

static void engine_mark(void *pointer)
{
    struct engine *engine = pointer;
    rb_gc_mark_movable(engine->next);
    if (engine->loop.backend) raffia_loop_each(&engine->loop, mark_word, NULL);
}

static void engine_compact(void *pointer)
{
    struct engine *engine = pointer;
    engine->next = rb_gc_location(engine->next);
    if (engine->loop.backend) raffia_loop_each(&engine->loop, move_word, NULL);
}

static void engine_free(void *pointer)
{
    struct engine *engine = pointer;
    raffia_loop_close(&engine->loop);
    ruby_xfree(engine);
}

static size_t engine_memsize(const void *pointer)
{
    const struct engine *engine = pointer;
    return sizeof(*engine) + (engine->loop.backend ? raffia_loop_memsize(&engine->loop) : 0);
}

static const rb_data_type_t engine_type = {
    .wrap_struct_name = "Raffia::Engine::Native",
    .function = {.dmark = engine_mark,
                 .dfree = engine_free,
                 .dsize = engine_memsize,
                 .dcompact = engine_compact},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED,
};

static VALUE engine_allocate(VALUE class)
{
    struct engine *engine;
    VALUE self = TypedData_Make_Struct(class, struct engine, &engine_type, engine);
    engine->next = Qnil;
    return self;
}

struct engine *raffia_engine_of(VALUE self)
{
    struct engine *engine;
    TypedData_Get_Struct(self, struct engine, &engine_type, engine);
    return engine;
}

/* In a forked child the loop counts as closed, because it is the parent's. */
int raffia_engine_is_open(const struct engine *engine)
{
    return engine->loop.backend && raffia_loop_owned(&engine->loop);
}

/* The loop for a caller that only reads it. */
static struct raffia_loop *loop_of(VALUE self)
{
    struct engine *engine = raffia_engine_of(self);
    if (!engine->loop.backend) rb_raise(rb_eIOError, "the event loop is closed");
    if (!raffia_engine_is_open(engine))
        rb_raise(rb_eIOError,
                 "the event loop is the parent process's: open another one in this process");
    return &engine->loop;
}

/* The loop for a caller that changes it. The back end sleeps without the GVL, and no other thread
 * may call it meanwhile. */
struct raffia_loop *raffia_engine_loop(VALUE self)
{
    struct raffia_loop *loop = loop_of(self);
    if (raffia_engine_of(self)->polling)
        rb_raise(
            rb_eThreadError,
            "the event loop is in use by another thread: that one may be sent things by inject");
    return loop;
}

/* Raises the error of a negative result. */
int64_t raffia_check(int64_t result, const char *what)
{
    if (result < 0) rb_syserr_fail((int)-result, what);
    return result;
}

/* Numbers */

static VALUE boolean(int64_t truth)
{
    return truth ? Qtrue : Qfalse;
}

int raffia_descriptor_of(VALUE io)
{
    return RB_FIXNUM_P(io) ? FIX2INT(io) : rb_io_descriptor(io);
}

int64_t raffia_nanoseconds(VALUE seconds)
{
    double value = ceil(NUM2DBL(seconds) * 1e9);
    if (isnan(value)) rb_raise(rb_eArgError, "a time must be a number, not NaN");
    if (value >= 9e18) return RAFFIA_FOREVER - 1;
    return value <= 0 ? 0 : (int64_t)value;
}

static VALUE written(VALUE self, VALUE data)
{
    RB_OBJ_WRITTEN(self, Qundef, data);
    return data;
}

/* Life */

static const struct raffia_backend *backend_named(VALUE name)
{
    return raffia_backend_named(StringValueCStr(name));
}

static VALUE engine_probe(VALUE class, VALUE name)
{
    char why[256] = "";
    const struct raffia_backend *backend = backend_named(name);
    (void)class;
    if (!backend) return rb_str_new_cstr(raffia_backend_absence(StringValueCStr(name)));
    return raffia_backend_probe(backend, why, sizeof(why)) < 0 ? rb_str_new_cstr(why) : Qnil;
}

static VALUE engine_initialize(VALUE self, VALUE name, VALUE movable)
{
    struct engine *engine = raffia_engine_of(self);
    const struct raffia_backend *backend = backend_named(name);
    struct raffia_options options = {.movable = RTEST(movable)};
    if (engine->loop.backend) rb_raise(rb_eTypeError, "the event loop is open already");
    if (!backend) rb_raise(rb_eArgError, "no back end is named %" PRIsVALUE, name);
    raffia_check(raffia_loop_open(&engine->loop, backend, &options), backend->name);
    engine->backend = backend;
    return self;
}

static VALUE engine_name(VALUE self)
{
    const struct raffia_backend *backend = raffia_engine_of(self)->backend;
    return backend ? ID2SYM(rb_intern(backend->name)) : Qnil;
}

static VALUE engine_is_closed(VALUE self)
{
    return boolean(!raffia_engine_is_open(raffia_engine_of(self)));
}

/* Hidden arrays are the only data without a class. */
static int is_transfer(VALUE word)
{
    return !RB_SPECIAL_CONST_P(word) && RBASIC_CLASS(word) == 0;
}

static void collect_transfer(raffia_data *data, void *transfers)
{
    VALUE word = (VALUE)*data;
    if (is_transfer(word)) rb_ary_push((VALUE)transfers, word);
}

static VALUE release_buffer(VALUE transfer)
{
    VALUE buffer = RARRAY_AREF(transfer, TRANSFER_BUFFER);
    if (RTEST(RARRAY_AREF(transfer, TRANSFER_LOCKED))) rb_io_buffer_try_unlock(buffer);
    return RARRAY_AREF(transfer, TRANSFER_DATA);
}

static VALUE engine_close(VALUE self)
{
    struct engine *engine = raffia_engine_of(self);
    if (!engine->loop.backend) return Qnil;
    /* In a forked child the thread that polls is the parent's. */
    if (engine->polling && raffia_engine_is_open(engine))
        rb_raise(rb_eThreadError, "the event loop is in use by another thread: end that one first");
    engine->next = Qnil;
    engine->peeked = 0;
    VALUE transfers = rb_ary_new();
    raffia_loop_each(&engine->loop, collect_transfer, (void *)transfers);
    raffia_loop_close(&engine->loop);
    for (long index = 0; index < RARRAY_LEN(transfers); index++)
        release_buffer(RARRAY_AREF(transfers, index));
    return Qnil;
}

/* Operations */

static VALUE engine_arm(VALUE self, VALUE io, VALUE events, VALUE data)
{
    raffia_id id;
    raffia_check(raffia_loop_arm(raffia_engine_loop(self), raffia_descriptor_of(io),
                                 NUM2UINT(events), (raffia_data)written(self, data), &id),
                 "arm");
    return ULL2NUM(id);
}

static VALUE engine_after(VALUE self, VALUE seconds, VALUE data)
{
    raffia_id id;
    raffia_check(raffia_loop_after(raffia_engine_loop(self), raffia_nanoseconds(seconds),
                                   (raffia_data)written(self, data), &id),
                 "after");
    return ULL2NUM(id);
}

static VALUE engine_disarm(VALUE self, VALUE id)
{
    raffia_id number = NUM2ULL(id);
    int result = raffia_engine_is_open(raffia_engine_of(self))
                     ? raffia_loop_disarm(raffia_engine_loop(self), number)
                     : -ENOENT;
    if (result == -ENOENT) return Qnil;
    if (result == -EAGAIN)
        return Qfalse; /* the kernel takes no requests now; the transfer goes on */
    return boolean(raffia_check(result, "disarm"));
}

/* The back end transfers, or the blocking pool. */
static VALUE engine_is_transferring(VALUE self)
{
    return boolean(raffia_engine_of(self)->backend != NULL);
}

static VALUE transfer_data(VALUE data, VALUE buffer)
{
    int locked = RTEST(rb_funcall(buffer, id_locked, 0));
    VALUE transfer = rb_ary_hidden_new(TRANSFER_SIZE);
    /* Core has locked its own memory already. */
    if (!locked) rb_io_buffer_lock(buffer);
    rb_ary_push(transfer, data);
    rb_ary_push(transfer, buffer);
    rb_ary_push(transfer, boolean(!locked));
    return transfer;
}

static void check_offset(size_t offset, size_t size)
{
    if (offset > size)
        rb_raise(rb_eArgError,
                 "the offset %" PRIuSIZE " is behind the buffer's %" PRIuSIZE " bytes", offset,
                 size);
}

char *raffia_buffer_for_writing(VALUE buffer, size_t start, size_t *length)
{
    void *base;
    rb_io_buffer_get_bytes_for_writing(buffer, &base, length);
    check_offset(start, *length);
    *length -= start;
    return (char *)base + start;
}

const char *raffia_buffer_for_reading(VALUE buffer, size_t start, size_t *length)
{
    const void *base;
    rb_io_buffer_get_bytes_for_reading(buffer, &base, length);
    check_offset(start, *length);
    *length -= start;
    return (const char *)base + start;
}

static int64_t position(VALUE from)
{
    return NIL_P(from) ? RAFFIA_CURRENT_POSITION : NUM2LL(from);
}

static VALUE transfer(VALUE self, enum raffia_kind kind, VALUE io, VALUE buffer, char *bytes,
                      size_t length, VALUE from, VALUE data)
{
    raffia_id id;
    struct raffia_loop *loop = raffia_engine_loop(self);
    int descriptor = raffia_descriptor_of(io);
    int64_t start = position(from);
    VALUE word = transfer_data(data, buffer);
    int result = raffia_loop_transfer(loop, kind, descriptor, bytes, length, start,
                                      (raffia_data)written(self, word), &id);
    if (result < 0) release_buffer(word);
    raffia_check(result, kind == RAFFIA_READ ? "read" : "write");
    return ULL2NUM(id);
}

static VALUE engine_read(VALUE self, VALUE io, VALUE buffer, VALUE offset, VALUE from, VALUE data)
{
    size_t length;
    char *bytes = raffia_buffer_for_writing(buffer, NUM2SIZET(offset), &length);
    return transfer(self, RAFFIA_READ, io, buffer, bytes, length, from, data);
}

static VALUE engine_write(VALUE self, VALUE io, VALUE buffer, VALUE offset, VALUE from, VALUE data)
{
    size_t length;
    const char *bytes = raffia_buffer_for_reading(buffer, NUM2SIZET(offset), &length);
    return transfer(self, RAFFIA_WRITE, io, buffer, (char *)bytes, length, from, data);
}

/* Without the loop */

static VALUE engine_try_read(int argc, VALUE *argv, VALUE self)
{
    VALUE io, buffer, offset, from;
    size_t length;
    (void)self;
    rb_scan_args(argc, argv, "31", &io, &buffer, &offset, &from);
    char *bytes = raffia_buffer_for_writing(buffer, NUM2SIZET(offset), &length);
    return LL2NUM(raffia_try_read(raffia_descriptor_of(io), bytes, length, position(from)));
}

static VALUE engine_try_write(int argc, VALUE *argv, VALUE self)
{
    VALUE io, buffer, offset, from;
    size_t length;
    (void)self;
    rb_scan_args(argc, argv, "31", &io, &buffer, &offset, &from);
    const char *bytes = raffia_buffer_for_reading(buffer, NUM2SIZET(offset), &length);
    return LL2NUM(raffia_try_write(raffia_descriptor_of(io), bytes, length, position(from)));
}

static VALUE engine_ready(VALUE self, VALUE io, VALUE events)
{
    (void)self;
    return INT2NUM(raffia_poll_once(raffia_descriptor_of(io), NUM2UINT(events)));
}

static VALUE engine_is_file(VALUE self, VALUE io)
{
    (void)self;
    return boolean(raffia_is_file(raffia_descriptor_of(io)));
}

static VALUE engine_is_cut_short(VALUE self, VALUE io, VALUE from)
{
    (void)self;
    return boolean(raffia_is_cut_short(raffia_descriptor_of(io), position(from)));
}

static VALUE engine_pidfd(VALUE self, VALUE pid)
{
    int descriptor = raffia_pidfd(NUM2PIDT(pid));
    (void)self;
    if (descriptor < 0) return Qnil;
    rb_update_max_fd(descriptor);
    return INT2NUM(descriptor);
}

/* Completions */

static VALUE engine_push(VALUE self, VALUE data, VALUE result)
{
    raffia_check(raffia_loop_push(raffia_engine_loop(self), (raffia_data)written(self, data),
                                  NUM2LL(result)),
                 "push");
    return Qnil;
}

static VALUE engine_inject(VALUE self, VALUE data, VALUE result)
{
    struct engine *engine = raffia_engine_of(self);
    int64_t number = NUM2LL(result);
    /* The GVL is not released between here and the end, so the loop cannot be closed meanwhile. */
    if (!raffia_engine_is_open(engine)) return Qfalse;
    raffia_check(raffia_loop_inject(&engine->loop, (raffia_data)written(self, data), number),
                 "inject");
    return Qtrue;
}

static VALUE engine_wake(VALUE self)
{
    struct engine *engine = raffia_engine_of(self);
    if (!raffia_engine_is_open(engine)) return Qfalse;
    raffia_check(raffia_loop_wake(&engine->loop), "wake");
    return Qtrue;
}

/* Whether there is a completion. The first is then in `next` and `result`, until it is shifted. */
int raffia_engine_peek(VALUE self, struct engine *engine)
{
    struct raffia_completion completion;
    if (!raffia_engine_is_open(engine)) return 0;
    if (engine->peeked) return 1;
    if (!raffia_loop_shift(&engine->loop, &completion)) return 0;
    VALUE word = (VALUE)completion.data;
    engine->next = written(self, is_transfer(word) ? release_buffer(word) : word);
    engine->result = completion.result;
    engine->occurred_after = completion.occurred_after;
    engine->peeked = 1;
    return 1;
}

void raffia_engine_drop(struct engine *engine)
{
    engine->next = Qnil;
    engine->peeked = 0;
}

static VALUE engine_peek(VALUE self)
{
    struct engine *engine = raffia_engine_of(self);
    return raffia_engine_peek(self, engine) ? engine->next : Qnil;
}

static VALUE engine_shift(VALUE self)
{
    struct engine *engine = raffia_engine_of(self);
    if (!raffia_engine_peek(self, engine)) return Qnil;
    VALUE data = engine->next;
    raffia_engine_drop(engine);
    return data;
}

static VALUE engine_result(VALUE self)
{
    return LL2NUM(raffia_engine_of(self)->result);
}

/* The turn */

struct sleep {
    struct raffia_loop *loop;
    int64_t pause;
    int result;
};

/* A wait that took longer than a poll began before anything had happened. Nanoseconds. */
#define ASLEEP 50000

static void *sleep_unlocked(void *pointer)
{
    struct sleep *sleep = pointer;
    int64_t begun = raffia_now();
    sleep->result = raffia_loop_wait(sleep->loop, sleep->pause);
    int64_t now = raffia_now();
    if (now - begun > ASLEEP) sleep->loop->ready.last_poll = now;
    return NULL;
}

static void interrupt_sleep(void *loop)
{
    raffia_loop_wake(loop);
}

static int wait_for(struct engine *engine, int64_t pause, int poll_locked)
{
    if (poll_locked || pause == 0) {
        int found = raffia_loop_wait(&engine->loop, 0);
        if (found != 0 || pause == 0) return found;
    }
    struct sleep sleep = {.loop = &engine->loop, .pause = pause};
    engine->polling = 1;
    raffia_without_lock(sleep_unlocked, &sleep, interrupt_sleep, &engine->loop);
    engine->polling = 0;
    return sleep.result;
}

int raffia_engine_turn(VALUE self, int64_t timeout, int poll_locked)
{
    struct raffia_loop *loop = raffia_engine_loop(self);
    struct engine *engine = raffia_engine_of(self);
    int64_t pause = raffia_check(raffia_loop_prepare(loop, engine->peeked ? 0 : timeout), "poll");
    return (int)raffia_check(raffia_loop_finish(loop, wait_for(engine, pause, poll_locked)),
                             "poll") +
           engine->peeked;
}

/* A poll with the GVL held comes first: releasing it may cost a whole time slice when other threads
 * compute. */
static VALUE engine_poll(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 0, 1);
    int64_t timeout = argc == 0 || NIL_P(argv[0]) ? -1 : raffia_nanoseconds(argv[0]);
    int ready = raffia_engine_turn(self, timeout, 1);
    /* The state is consistent here: signals, Thread#raise and Thread#kill may be raised. */
    rb_thread_check_ints();
    return INT2NUM(ready);
}

/* Figures */

static VALUE engine_pending(VALUE self)
{
    return SIZET2NUM(raffia_loop_pending(loop_of(self)));
}

static void store(VALUE hash, const char *name, uint64_t value)
{
    rb_hash_aset(hash, ID2SYM(rb_intern(name)), ULL2NUM(value));
}

static VALUE engine_stats(VALUE self)
{
    struct raffia_loop *loop = loop_of(self);
    struct raffia_metrics metrics = raffia_loop_metrics(loop);
    VALUE stats = rb_hash_new();
    store(stats, "polls", metrics.polls);
    store(stats, "waits", metrics.waits);
    store(stats, "sleeps", metrics.sleeps);
    store(stats, "armed", metrics.armed);
    store(stats, "disarmed", metrics.disarmed);
    store(stats, "completed", metrics.completed);
    store(stats, "injected", metrics.injected);
    store(stats, "stale", metrics.stale);
    store(stats, "wakes", metrics.wakes);
    store(stats, "syscalls", metrics.syscalls);
    store(stats, "pending", raffia_loop_pending(loop));
    store(stats, "ready", loop->ready.count + (size_t)raffia_engine_of(self)->peeked);
    rb_hash_aset(stats, ID2SYM(rb_intern("blocking")), raffia_blocking_stats());
    return stats;
}

void raffia_init_engine(VALUE raffia)
{
    VALUE engine = rb_define_module_under(raffia, "Engine");
    VALUE native = rb_define_class_under(engine, "Native", rb_cObject);
    id_locked = rb_intern("locked?");

    rb_define_alloc_func(native, engine_allocate);
    rb_define_singleton_method(native, "probe", engine_probe, 1);
    rb_define_method(native, "initialize", engine_initialize, 2);
    rb_define_method(native, "name", engine_name, 0);
    rb_define_method(native, "close", engine_close, 0);
    rb_define_method(native, "closed?", engine_is_closed, 0);
    rb_define_method(native, "arm", engine_arm, 3);
    rb_define_method(native, "after", engine_after, 2);
    rb_define_method(native, "disarm", engine_disarm, 1);
    rb_define_method(native, "transfers?", engine_is_transferring, 0);
    rb_define_method(native, "read", engine_read, 5);
    rb_define_method(native, "write", engine_write, 5);
    rb_define_method(native, "try_read", engine_try_read, -1);
    rb_define_method(native, "try_write", engine_try_write, -1);
    rb_define_method(native, "ready", engine_ready, 2);
    rb_define_method(native, "file?", engine_is_file, 1);
    rb_define_method(native, "cut_short?", engine_is_cut_short, 2);
    rb_define_method(native, "pidfd", engine_pidfd, 1);
    rb_define_method(native, "push", engine_push, 2);
    rb_define_method(native, "inject", engine_inject, 2);
    rb_define_method(native, "wake", engine_wake, 0);
    rb_define_method(native, "peek", engine_peek, 0);
    rb_define_method(native, "shift", engine_shift, 0);
    rb_define_method(native, "result", engine_result, 0);
    rb_define_method(native, "poll", engine_poll, -1);
    rb_define_method(native, "pending", engine_pending, 0);
    rb_define_method(native, "stats", engine_stats, 0);
}
