#include "blocking_call.h"

#include <unistd.h>

static void call_mark(void *pointer)
{
    const struct call *call = pointer;
    rb_gc_mark(call->self);
    rb_gc_mark(call->policy);
    rb_gc_mark(call->scheduler);
    rb_gc_mark(call->fiber);
    rb_gc_mark(call->ticket);
}

static const rb_data_type_t call_type = {
    .wrap_struct_name = "Raffia::Engine::BlockingCall",
    .function = {.dmark = call_mark, .dfree = RUBY_DEFAULT_FREE},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

struct call *raffia_call_of(VALUE self)
{
    struct call *call;
    TypedData_Get_Struct(self, struct call, &call_type, call);
    return call;
}

static VALUE call_allocate(VALUE class)
{
    struct call *call;
    VALUE self = TypedData_Make_Struct(class, struct call, &call_type, call);
    call->self = self;
    call->policy = call->scheduler = call->fiber = call->ticket = Qnil;
    return self;
}

/* @overload initialize(work, policy)
 *   @param work [Proc] a blocking operation of core's, of the running fiber
 *   @param policy [OperationPolicy] that learns how long it takes */
static VALUE call_initialize(VALUE self, VALUE work, VALUE policy)
{
    struct call *call = raffia_call_of(self);
    call->original = raffia_operation_of(work);
    if (!call->original)
        rb_raise(rb_eArgError, "this is no blocking operation of the running fiber");
    call->operation = *call->original;
    call->policy = policy;
    call->fiber = rb_fiber_current();
    return self;
}

static VALUE call_is_done(VALUE self)
{
    const struct call *call = raffia_call_of(self);
    return __atomic_load_n(&call->state, __ATOMIC_ACQUIRE) >= DONE ? Qtrue : Qfalse;
}

/* @overload complete
 *   Passes the function's result to core. */
static VALUE call_complete(VALUE self)
{
    struct call *call = raffia_call_of(self);
    if (call->state != DONE) return Qfalse;
    raffia_operation_complete(call->original, call->value, call->error);
    raffia_operation_learn(call->policy, call->operation.function, call->elapsed);
    return Qtrue;
}

/* @overload discard
 *   Drops what the function returned, and closes a descriptor that it opened. */
static VALUE call_discard(VALUE self)
{
    struct call *call = raffia_call_of(self);
    int fd = (int)(intptr_t)call->value;
    if (call->state == DONE && raffia_operation_opens(call->policy, call->operation.function) &&
        fd >= 0)
        close(fd);
    return Qnil;
}

void raffia_init_blocking_call(VALUE raffia)
{
    VALUE engine = rb_define_module_under(raffia, "Engine");
    VALUE call = rb_define_class_under(engine, "BlockingCall", rb_cObject);

    rb_define_alloc_func(call, call_allocate);
    rb_define_method(call, "initialize", call_initialize, 2);
    rb_define_method(call, "done?", call_is_done, 0);
    rb_define_method(call, "complete", call_complete, 0);
    rb_define_method(call, "discard", call_discard, 0);
}
