/* Raffia::Native: how this process ends, and which orphans it gets. */
#include "raffia.h"

#include "fork.h"

/*
 * @overload die_with_parent(parent)
 *   Has the kernel kill this process when the thread that forked it ends, and so with +parent+.
 *   @param parent [Integer] pid
 *   @return [Boolean] false when the parent has ended already, or the system cannot do it
 */
static VALUE die_with_parent(VALUE module, VALUE parent)
{
    (void)module;
    return raffia_process_die_with_parent(NUM2PIDT(parent)) == 0 ? Qtrue : Qfalse;
}

/*
 * @overload become_subreaper(whether)
 *   Whether this process, instead of init, becomes the parent of descendants whose own parents end.
 *   @param whether [Boolean]
 *   @return [Boolean] false when the system cannot do it
 */
static VALUE become_subreaper(VALUE module, VALUE whether)
{
    (void)module;
    return raffia_process_set_subreaper(RTEST(whether)) == 0 ? Qtrue : Qfalse;
}

void raffia_init_process(VALUE raffia)
{
    VALUE native = rb_define_module_under(raffia, "Native");
    rb_define_singleton_method(native, "die_with_parent", die_with_parent, 1);
    rb_define_singleton_method(native, "become_subreaper", become_subreaper, 1);
}
