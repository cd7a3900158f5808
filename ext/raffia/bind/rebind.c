/* Gives blocks another self, for other Ractors. */
#include "raffia.h"

static VALUE receiver_of(VALUE proc)
{
    return rb_funcall(rb_funcall(proc, rb_intern("binding"), 0), rb_intern("receiver"), 0);
}

/* The first word of a Proc of Ruby code is its self (struct rb_captured_block). This is no public
 * interface, so Ruby's own answer is compared with it, before the change and after it. */
static VALUE *self_slot(VALUE proc)
{
    if (!RB_TYPE_P(proc, T_DATA) || !RTYPEDDATA_P(proc)) return NULL;
    return (VALUE *)RTYPEDDATA_GET_DATA(proc);
}

/*
 * @overload rebind_self(block, object)
 *   A copy of a block with another self. It captures the same variables; only `self`, and so
 *   methods and instance variables without a receiver, are the new object's.
 *   @param block [Proc]
 *   @param object [Object]
 *   @return [Proc, nil] nil where that is impossible: a block made of a method or a symbol, or a
 *     Ruby with another layout
 */
static VALUE rebind_self(VALUE module, VALUE block, VALUE object)
{
    int failed = 0;
    (void)module;
    if (!rb_obj_is_proc(block))
        rb_raise(rb_eTypeError, "a Proc is needed, not %" PRIsVALUE, rb_obj_class(block));
    VALUE before = rb_protect(receiver_of, block, &failed);
    if (failed) {
        rb_set_errinfo(Qnil);
        return Qnil;
    }
    VALUE copy = rb_funcall(block, rb_intern("dup"), 0);
    VALUE *slot = self_slot(copy);
    if (!slot || *slot != before) return Qnil;
    RB_OBJ_WRITE(copy, slot, object);
    if (receiver_of(copy) == object) return copy;
    RB_OBJ_WRITE(copy, slot, before);
    return Qnil;
}

void raffia_init_rebind(VALUE raffia)
{
    VALUE native = rb_define_module_under(raffia, "Native");
    rb_define_singleton_method(native, "rebind_self", rebind_self, 2);
}
