/* Raffia::Native::SharedCounters: numbers in memory that a parent, its children and all their
 * Ractors share. A server counts each request there by one call. The object is frozen and
 * shareable, because the numbers are no Ruby objects. */
#include "raffia.h"

#include "request_metrics.h"
#include "timer.h"

struct counters {
    raffia_counter *values;
    size_t count;
};

enum { REQUEST_METRICS = sizeof(struct raffia_request_metrics) / sizeof(raffia_counter) };

static void counters_free(void *pointer)
{
    struct counters *counters = pointer;
    if (counters->values) raffia_counters_unmap(counters->values, counters->count);
    xfree(counters);
}

static size_t memsize(const void *pointer)
{
    const struct counters *counters = pointer;
    return sizeof(*counters) + counters->count * sizeof(raffia_counter);
}

static const rb_data_type_t counters_type = {
    .wrap_struct_name = "Raffia::Native::SharedCounters",
    .function = {.dfree = counters_free, .dsize = memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED | RUBY_TYPED_FROZEN_SHAREABLE,
};

static VALUE counters_alloc(VALUE klass)
{
    struct counters *counters;
    return TypedData_Make_Struct(klass, struct counters, &counters_type, counters);
}

static struct counters *counters_of(VALUE self)
{
    struct counters *counters = rb_check_typeddata(self, &counters_type);
    if (!counters->values) rb_raise(rb_eArgError, "uninitialized SharedCounters");
    return counters;
}

static raffia_counter *counter_at(VALUE self, VALUE index)
{
    struct counters *counters = counters_of(self);
    size_t at = NUM2SIZET(index);
    if (at >= counters->count)
        rb_raise(rb_eIndexError, "there are %zu counters, and none at %zu", counters->count, at);
    return counters->values + at;
}

/* The request metrics that begin at an index. */
static struct raffia_request_metrics *metrics_at(VALUE self, VALUE index)
{
    struct counters *counters = counters_of(self);
    size_t at = NUM2SIZET(index);
    if (at > counters->count || counters->count - at < REQUEST_METRICS)
        rb_raise(rb_eIndexError, "there is no room for request metrics at %zu", at);
    return (struct raffia_request_metrics *)(void *)(counters->values + at);
}

/*
 * @overload initialize(count)
 *   @param count [Integer] of numbers, all 0
 *   @raise [SystemCallError] when there is no memory
 */
static VALUE counters_initialize(VALUE self, VALUE count)
{
    struct counters *counters = rb_check_typeddata(self, &counters_type);
    size_t wanted = NUM2SIZET(count);
    if (wanted == 0 || counters->values)
        rb_raise(rb_eArgError, "there must be at least one counter, set up once");
    counters->values = raffia_counters_map(wanted);
    if (!counters->values) rb_sys_fail("mmap");
    counters->count = wanted;
    return rb_obj_freeze(self);
}

static VALUE counters_size(VALUE self)
{
    return SIZET2NUM(counters_of(self)->count);
}

/* @overload [](index)
 *   @return [Integer] */
static VALUE counters_get(VALUE self, VALUE index)
{
    return LL2NUM(atomic_load_explicit(counter_at(self, index), memory_order_relaxed));
}

/* @overload []=(index, value) */
static VALUE counters_set(VALUE self, VALUE index, VALUE value)
{
    atomic_store_explicit(counter_at(self, index), NUM2LL(value), memory_order_relaxed);
    return value;
}

/* @overload add(index, number)
 *   @return [Integer] the sum */
static VALUE counters_add(VALUE self, VALUE index, VALUE number)
{
    int64_t by = NUM2LL(number);
    return LL2NUM(atomic_fetch_add_explicit(counter_at(self, index), by, memory_order_relaxed) +
                  by);
}

/* @overload raise_to(index, number)
 *   Raises the counter to at least that number. */
static VALUE counters_raise_to(VALUE self, VALUE index, VALUE number)
{
    raffia_counter_raise(counter_at(self, index), NUM2LL(number));
    return Qnil;
}

/* @overload to_a(from = 0, count = size - from)
 *   @return [Array<Integer>] numbers from an index on */
static VALUE counters_to_a(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 0, 2);
    struct counters *counters = counters_of(self);
    size_t from = argc > 0 ? NUM2SIZET(argv[0]) : 0;
    if (from > counters->count)
        rb_raise(rb_eIndexError, "there are %zu counters, and none at %zu", counters->count, from);
    size_t count = argc > 1 ? NUM2SIZET(argv[1]) : counters->count - from;
    if (count > counters->count - from) count = counters->count - from;
    VALUE numbers = rb_ary_new_capa((long)count);
    for (size_t i = 0; i < count; i++)
        rb_ary_push(numbers, LL2NUM(atomic_load_explicit(counters->values + from + i,
                                                         memory_order_relaxed)));
    return numbers;
}

