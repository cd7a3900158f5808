/* Raffia::Native.reset_fiber: for fibers that run one task after the other, so that none finds
 * another's values. */
#include "fiber_pool.h"
#include "raffia.h"

static ID id_storage, id_store;
static VALUE fiber_class;

struct comparison {
    VALUE original;
    int same;
};

static int compare(VALUE key, VALUE value, VALUE pointer)
{
    struct comparison *comparison = (struct comparison *)pointer;
    if (rb_hash_lookup2(comparison->original, key, Qundef) == value) return ST_CONTINUE;
    comparison->same = 0;
    return ST_STOP;
}

static int restore_entry(VALUE key, VALUE value, VALUE original)
{
    (void)value;
    rb_funcall(fiber_class, id_store, 2, key, rb_hash_lookup(original, key));
    return ST_CONTINUE;
}

static int store_entry(VALUE key, VALUE value, VALUE unused)
{
    (void)unused;
    rb_funcall(fiber_class, id_store, 2, key, value);
    return ST_CONTINUE;
}

static void restore(VALUE storage, VALUE original)
{
    struct comparison comparison = {.original = original, .same = 1};
    if (!NIL_P(storage)) rb_hash_foreach(storage, compare, (VALUE)&comparison);
    if (comparison.same && (NIL_P(storage) ? 0 : RHASH_SIZE(storage)) == RHASH_SIZE(original))
        return;
    if (!NIL_P(storage)) rb_hash_foreach(storage, restore_entry, original);
    rb_hash_foreach(original, store_entry, Qnil);
}

/*
 * @overload reset_fiber(original)
 *   Restores the running fiber's storage, and clears its locals (Thread#[]) and instance variables.
 *   @param original [Hash] the storage
 */
static VALUE reset_fiber(VALUE module, VALUE original)
{
    VALUE fiber = rb_fiber_current(), storage = rb_funcall(fiber, id_storage, 0);
    (void)module;
    restore(storage, original);
    raffia_fiber_clear_locals();
    raffia_fiber_clear_variables(fiber);
    return Qnil;
}

void raffia_init_fiber_reset(VALUE raffia)
{
    VALUE native = rb_define_module_under(raffia, "Native");
    id_storage = rb_intern("storage");
    id_store = rb_intern("[]=");
    fiber_class = rb_path2class("Fiber");
    rb_define_singleton_method(native, "reset_fiber", reset_fiber, 1);
}
