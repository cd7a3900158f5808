/* Raffia::Native::Board: numbers that a parent, its children and all their Ractors share, and what a server writes there for each request
 * by one call. It is frozen, and shareable: what changes is not Ruby's. */
#include "raffia.h"

#include "tally.h"
#include "timer.h"

struct board {
    raffia_number *numbers;
    size_t count;
};

enum { TALLY = sizeof(struct raffia_tally) / sizeof(raffia_number) };

static void board_free(void *pointer)
{
    struct board *board = pointer;
    if (board->numbers) raffia_numbers_unmap(board->numbers, board->count);
    xfree(board);
}

static size_t memsize(const void *pointer)
{
    const struct board *board = pointer;
    return sizeof(*board) + board->count * sizeof(raffia_number);
}

static const rb_data_type_t board_type = {
    .wrap_struct_name = "Raffia::Native::Board",
    .function = {.dfree = board_free, .dsize = memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED | RUBY_TYPED_FROZEN_SHAREABLE,
};

static VALUE board_alloc(VALUE klass)
{
    struct board *board;
    return TypedData_Make_Struct(klass, struct board, &board_type, board);
}

static struct board *board_of(VALUE self)
{
    struct board *board = rb_check_typeddata(self, &board_type);
    if (!board->numbers) rb_raise(rb_eArgError, "uninitialized board");
    return board;
}

static raffia_number *number_at(VALUE self, VALUE index)
{
    struct board *board = board_of(self);
    size_t at = NUM2SIZET(index);
    if (at >= board->count)
        rb_raise(rb_eIndexError, "a board of %zu numbers has none at %zu", board->count, at);
    return board->numbers + at;
}

/* The tally that begins at an index. */
static struct raffia_tally *tally_at(VALUE self, VALUE index)
{
    struct board *board = board_of(self);
    size_t at = NUM2SIZET(index);
    if (at > board->count || board->count - at < TALLY)
        rb_raise(rb_eIndexError, "there is no room for a tally at %zu", at);
    return (struct raffia_tally *)(void *)(board->numbers + at);
}

/*
 * @overload initialize(count)
 *   @param count [Integer] of numbers, all 0
 *   @raise [SystemCallError] when there is no memory
 */
static VALUE board_initialize(VALUE self, VALUE count)
{
    struct board *board = rb_check_typeddata(self, &board_type);
    size_t wanted = NUM2SIZET(count);
    if (wanted == 0 || board->numbers)
        rb_raise(rb_eArgError, "a board has at least one number, and begins once");
    board->numbers = raffia_numbers_map(wanted);
    if (!board->numbers) rb_sys_fail("mmap");
    board->count = wanted;
    return rb_obj_freeze(self);
}

static VALUE board_size(VALUE self)
{
    return SIZET2NUM(board_of(self)->count);
}

/* @overload [](index)
 *   @return [Integer] */
static VALUE board_get(VALUE self, VALUE index)
{
    return LL2NUM(atomic_load_explicit(number_at(self, index), memory_order_relaxed));
}

/* @overload []=(index, value) */
static VALUE board_set(VALUE self, VALUE index, VALUE value)
{
    atomic_store_explicit(number_at(self, index), NUM2LL(value), memory_order_relaxed);
    return value;
}

/* @overload add(index, number)
 *   @return [Integer] what it is then */
static VALUE board_add(VALUE self, VALUE index, VALUE number)
{
    int64_t by = NUM2LL(number);
    return LL2NUM(atomic_fetch_add_explicit(number_at(self, index), by, memory_order_relaxed) + by);
}

/* @overload raise_to(index, number)
 *   It becomes at least that number. */
static VALUE board_raise_to(VALUE self, VALUE index, VALUE number)
{
    raffia_number_raise(number_at(self, index), NUM2LL(number));
    return Qnil;
}

/* @overload to_a(from = 0, count = size - from)
 *   @return [Array<Integer>] numbers from an index on */
static VALUE board_to_a(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 0, 2);
    struct board *board = board_of(self);
    size_t from = argc > 0 ? NUM2SIZET(argv[0]) : 0;
    if (from > board->count)
        rb_raise(rb_eIndexError, "a board of %zu numbers has none at %zu", board->count, from);
    size_t count = argc > 1 ? NUM2SIZET(argv[1]) : board->count - from;
    if (count > board->count - from) count = board->count - from;
    VALUE numbers = rb_ary_new_capa((long)count);
    for (size_t i = 0; i < count; i++)
        rb_ary_push(numbers, LL2NUM(atomic_load_explicit(board->numbers + from + i, memory_order_relaxed)));
    return numbers;
}

/*
 * @overload begin(gauge)
 *   A request begins.
 *   @param gauge [Integer] the index of the number of those that are going on
 *   @return [Integer] now, in microseconds of the monotonic clock
 */
static VALUE board_begin(VALUE self, VALUE gauge)
{
    atomic_fetch_add_explicit(number_at(self, gauge), 1, memory_order_relaxed);
    return LL2NUM(raffia_now() / 1000);
}

/*
 * @overload finish(gauge, tally, began, status, queued, received, sent)
 *   It has ended.
 *   @param tally [Integer] the index of the tally
 *   @param began [Integer] what {begin} answered
 *   @param status [Integer] 0 when nothing was answered
 *   @param queued [Integer] microseconds; negative when not known
 *   @return [Integer] how long it took, in microseconds
 */
static VALUE board_finish(int argc, VALUE *argv, VALUE self)
{
    rb_check_arity(argc, 7, 7);
    int64_t duration = raffia_now() / 1000 - NUM2LL(argv[2]);
    if (duration < 0) duration = 0;
    raffia_number *gauge = number_at(self, argv[0]);
    raffia_tally_add(tally_at(self, argv[1]), NUM2INT(argv[3]), duration, NUM2LL(argv[4]), NUM2LL(argv[5]),
                     NUM2LL(argv[6]));
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

void raffia_init_board(VALUE raffia)
{
    VALUE native = rb_define_module_under(raffia, "Native");
    VALUE board = rb_define_class_under(native, "Board", rb_cObject);
    rb_define_alloc_func(board, board_alloc);
    rb_undef_method(board, "initialize_copy");
    /* How many numbers a tally has, in this order: requests, answers of the five classes, bytes received and sent, and two histograms, of
     * durations and of times in the queue: the buckets, and the sum. */
    rb_define_const(board, "TALLY", INT2FIX(TALLY));
    /* The upper bounds of the buckets, in microseconds; one more is for what is longer. */
    rb_define_const(board, "BOUNDS", bounds());
    rb_define_method(board, "initialize", board_initialize, 1);
    rb_define_method(board, "size", board_size, 0);
    rb_define_method(board, "[]", board_get, 1);
    rb_define_method(board, "[]=", board_set, 2);
    rb_define_method(board, "add", board_add, 2);
    rb_define_method(board, "raise_to", board_raise_to, 2);
    rb_define_method(board, "to_a", board_to_a, -1);
    rb_define_method(board, "begin", board_begin, 1);
    rb_define_method(board, "finish", board_finish, -1);
}
