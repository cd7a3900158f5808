/* Reads core's blocking operations. Ruby 3.4 passes the hook a Proc, and a call of that takes the
 * GVL twice. The Proc's block holds a C function of core's, and a pointer to a struct on the stack
 * of the calling fiber (scheduler.c of Ruby), which are read here. How a Proc stores its function
 * is tried out first. Where the struct is not as expected, the Proc is called instead. */
#include "operation.h"

#include <ruby/version.h>

#if RUBY_API_VERSION_CODE >= 30400 && RUBY_API_VERSION_CODE < 40000
/* Words of a Proc before its block's code; of that code's object before the function, and before
 * its argument. */
enum { CODE = 2, FUNCTION = 2, ARGUMENT = 3 };
/* Core's struct is a few frames above the hook's frame. */
enum { NEAR = 1 << 18 };

static VALUE c_block_flags; /* flags that mark a block in C; 0: unknown */

static VALUE code_of(VALUE proc)
{
    return ((VALUE *)RTYPEDDATA_GET_DATA(proc))[CODE];
}

static VALUE kind_of(VALUE code)
{
    return RB_SPECIAL_CONST_P(code)
               ? 0
               : RBASIC(code)->flags & (RUBY_T_MASK | (VALUE)0xf << RUBY_FL_USHIFT);
}

static VALUE never_called(RB_BLOCK_CALL_FUNC_ARGLIST(value, argument))
{
    (void)argc, (void)argv, (void)blockarg, (void)argument;
    return value;
}

static void probe_proc_layout(void)
{
    char argument;
    VALUE proc = rb_proc_new(never_called, (VALUE)&argument);
    VALUE code = code_of(proc);
    if (RB_SPECIAL_CONST_P(code) || RB_BUILTIN_TYPE(code) != T_IMEMO) return;
    void **words = (void **)code;
    if (words[FUNCTION] == (void *)(uintptr_t)never_called && words[ARGUMENT] == (void *)&argument)
        c_block_flags = kind_of(code);
    RB_GC_GUARD(proc);
}

static int is_near(const char *here, const void *pointer)
{
    return (const char *)pointer > here && (const char *)pointer - here < NEAR;
}

struct operation *raffia_operation_of(VALUE work)
{
    char here;
    if (!c_block_flags || !RTEST(rb_obj_is_proc(work))) return NULL;
    VALUE code = code_of(work);
    if (kind_of(code) != c_block_flags) return NULL;
    struct operation *operation = ((void **)code)[ARGUMENT];
    if (!is_near(&here, operation) || !is_near((char *)operation, operation->result)) return NULL;
    const int known = RB_NOGVL_INTR_FAIL | RB_NOGVL_UBF_ASYNC_SAFE | RB_NOGVL_OFFLOAD_SAFE;
    if (!(operation->flags & RB_NOGVL_OFFLOAD_SAFE) || (operation->flags & ~known)) return NULL;
    return operation->function ? operation : NULL;
}
#else
static void probe_proc_layout(void)
{
}

struct operation *raffia_operation_of(VALUE work)
{
    (void)work;
    return NULL;
}
#endif

void raffia_operation_complete(struct operation *operation, void *value, int error)
{
    operation->result->value = value;
    operation->result->error = error;
    operation->result = NULL; /* a call of the Proc would fail from now on */
}

void raffia_init_operation(VALUE raffia)
{
    (void)raffia;
    probe_proc_layout();
}
