/* Sends Strings to another process in shared memory. Long ones are not copied on arrival: the
 * String is the mapping. */
#include "raffia.h"

#include <ruby/io/buffer.h>
#include <stdatomic.h>
#include <unistd.h>
#include "shm.h"

/* Bytes from which a String is mapped and not copied. Below, a mapping gains little, and their
 * number is limited. */
enum { MIN_MAPPED = 256 * 1024 };
/* A process may have some 65,000 mappings, and without any left malloc fails too. Beyond this many
 * of ours, Strings are copied. */
enum { MAX_MAPPINGS = 4096 };
static atomic_int mappings;
static ID id_mapping;

struct mapping {
    char *start;
    size_t size;
};

static void unmap(void *pointer)
{
    struct mapping *mapping = pointer;
    if (mapping->start) {
        raffia_shm_unmap(mapping->start, mapping->size);
        atomic_fetch_sub(&mappings, 1);
        rb_gc_adjust_memory_usage(-(ssize_t)mapping->size);
    }
    xfree(mapping);
}

static size_t memory_of(const void *pointer)
{
    return sizeof(struct mapping) + ((const struct mapping *)pointer)->size;
}

static const rb_data_type_t mapping_type = {
    .wrap_struct_name = "Raffia::Native mapping",
    .function = {.dfree = unmap, .dsize = memory_of},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED,
};

/* Returns a part of a hidden String, which owns the mapping, and which all Strings that share its
 * memory keep alive. It is a part, because core would return a whole shared String itself where it
 * wants it frozen. */
static VALUE share(VALUE owner, const struct mapping *mapping)
{
    VALUE hidden = rb_str_new_static(mapping->start, (long)(RAFFIA_SHM_HEAD + mapping->size));
    rb_ivar_set(hidden, id_mapping, owner);
    rb_obj_freeze(hidden);
    return rb_str_subseq(hidden, RAFFIA_SHM_HEAD, (long)mapping->size);
}

/* nil when it cannot be mapped. */
static VALUE map(int file, size_t size)
{
    struct mapping *mapping;
    VALUE owner = TypedData_Make_Struct(rb_cObject, struct mapping, &mapping_type, mapping);
    if (atomic_fetch_add(&mappings, 1) >= MAX_MAPPINGS ||
        raffia_shm_map(file, size, &mapping->start) < 0) {
        atomic_fetch_sub(&mappings, 1);
        return Qnil;
    }
    mapping->size = size;
    rb_gc_adjust_memory_usage((ssize_t)size);
    VALUE string = share(owner, mapping);
    RB_GC_GUARD(owner);
    return string;
}

static VALUE copy(int file, size_t size)
{
    VALUE string = rb_str_new(NULL, (long)size);
    int failure = raffia_shm_copy(file, RSTRING_PTR(string), size);
    if (failure < 0) rb_syserr_fail(-failure, "pread");
    return string;
}

static VALUE open_payload(int file)
{
    long long size = raffia_shm_size(file);
    if (size < 0) rb_syserr_fail((int)-size, "fstat");
    VALUE string = size >= MIN_MAPPED ? map(file, (size_t)size) : Qnil;
    return NIL_P(string) ? copy(file, (size_t)size) : string;
}

struct arrival {
    int files[RAFFIA_SHM_MAX_PAYLOADS];
    int count;
};

static VALUE open_payloads(VALUE pointer)
{
    struct arrival *arrival = (struct arrival *)pointer;
    VALUE strings = rb_ary_new_capa(arrival->count);
    for (int i = 0; i < arrival->count; i++)
        rb_ary_push(strings, open_payload(arrival->files[i]));
    return strings;
}

static VALUE close_files(VALUE pointer)
{
    struct arrival *arrival = (struct arrival *)pointer;
    for (int i = 0; i < arrival->count; i++)
        close(arrival->files[i]);
    return Qnil;
}

/*
 * @overload payload_sockets
 *   @return [Array(Integer, Integer), nil] two connected descriptors; nil where payloads are not
 *     supported
 */
static VALUE payload_sockets(VALUE module)
{
    int sockets[2];
    (void)module;
    if (raffia_shm_pair(sockets) < 0) return Qnil;
    return rb_assoc_new(INT2FIX(sockets[0]), INT2FIX(sockets[1]));
}

static struct raffia_payload payload(VALUE object)
{
    struct raffia_payload payload;
    if (RB_TYPE_P(object, T_STRING)) {
        payload.start = RSTRING_PTR(object);
        payload.size = (size_t)RSTRING_LEN(object);
    } else {
        const void *start;
        rb_io_buffer_get_bytes_for_reading(object, &start, &payload.size);
        payload.start = start;
    }
    return payload;
}

/*
 * @overload send_payloads(socket, contents)
 *   Sends copies, all or none, and never waits.
 *   @param socket [Integer]
 *   @param contents [Array<String, IO::Buffer>] at most MAX_PAYLOADS
 *   @return [Boolean] false without memory or a descriptor, or when the other side has not received
 *     what came before
 */
static VALUE send_payloads(VALUE module, VALUE socket, VALUE contents)
{
    struct raffia_payload payloads[RAFFIA_SHM_MAX_PAYLOADS];
    long count = RARRAY_LEN(contents);
    (void)module;
    if (count > RAFFIA_SHM_MAX_PAYLOADS) return Qfalse;
    for (long i = 0; i < count; i++)
        payloads[i] = payload(rb_ary_entry(contents, i));
    /* With the GVL held, so that no thread changes them meanwhile. 4 MiB take about a
     * millisecond. */
    VALUE sent = raffia_shm_send(NUM2INT(socket), payloads, (int)count) >= 0 ? Qtrue : Qfalse;
    RB_GC_GUARD(contents);
    return sent;
}

/*
 * @overload receive_payloads(socket)
 *   Receives the Strings of one call, which must have been sent already.
 *   @param socket [Integer]
 *   @return [Array<String>] binary ones
 *   @raise [SystemCallError]
 */
static VALUE receive_payloads(VALUE module, VALUE socket)
{
    struct arrival arrival;
    (void)module;
    arrival.count = raffia_shm_receive(NUM2INT(socket), arrival.files);
    if (arrival.count < 0) rb_syserr_fail(-arrival.count, "recvmsg");
    return rb_ensure(open_payloads, (VALUE)&arrival, close_files, (VALUE)&arrival);
}

void raffia_init_payloads(VALUE raffia)
{
    VALUE native = rb_define_module_under(raffia, "Native");
    id_mapping = rb_intern("raffia mapping");
    rb_define_const(native, "MAX_PAYLOADS", INT2FIX(RAFFIA_SHM_MAX_PAYLOADS));
    rb_define_singleton_method(native, "payload_sockets", payload_sockets, 0);
    rb_define_singleton_method(native, "send_payloads", send_payloads, 2);
    rb_define_singleton_method(native, "receive_payloads", receive_payloads, 1);
}
