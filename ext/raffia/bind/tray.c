/* Where a Ractor leaves things for the one that started it, so that they need not be copied. */
#include "raffia.h"

#include <ruby/ractor.h>
#include <stdatomic.h>

/* More than there are ever replies under way between a Ractor and its driver. */
#define PLACES 8

/* One Ractor puts, one takes; a frame through a pipe, which tells of each, is what orders the two. */
struct tray {
    VALUE places[PLACES];
    atomic_ulong put;
    atomic_ulong taken;
};

static void mark(void *pointer)
{
    struct tray *tray = pointer;
    for (int place = 0; place < PLACES; place++)
        rb_gc_mark(tray->places[place]);
}

static size_t memsize(const void *pointer)
{
    (void)pointer;
    return sizeof(struct tray);
}

static const rb_data_type_t tray_type = {
    .wrap_struct_name = "Raffia::Native::Tray",
    .function = {.dmark = mark, .dfree = RUBY_DEFAULT_FREE, .dsize = memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED | RUBY_TYPED_FROZEN_SHAREABLE,
};

static VALUE tray_alloc(VALUE klass)
{
    struct tray *tray;
    VALUE self = TypedData_Make_Struct(klass, struct tray, &tray_type, tray);
    for (int place = 0; place < PLACES; place++)
        tray->places[place] = Qfalse;
    return self;
}

/*
 * @overload put(object)
 *   @param object [Object] shareable
 *   @return [Integer, nil] its number; nil when there is no room
 *   @raise [ArgumentError] when another Ractor may not see it
 */
static VALUE tray_put(VALUE self, VALUE object)
{
    struct tray *tray = rb_check_typeddata(self, &tray_type);
    if (!rb_ractor_shareable_p(object))
        rb_raise(rb_eArgError, "only what is shareable can be left for another Ractor");
    unsigned long number = atomic_load(&tray->put);
    if (number - atomic_load(&tray->taken) == PLACES) return Qnil;
    RB_OBJ_WRITE(self, &tray->places[number % PLACES], object);
    atomic_store(&tray->put, number + 1);
    return ULONG2NUM(number);
}

/*
 * @overload take(number)
 *   Whatever was put before it, and was not asked for, is dropped.
 *   @param number [Integer] what #put answered
 *   @return [Object]
 *   @raise [IndexError] when nothing with that number is there
 */
static VALUE tray_take(VALUE self, VALUE wanted)
{
    struct tray *tray = rb_check_typeddata(self, &tray_type);
    unsigned long number = NUM2ULONG(wanted);
    unsigned long taken = atomic_load(&tray->taken);
    if (number < taken || number >= atomic_load(&tray->put))
        rb_raise(rb_eIndexError, "nothing with the number %lu is there", number);
    VALUE object = tray->places[number % PLACES];
    for (; taken <= number; taken++)
        tray->places[taken % PLACES] = Qfalse;
    atomic_store(&tray->taken, taken);
    return object;
}

void raffia_init_tray(VALUE raffia)
{
    VALUE native = rb_define_module_under(raffia, "Native");
    VALUE tray = rb_define_class_under(native, "Tray", rb_cObject);
    rb_define_alloc_func(tray, tray_alloc);
    rb_define_method(tray, "put", tray_put, 1);
    rb_define_method(tray, "take", tray_take, 1);
}
