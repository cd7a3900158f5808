#include "raffia.h"
#include "operation.h"
#include <ruby/ractor.h>
#include "fork.h"

/* RUBY_FUNC_EXPORTED: everything else is hidden (-fvisibility=hidden). */
RUBY_FUNC_EXPORTED void Init_raffia(void);

void Init_raffia(void)
{
    /* The only global state is classes and ids; each engine belongs to the thread that opened
     * it. */
    rb_ext_ractor_safe(true);
    int failure = raffia_process_init();
    if (failure < 0) rb_syserr_fail(-failure, "pthread_atfork");
    VALUE raffia = rb_define_module("Raffia");
    raffia_init_engine(raffia);
    raffia_init_blocking(raffia);
    raffia_init_shared_counters(raffia);
    raffia_init_payloads(raffia);
    raffia_init_process(raffia);
    raffia_init_write_buffer(raffia);
    raffia_init_scheduler(raffia);
    raffia_init_rebind(raffia);
    raffia_init_clock(raffia);
    raffia_init_gvl_timing(raffia);
    raffia_init_gc_heap(raffia);
    raffia_init_ractor_mailbox(raffia);
    raffia_init_accept(raffia);
    raffia_init_load_board(raffia);
    raffia_init_connection_queue(raffia);
    raffia_init_connection_mover(raffia);
    raffia_init_fiber_reset(raffia);
    raffia_init_allocation(raffia);
    raffia_init_uninterruptible(raffia);
    raffia_init_sendfile(raffia);
    raffia_init_unblock(raffia);
    raffia_init_operation(raffia);
    raffia_init_operation_policy(raffia);
    raffia_init_blocking_call(raffia);
    raffia_init_call_queue(raffia);
    raffia_init_http1(raffia);
    raffia_init_http2(raffia);
}
