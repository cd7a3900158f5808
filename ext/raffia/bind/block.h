/* The hooks block, unblock and kernel_sleep. */
#ifndef RAFFIA_BIND_BLOCK_H
#define RAFFIA_BIND_BLOCK_H

#include <ruby.h>

void raffia_init_block(VALUE native);

#endif
