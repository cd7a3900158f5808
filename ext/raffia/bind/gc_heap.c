/* Ruby's object heap, which all Ractors share. Both functions switch the garbage collector off and
 * on again. No other thread of this Ractor runs in between, so none can fork or be interrupted
 * while it is off. */
#include "raffia.h"

struct filling {
    VALUE objects;
    long count;
    long words;
};

static VALUE fill(VALUE argument)
{
    struct filling *filling = (struct filling *)argument;
    for (long made = 0; made < filling->count; made++)
        rb_ary_push(filling->objects, rb_ary_new_capa(filling->words));
    return filling->objects;
}

static VALUE enable(VALUE unused)
{
    (void)unused;
    return rb_gc_enable();
}

/*
 * @overload grow_heap(count, words)
 *   Makes so many objects without collecting, so that the heap grows by their slots.
 *   @param count [Integer]
 *   @param words [Integer] the size of a slot, in words beyond the two of each object
 *   @return [Array, nil] the objects; nil when the collector had been switched off
 */
static VALUE grow_heap(VALUE module, VALUE count, VALUE words)
{
    struct filling filling = {Qnil, NUM2LONG(count), NUM2LONG(words)};
    (void)module;
    filling.objects = rb_ary_new_capa(filling.count);
    if (RTEST(rb_gc_disable())) return Qnil;
    return rb_ensure(fill, (VALUE)&filling, enable, Qnil);
}

/*
 * @overload finish_sweep
 *   Finishes the sweep of the last collection, as Ruby does when the collector is switched off. A
 *   Ractor that runs meanwhile takes a fresh page at most.
 *   @return [Boolean] false when it had been switched off
 */
static VALUE finish_sweep(VALUE module)
{
    (void)module;
    if (RTEST(rb_gc_disable())) return Qfalse;
    rb_gc_enable();
    return Qtrue;
}

void raffia_init_gc_heap(VALUE raffia)
{
    VALUE native = rb_define_module_under(raffia, "Native");
    rb_define_singleton_method(native, "grow_heap", grow_heap, 2);
    rb_define_singleton_method(native, "finish_sweep", finish_sweep, 0);
}
