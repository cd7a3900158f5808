/* Raffia::Native::RactorMailbox: passes shareable objects from a Ractor to the one that started it,
 * without copies. */
#include "raffia.h"

#include <ruby/ractor.h>
#include <stdatomic.h>

/* More than the replies that are ever under way between a Ractor and its driver. */
#define SLOTS 8

/* One Ractor puts, one takes. A frame through a pipe, which announces each object, orders the
 * two. */
struct mailbox {
    VALUE slots[SLOTS];
    atomic_ulong put;
    atomic_ulong taken;
};

static void mark(void *pointer)
{
    struct mailbox *mailbox = pointer;
    for (int slot = 0; slot < SLOTS; slot++)
        rb_gc_mark(mailbox->slots[slot]);
}

static size_t memsize(const void *pointer)
{
    (void)pointer;
    return sizeof(struct mailbox);
}

static const rb_data_type_t mailbox_type = {
    .wrap_struct_name = "Raffia::Native::RactorMailbox",
    .function = {.dmark = mark, .dfree = RUBY_DEFAULT_FREE, .dsize = memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED | RUBY_TYPED_FROZEN_SHAREABLE,
};

static VALUE mailbox_alloc(VALUE klass)
{
    struct mailbox *mailbox;
    VALUE self = TypedData_Make_Struct(klass, struct mailbox, &mailbox_type, mailbox);
    for (int slot = 0; slot < SLOTS; slot++)
        mailbox->slots[slot] = Qfalse;
    return self;
}

/*
 * @overload put(object)
 *   @param object [Object] shareable
 *   @return [Integer, nil] its number; nil when the mailbox is full
 *   @raise [ArgumentError] when it is not shareable
 */
static VALUE mailbox_put(VALUE self, VALUE object)
{
    struct mailbox *mailbox = rb_check_typeddata(self, &mailbox_type);
    if (!rb_ractor_shareable_p(object))
        rb_raise(rb_eArgError, "only what is shareable can be left for another Ractor");
    unsigned long number = atomic_load(&mailbox->put);
    if (number - atomic_load(&mailbox->taken) == SLOTS) return Qnil;
    RB_OBJ_WRITE(self, &mailbox->slots[number % SLOTS], object);
    atomic_store(&mailbox->put, number + 1);
    return ULONG2NUM(number);
}

/*
 * @overload take(number)
 *   Drops the objects that were put before it and not taken.
 *   @param number [Integer] that #put returned
 *   @return [Object]
 *   @raise [IndexError] when there is none with that number
 */
static VALUE mailbox_take(VALUE self, VALUE wanted)
{
    struct mailbox *mailbox = rb_check_typeddata(self, &mailbox_type);
    unsigned long number = NUM2ULONG(wanted);
    unsigned long taken = atomic_load(&mailbox->taken);
    if (number < taken || number >= atomic_load(&mailbox->put))
        rb_raise(rb_eIndexError, "nothing with the number %lu is there", number);
    VALUE object = mailbox->slots[number % SLOTS];
    for (; taken <= number; taken++)
        mailbox->slots[taken % SLOTS] = Qfalse;
    atomic_store(&mailbox->taken, taken);
    return object;
}

void raffia_init_ractor_mailbox(VALUE raffia)
{
    VALUE native = rb_define_module_under(raffia, "Native");
    VALUE mailbox = rb_define_class_under(native, "RactorMailbox", rb_cObject);
    rb_define_alloc_func(mailbox, mailbox_alloc);
    rb_define_method(mailbox, "put", mailbox_put, 1);
    rb_define_method(mailbox, "take", mailbox_take, 1);
}
