/* The waits of every fiber, and the holder of a Mutex. */
#ifndef RAFFIA_BIND_INSPECT_H
#define RAFFIA_BIND_INSPECT_H

#include <ruby.h>

/* Whether this Ruby shows which fiber has locked a Mutex. */
int raffia_knows_mutex_holders(void);
/* The data pointer of that fiber's object. */
const void *raffia_mutex_holder(VALUE mutex);

void raffia_init_inspect(VALUE raffia, VALUE native);

#endif
