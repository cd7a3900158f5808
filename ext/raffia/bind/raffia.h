/* The binding: thin, and the only place that knows ruby.h. */
#ifndef RAFFIA_BIND_H
#define RAFFIA_BIND_H

#include <ruby.h>

void raffia_init_blocking(VALUE raffia);
void raffia_init_board(VALUE raffia);
void raffia_init_parcels(VALUE raffia);
void raffia_init_output(VALUE raffia);
void raffia_init_engine(VALUE raffia);
void raffia_init_scheduler(VALUE raffia);
void raffia_init_lock_watch(VALUE raffia);
void raffia_init_rebind(VALUE raffia);
void raffia_init_slots(VALUE raffia);
void raffia_init_tray(VALUE raffia);
void raffia_init_peer(VALUE raffia);
void raffia_init_tidy(VALUE raffia);
void raffia_init_see_through(VALUE raffia);
void raffia_init_copy(VALUE raffia);
void raffia_init_unblock(VALUE raffia);
void raffia_init_http1(VALUE raffia);

/* Of the blocking pool. */
VALUE raffia_blocking_stats(void);

/* Calls the function until it returns a truth. Whatever is raised meanwhile is raised afterwards. */
void raffia_see_through(int (*function)(VALUE of), VALUE of);

/* Whether this Ruby lets us see which fiber has locked a Mutex, and what the Fiber object of that one points to. */
int raffia_knows_mutex_holders(void);
const void *raffia_mutex_holder(VALUE mutex);

#endif
