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
void raffia_init_http1(VALUE raffia);

/* Of the blocking pool. */
VALUE raffia_blocking_stats(void);

#endif
