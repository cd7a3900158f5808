/* Raffia::Native::ConnectionMover: moves connections of this worker while Ruby computes. */
#include "raffia.h"

#include <ruby/fiber/scheduler.h>
#include "accept.h"
#include "mover_object.h"
#include "scheduler.h"

struct mover_object {
    struct raffia_mover *mover; /* NULL: it does not run */
    VALUE board, engine;        /* which the thread uses */
};

static void mover_mark(void *pointer)
{
    const struct mover_object *object = pointer;
    rb_gc_mark(object->board);
    rb_gc_mark(object->engine);
}

static void mover_free(void *pointer)
{
    struct mover_object *object = pointer;
    if (object->mover) raffia_mover_free(object->mover);
    ruby_xfree(object);
}

static size_t mover_memsize(const void *pointer)
{
    const struct mover_object *object = pointer;
    return sizeof(*object) + (object->mover ? raffia_mover_memsize(object->mover) : 0);
}

static const rb_data_type_t mover_type = {
    .wrap_struct_name = "Raffia::Native::ConnectionMover",
    .function = {.dmark = mover_mark, .dfree = mover_free, .dsize = mover_memsize},
    .flags = RUBY_TYPED_WB_PROTECTED,
};

static VALUE mover_allocate(VALUE class)
{
    struct mover_object *object;
    VALUE self = TypedData_Make_Struct(class, struct mover_object, &mover_type, object);
    object->board = object->engine = Qnil;
    return self;
}

static struct mover_object *object_of(VALUE self)
{
    return rb_check_typeddata(self, &mover_type);
}

struct raffia_mover *raffia_connection_mover_of(VALUE self)
{
    return object_of(self)->mover;
}

static void add_listener(struct raffia_mover_options *options, VALUE pair)
{
    if (options->listener_count == RAFFIA_MOVER_LISTENERS) return;
    Check_Type(pair, T_ARRAY);
    options->listeners[options->listener_count++] =
        (struct raffia_mover_listener){.fd = raffia_descriptor_of(rb_ary_entry(pair, 0)),
                                       .number = (uint16_t)NUM2UINT(rb_ary_entry(pair, 1))};
}

static void add_listeners(struct raffia_mover_options *options, VALUE listeners)
{
    Check_Type(listeners, T_ARRAY);
    for (long i = 0; i < RARRAY_LEN(listeners); i++)
        add_listener(options, rb_ary_entry(listeners, i));
}

/*
 * @overload start(board, index, queue, listeners, notify)
 *   Starts the thread for the loop of the running scheduler.
 *   @param board [Native::LoadBoard]
 *   @param index [Integer] of this worker on it
 *   @param queue [IO] that takes connections
 *   @param listeners [Array<Array(IO, Integer)>] sockets of this worker alone, and their numbers
 *   @param notify [IO, nil] gets a byte when this worker is behind, or no longer
 *   @return [Boolean] false without a native scheduler
 *   @raise [SystemCallError] when there is no thread
 */
static VALUE mover_start(VALUE self, VALUE board, VALUE index, VALUE queue, VALUE listeners,
                         VALUE notify)
{
    struct mover_object *object = object_of(self);
    VALUE current = rb_fiber_scheduler_current();
    if (object->mover) rb_raise(rb_eThreadError, "the mover runs already");
    if (NIL_P(current) || !raffia_scheduler_is_native(current)) return Qfalse;
    struct scheduler *scheduler = raffia_scheduler_attached(current);
    struct raffia_mover_options options = {.loop = scheduler->loop,
                                           .board = raffia_load_board_of(board),
                                           .index = NUM2SIZET(index),
                                           .queue = raffia_descriptor_of(queue),
                                           .notify =
                                               NIL_P(notify) ? -1 : raffia_descriptor_of(notify)};
    if (options.index >= options.board->count) rb_raise(rb_eIndexError, "no such place");
    add_listeners(&options, listeners);
    int failure;
    struct raffia_mover *mover = raffia_mover_start(&options, &failure);
    raffia_check(failure, "pthread_create");
    RB_OBJ_WRITE(self, &object->board, board);
    RB_OBJ_WRITE(self, &object->engine, scheduler->engine);
    object->mover = mover;
    return Qtrue;
}

/*
 * @overload stop(kinds)
 *   Ends the thread. Connections stay here.
 *   @param kinds [Array<Class>] as for {Native.receive_connection}
 *   @return [Array(BasicSocket, Integer), nil] a connection that was accepted and not sent, and the
 *     number of its listener
 */
static VALUE mover_stop(VALUE self, VALUE kinds)
{
    struct mover_object *object = object_of(self);
    uint16_t listener = 0;
    if (!object->mover) return Qnil;
    int fd = raffia_mover_stop(object->mover, &listener);
    if (fd < 0) return Qnil;
    VALUE socket = raffia_socket_for(fd, rb_ary_entry(kinds, listener));
    return rb_assoc_new(socket, UINT2NUM(listener));
}

/* @overload accepting=(whether)
 *   Whether connections that come to this worker are accepted for others, as they are at first. */
static VALUE mover_set_accepting(VALUE self, VALUE whether)
{
    struct mover_object *object = object_of(self);
    if (object->mover) raffia_mover_set_accepting(object->mover, RTEST(whether));
    return whether;
}

/* @overload receiving=(whether)
 *   Whether this worker takes connections of others. */
static VALUE mover_set_receiving(VALUE self, VALUE whether)
{
    struct mover_object *object = object_of(self);
    if (object->mover) raffia_mover_set_receiving(object->mover, RTEST(whether));
    return whether;
}

/* @overload full=(whether)
 *   Whether a further request would wait for its turn. */
static VALUE mover_set_full(VALUE self, VALUE whether)
{
    struct mover_object *object = object_of(self);
    if (object->mover) raffia_mover_set_full(object->mover, RTEST(whether));
    return whether;
}

/* @overload receiver?
 *   @return [Boolean] whether another worker takes connections */
static VALUE mover_has_receiver(VALUE self)
{
    struct mover_object *object = object_of(self);
    return object->mover && raffia_mover_has_receiver(object->mover) ? Qtrue : Qfalse;
}

void raffia_init_connection_mover(VALUE raffia)
{
    VALUE native = rb_define_module_under(raffia, "Native");
    VALUE mover = rb_define_class_under(native, "ConnectionMover", rb_cObject);
    rb_define_alloc_func(mover, mover_allocate);
    rb_undef_method(mover, "initialize_copy");
    rb_define_method(mover, "start", mover_start, 5);
    rb_define_method(mover, "stop", mover_stop, 1);
    rb_define_method(mover, "accepting=", mover_set_accepting, 1);
    rb_define_method(mover, "receiving=", mover_set_receiving, 1);
    rb_define_method(mover, "full=", mover_set_full, 1);
    rb_define_method(mover, "receiver?", mover_has_receiver, 0);
}
