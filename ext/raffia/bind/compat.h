/* What differs between the Rubies, in one place. */
#ifndef RAFFIA_COMPAT_H
#define RAFFIA_COMPAT_H

#include <ruby.h>
#include <ruby/io.h>
#include <ruby/io/buffer.h>
#include <ruby/thread.h>

/* Sleep without the lock. Interrupts are checked neither before the call nor after it: with one
 * pending the call is left out, and the caller looks when its own state is in order. */
#define raffia_without_lock rb_thread_call_without_gvl2

#endif
