/* The write buffer of a Ruby file: bytes that are not written yet. */
#include "raffia.h"

#include <ruby/io.h>

#ifdef HAVE_RB_IO_T_WBUF
/* Ruby has marked the member as deprecated, but still declares it. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* NULL for an IO that was never opened. */
static struct rb_io_internal_buffer *output_of(VALUE io)
{
    Check_Type(io, T_FILE);
    rb_io_t *file = RFILE(io)->fptr;
    return file ? &file->wbuf : NULL;
}
#endif

/*
 * @overload write_buffered?(io)
 *   @param io [IO] closed or open
 *   @return [Boolean, nil] whether there is something to write; nil where Ruby does not show it
 *     (from 4.0)
 */
static VALUE write_buffered(VALUE module, VALUE io)
{
    (void)module;
#ifdef HAVE_RB_IO_T_WBUF
    struct rb_io_internal_buffer *output = output_of(io);
    return output && output->len > 0 ? Qtrue : Qfalse;
#else
    (void)io;
    return Qnil;
#endif
}

/*
 * @overload discard_write_buffer(io)
 *   Empties the buffer in a forked child, where it is a copy: the parent writes it. All methods of
 *   Ruby that empty the buffer write it.
 *   @param io [IO] closed or open
 *   @return [Boolean] false where Ruby does not give access to it (from 4.0)
 */
static VALUE discard_write_buffer(VALUE module, VALUE io)
{
    (void)module;
#ifdef HAVE_RB_IO_T_WBUF
    struct rb_io_internal_buffer *output = output_of(io);
    if (output) output->off = output->len = 0;
    return Qtrue;
#else
    (void)io;
    return Qfalse;
#endif
}

void raffia_init_write_buffer(VALUE raffia)
{
    VALUE native = rb_define_module_under(raffia, "Native");
    rb_define_singleton_method(native, "write_buffered?", write_buffered, 1);
    rb_define_singleton_method(native, "discard_write_buffer", discard_write_buffer, 1);
}
