/* C calls that Ruby 3.4 passes to Fiber::Scheduler#blocking_operation_wait: file-system calls,
 * zlib, long divisions. */
#ifndef RAFFIA_BIND_OPERATION_H
#define RAFFIA_BIND_OPERATION_H

#include <ruby.h>
#include <ruby/thread.h>

#ifndef RB_NOGVL_OFFLOAD_SAFE
#define RB_NOGVL_OFFLOAD_SAFE 0 /* Ruby 3.3 never calls the hook */
#endif

struct operation_result {
    void *value;
    int error;
};

/* Core's struct, on the stack of the calling fiber while the hook runs. */
struct operation {
    void *(*function)(void *data);
    void *data;
    rb_unblock_function_t *unblock;
    void *unblock_data;
    int flags;
    struct operation_result *result;
};

/* The operation behind the hook's argument; NULL where this Ruby stores it differently. */
struct operation *raffia_operation_of(VALUE work);
/* Passes the function's result to core. */
void raffia_operation_complete(struct operation *operation, void *value, int error);
/* Reports to an engine's policy how many nanoseconds the function took. */
void raffia_operation_learn(VALUE policy, void *(*function)(void *data), int64_t elapsed);
/* Whether the function opens files, and returns a descriptor. */
int raffia_operation_opens(VALUE policy, void *(*function)(void *data));

void raffia_init_operation(VALUE raffia);
void raffia_init_operation_policy(VALUE raffia);
void raffia_init_blocking_call(VALUE raffia);
void raffia_init_call_queue(VALUE raffia);

#endif
