/* Differences between versions of Ruby. */
#ifndef RAFFIA_COMPAT_H
#define RAFFIA_COMPAT_H

#include <ruby.h>
#include <ruby/io.h>
#include <ruby/io/buffer.h>
#include <ruby/thread.h>

/* Calls a function without the GVL. Interrupts are checked neither before the call nor after it.
 * With one pending the call is skipped, and the caller checks when its own state is consistent. */
#define raffia_without_lock rb_thread_call_without_gvl2

#endif
