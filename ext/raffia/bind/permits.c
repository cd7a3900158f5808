#include "permits.h"

static ID id_delete, id_fetch, id_store;

static VALUE new_map(const char *class)
{
    return rb_class_new_instance(0, NULL, rb_path2class(class));
}

void raffia_permit_give(struct permits *permits, VALUE fiber, int late)
{
    if (NIL_P(permits->given)) permits->given = new_map("ObjectSpace::WeakKeyMap");
    if (late && RTEST(rb_funcall(permits->given, id_fetch, 1, fiber))) return;
    rb_funcall(permits->given, id_store, 2, fiber, late ? Qfalse : Qtrue);
}

VALUE raffia_permit_delete(struct permits *permits, VALUE fiber)
{
    return rb_funcall(permits->given, id_delete, 1, fiber);
}

/* Weak in both: most blockers know their fiber, and would keep it, with its stack, for ever. One
 * that was collected cannot wake it any more. */
void raffia_blocker_abandon(struct permits *permits, VALUE fiber, VALUE blocker)
{
    if (NIL_P(permits->abandoned_blockers))
        permits->abandoned_blockers = new_map("ObjectSpace::WeakMap");
    rb_funcall(permits->abandoned_blockers, id_store, 2, fiber, blocker);
}

void raffia_blocker_reset(struct permits *permits, VALUE fiber)
{
    if (!NIL_P(permits->abandoned_blockers))
        rb_funcall(permits->abandoned_blockers, id_delete, 1, fiber);
}

int raffia_blocker_is_abandoned(const struct permits *permits, VALUE fiber, VALUE blocker)
{
    return !NIL_P(permits->abandoned_blockers) && !NIL_P(blocker) &&
           rb_funcall(permits->abandoned_blockers, id_fetch, 1, fiber) == blocker;
}

void raffia_permits_mark(const struct permits *permits)
{
    rb_gc_mark(permits->given);
    rb_gc_mark(permits->abandoned_blockers);
}

void raffia_init_permits(void)
{
    id_delete = rb_intern("delete");
    id_fetch = rb_intern("[]");
    id_store = rb_intern("[]=");
}
