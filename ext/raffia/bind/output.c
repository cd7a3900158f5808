/* What Ruby keeps for a file in its buffer and has not written yet. */
#include "raffia.h"

#include <ruby/io.h>

/*
 * @overload discard_output(io)
 *   For a forked child, in which it is a copy: the parent writes it. Ruby has no method for that, each one that empties the buffer writes.
 *   @param io [IO] closed or open
 *   @return [Boolean] false where Ruby does not let anybody at it (from 4.0)
 */
static VALUE discard_output(VALUE module, VALUE io)
{
    (void)module;
    Check_Type(io, T_FILE);
#ifdef HAVE_RB_IO_T_WBUF
    rb_io_t *file = RFILE(io)->fptr;
    if (!file) return Qtrue;
/* The member is as public as it was, and marked because it will not stay so. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    file->wbuf.off = file->wbuf.len = 0;
#pragma GCC diagnostic pop
    return Qtrue;
#else
    return Qfalse;
#endif
}

void raffia_init_output(VALUE raffia)
{
    rb_define_singleton_method(rb_define_module_under(raffia, "Native"), "discard_output", discard_output, 1);
}
