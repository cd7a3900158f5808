#include "raffia.h"
#include "operation.h"
#include <ruby/ractor.h>
#include "fork.h"

/* RUBY_FUNC_EXPORTED: everything else is hidden (-fvisibility=hidden). */
RUBY_FUNC_EXPORTED void Init_raffia(void);

void Init_raffia(void)
{
    /* No state but classes and ids; each engine belongs to the thread that opened it. */
    rb_ext_ractor_safe(true);
    int failure = raffia_process_init();
    if (failure < 0) rb_syserr_fail(-failure, "pthread_atfork");
    VALUE raffia = rb_define_module("Raffia");
    raffia_init_engine(raffia);
    raffia_init_blocking(raffia);
    raffia_init_board(raffia);
    raffia_init_parcels(raffia);
    raffia_init_output(raffia);
    raffia_init_scheduler(raffia);
    raffia_init_rebind(raffia);
    raffia_init_lock_watch(raffia);
    raffia_init_slots(raffia);
    raffia_init_tray(raffia);
    raffia_init_peer(raffia);
    raffia_init_tidy(raffia);
    raffia_init_see_through(raffia);
    raffia_init_copy(raffia);
    raffia_init_unblock(raffia);
    raffia_init_operation(raffia);
    raffia_init_operation_policy(raffia);
    raffia_init_blocking_call(raffia);
    raffia_init_call_queue(raffia);
    raffia_init_http1(raffia);
}