/*
 * @overload begin(gauge)
 *   Counts the start of a request.
 *   @param gauge [Integer] the index of the counter of requests under way
 *   @return [Integer] now, in microseconds of the monotonic clock
 */
static VALUE counters_begin(VALUE self, VALUE gauge)
{
    atomic_fetch_add_explicit(counter_at(self, gauge), 1, memory_order_relaxed);
    return LL2NUM(raffia_now() / 1000);
}

/*
 * @overload finish(gauge, metrics, began, status, queued, received, sent)
 *   Counts the end of a request.
 *   @param metrics [Integer] the index of the request metrics
 *   @param began [Integer] that {begin} returned
 *   @param status [Integer] 0 without a response
 *   @param queued [Integer] microseconds; negative when unknown
 *   @return [Integer] its duration in microseconds
 */
static VALUE counters_finish(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 7, 7);
    int64_t duration = raffia_now() / 1000 - NUM2LL(argv[2]);
    if (duration < 0) duration = 0;
    raffia_counter *gauge = counter_at(self, argv[0]);
    raffia_request_metrics_add(metrics_at(self, argv[1]), NUM2INT(argv[3]), duration,
                               NUM2LL(argv[4]), NUM2LL(argv[5]), NUM2LL(argv[6]));
    atomic_fetch_sub_explicit(gauge, 1, memory_order_relaxed);
    return LL2NUM(duration);
}

static VALUE bounds(void)
{
    const int64_t all[] = {RAFFIA_BOUNDS};
    VALUE array = rb_ary_new();
    for (size_t i = 0; i < RAFFIA_BUCKETS - 1; i++)
        rb_ary_push(array, LL2NUM(all[i]));
    return rb_obj_freeze(array);
}

void raffia_init_shared_counters(VALUE raffia)
{
    VALUE native = rb_define_module_under(raffia, "Native");
    VALUE counters = rb_define_class_under(native, "SharedCounters", rb_cObject);
    rb_define_alloc_func(counters, counters_alloc);
    rb_undef_method(counters, "initialize_copy");
    /* The number of counters of request metrics, in this order: requests, responses of the five
     * classes, bytes received and sent, and two histograms, of durations and of queue times: the
     * buckets, and the sum. */
    rb_define_const(counters, "REQUEST_METRICS", INT2FIX(REQUEST_METRICS));
    /* The upper bounds of the buckets, in microseconds; one more bucket is for longer times. */
    rb_define_const(counters, "BOUNDS", bounds());
    rb_define_method(counters, "initialize", counters_initialize, 1);
    rb_define_method(counters, "size", counters_size, 0);
    rb_define_method(counters, "[]", counters_get, 1);
    rb_define_method(counters, "[]=", counters_set, 2);
    rb_define_method(counters, "add", counters_add, 2);
    rb_define_method(counters, "raise_to", counters_raise_to, 2);
    rb_define_method(counters, "to_a", counters_to_a, -1);
    rb_define_method(counters, "begin", counters_begin, 1);
    rb_define_method(counters, "finish", counters_finish, -1);
}
