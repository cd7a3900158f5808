/* One fiber does one piece of work after the other, and none is to find what another has left there. */
#include "raffia.h"
#include "scheduler.h"

static ID id_storage, id_store;
static VALUE fiber_class;

struct comparison {
    VALUE kept;
    int same;
};

static int compare(VALUE key, VALUE value, VALUE pointer)
{
    struct comparison *comparison = (struct comparison *)pointer;
    if (rb_hash_lookup2(comparison->kept, key, Qundef) == value) return ST_CONTINUE;
    comparison->same = 0;
    return ST_STOP;
}

static int put_back(VALUE key, VALUE value, VALUE kept)
{
    (void)value;
    rb_funcall(fiber_class, id_store, 2, key, rb_hash_lookup(kept, key));
    return ST_CONTINUE;
}

static int add_back(VALUE key, VALUE value, VALUE unused)
{
    (void)unused;
    rb_funcall(fiber_class, id_store, 2, key, value);
    return ST_CONTINUE;
}

static void restore(VALUE storage, VALUE kept)
{
    struct comparison comparison = {.kept = kept, .same = 1};
    if (!NIL_P(storage)) rb_hash_foreach(storage, compare, (VALUE)&comparison);
    if (comparison.same && (NIL_P(storage) ? 0 : RHASH_SIZE(storage)) == RHASH_SIZE(kept)) return;
    if (!NIL_P(storage)) rb_hash_foreach(storage, put_back, kept);
    rb_hash_foreach(kept, add_back, Qnil);
}

/*
 * @overload tidy(kept)
 *   Makes the running fiber as it was: its storage is that again, and it has no locals (Thread#[]) and no instance variables.
 *   @param kept [Hash] its storage then
 */
static VALUE tidy(VALUE module, VALUE kept)
{
    VALUE fiber = rb_fiber_current(), storage = rb_funcall(fiber, id_storage, 0);
    (void)module;
    restore(storage, kept);
    raffia_clear_locals();
    raffia_clear_variables(fiber);
    return Qnil;
}

void raffia_init_tidy(VALUE raffia)
{
    VALUE native = rb_define_module_under(raffia, "Native");
    id_storage = rb_intern("storage");
    id_store = rb_intern("[]=");
    fiber_class = rb_path2class("Fiber");
    rb_define_singleton_method(native, "tidy", tidy, 1);
}
