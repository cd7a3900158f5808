/* Raffia::Native.allocate: for objects that each request makes. Class#allocate looks for a method
 * before it does the same (300 instructions), and Class#new of Ruby 3.4 calls initialize through C
 * code (600). */
#include "raffia.h"

/*
 * @overload allocate(kind)
 *   @param kind [Class]
 *   @return [Object] a new one of this class, on which initialize was not called
 */
static VALUE allocate(VALUE module, VALUE kind)
{
    (void)module;
    Check_Type(kind, T_CLASS);
    return rb_obj_alloc(kind);
}

void raffia_init_allocation(VALUE raffia)
{
    VALUE native = rb_define_module_under(raffia, "Native");
    rb_define_singleton_method(native, "allocate", allocate, 1);
}
