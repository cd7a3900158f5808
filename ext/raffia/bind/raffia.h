/* The binding: thin, and the only place that knows ruby.h. */
#ifndef RAFFIA_BIND_H
#define RAFFIA_BIND_H

#include <ruby.h>

void raffia_init_blocking(VALUE raffia);
void raffia_init_shared_counters(VALUE raffia);
void raffia_init_payloads(VALUE raffia);
void raffia_init_process(VALUE raffia);
void raffia_init_write_buffer(VALUE raffia);
void raffia_init_engine(VALUE raffia);
void raffia_init_scheduler(VALUE raffia);
void raffia_init_clock(VALUE raffia);
void raffia_init_gvl_timing(VALUE raffia);
void raffia_init_rebind(VALUE raffia);
void raffia_init_gc_heap(VALUE raffia);
void raffia_init_ractor_mailbox(VALUE raffia);
void raffia_init_accept(VALUE raffia);
void raffia_init_load_board(VALUE raffia);
void raffia_init_connection_queue(VALUE raffia);
void raffia_init_connection_mover(VALUE raffia);
void raffia_init_fiber_reset(VALUE raffia);
void raffia_init_allocation(VALUE raffia);
void raffia_init_uninterruptible(VALUE raffia);
void raffia_init_sendfile(VALUE raffia);
void raffia_init_unblock(VALUE raffia);
void raffia_init_http1(VALUE raffia);
void raffia_init_http2(VALUE raffia);

/* Statistics of the blocking pool. */
VALUE raffia_blocking_stats(void);

/* Calls the function until it returns true. Exceptions that come meanwhile are raised after it. */
void raffia_uninterruptible(int (*function)(VALUE of), VALUE of);

#endif
