/* The blocking pool for Ruby: name look-ups, its limit and its statistics. */
#include "raffia.h"

#include <netdb.h>
#include <ruby/debug.h>
#include "engine.h"
#include "resolution.h"

static VALUE resolution_class;
static ID closers[3];

/* Raffia::Engine::Resolution: one look-up. It may be collected while the job runs, which has a
 * reference of its own. */
struct lookup {
    struct raffia_resolution *resolution;
    raffia_id id;
};

static void lookup_free(void *pointer)
{
    struct lookup *lookup = pointer;
    if (lookup->resolution) raffia_resolution_release(lookup->resolution);
    ruby_xfree(lookup);
}

static size_t lookup_memsize(const void *pointer)
{
    (void)pointer;
    return sizeof(struct lookup) + sizeof(struct raffia_resolution);
}

static const rb_data_type_t lookup_type = {
    .wrap_struct_name = "Raffia::Engine::Resolution",
    .function = {.dfree = lookup_free, .dsize = lookup_memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED,
};

static struct lookup *lookup_of(VALUE self)
{
    struct lookup *lookup;
    TypedData_Get_Struct(self, struct lookup, &lookup_type, lookup);
    return lookup;
}

static VALUE engine_resolve(VALUE self, VALUE hostname, VALUE data)
{
    struct lookup *lookup;
    struct raffia_loop *loop = raffia_engine_loop(self);
    VALUE result = TypedData_Make_Struct(resolution_class, struct lookup, &lookup_type, lookup);
    lookup->resolution = raffia_resolution_new(StringValueCStr(hostname));
    if (!lookup->resolution) rb_memerror();
    RB_OBJ_WRITTEN(self, Qundef, data);
    raffia_check(raffia_loop_resolve(loop, lookup->resolution, (raffia_data)data, &lookup->id),
                 "resolve");
    return result;
}

static VALUE resolution_id(VALUE self)
{
    return ULL2NUM(lookup_of(self)->id);
}

static void add_address(const char *address, void *list)
{
    rb_ary_push((VALUE)list, rb_usascii_str_new_cstr(address));
}

/* Raises the error of the socket library. */
static void fail(const struct raffia_resolution *resolution)
{
    if (resolution->error == EAI_SYSTEM && resolution->reason)
        rb_syserr_fail(resolution->reason, "getaddrinfo");
    rb_require("socket");
    VALUE message = rb_sprintf("getaddrinfo: %s", gai_strerror(resolution->error));
    VALUE error = rb_class_new_instance(1, &message, rb_path2class("Socket::ResolutionError"));
    rb_ivar_set(error, rb_intern("error_code"), INT2NUM(resolution->error));
    rb_exc_raise(error);
}

static VALUE resolution_addresses(VALUE self)
{
    struct raffia_resolution *resolution = lookup_of(self)->resolution;
    if (!atomic_load(&resolution->done)) return Qnil;
    if (resolution->error) fail(resolution);
    VALUE addresses = rb_ary_new();
    raffia_resolution_each(resolution, add_address, (void *)addresses);
    return rb_funcall(addresses, rb_intern("uniq"), 0);
}

/* Whether the hook was called by a method that closes a descriptor. The frames are this function,
 * Engine.closing?, the hook and that method. caller_locations would tell the same, but
 * allocates. */
static VALUE native_is_closing(VALUE self)
{
    enum { SELF, ENGINE, HOOK, METHOD, FRAMES };
    VALUE frames[FRAMES];
    (void)self;
    if (rb_profile_frames(0, FRAMES, frames, NULL) < FRAMES) return Qfalse;
    VALUE name = rb_profile_frame_method_name(frames[METHOD]);
    for (size_t i = 0; i < sizeof(closers) / sizeof(*closers); i++) {
        /* The name of an id is always the same object. */
        if (name == rb_id2str(closers[i])) return Qtrue;
    }
    return Qfalse;
}

static VALUE set_threads(VALUE class, VALUE threads)
{
    int count = NUM2INT(threads);
    (void)class;
    if (count < 1)
        rb_raise(rb_eArgError, "the blocking pool needs a thread at least, not %d", count);
    raffia_blocking_limit((unsigned)count);
    return threads;
}

static void store(VALUE hash, const char *name, VALUE value)
{
    rb_hash_aset(hash, ID2SYM(rb_intern(name)), value);
}

VALUE raffia_blocking_stats(void)
{
    struct raffia_blocking_metrics metrics = raffia_blocking_metrics();
    VALUE stats = rb_hash_new();
    store(stats, "limit", ULL2NUM(metrics.limit));
    store(stats, "threads", ULL2NUM(metrics.threads));
    store(stats, "peak", ULL2NUM(metrics.peak));
    store(stats, "queued", ULL2NUM(metrics.queued));
    store(stats, "running", ULL2NUM(metrics.running));
    store(stats, "done", ULL2NUM(metrics.done));
    store(stats, "cancelled", ULL2NUM(metrics.cancelled));
    store(stats, "longest_wait", DBL2NUM((double)metrics.longest_wait / 1e9));
    return stats;
}

void raffia_init_blocking(VALUE raffia)
{
    VALUE engine = rb_define_module_under(raffia, "Engine");
    VALUE native = rb_define_class_under(engine, "Native", rb_cObject);
    VALUE resolution = resolution_class = rb_define_class_under(engine, "Resolution", rb_cObject);
    closers[0] = rb_intern("close");
    closers[1] = rb_intern("close_read");
    closers[2] = rb_intern("close_write");

    rb_undef_alloc_func(resolution);
    rb_define_singleton_method(rb_define_module_under(raffia, "Native"), "closing?",
                               native_is_closing, 0);
    rb_define_singleton_method(native, "blocking_threads=", set_threads, 1);
    rb_define_method(native, "resolve", engine_resolve, 2);
    rb_define_method(resolution, "id", resolution_id, 0);
    rb_define_method(resolution, "addresses", resolution_addresses, 0);
}
