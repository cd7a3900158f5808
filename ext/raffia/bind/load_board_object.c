/* Raffia::Native::LoadBoard: which workers are idle, in memory that all processes share. */
#include "raffia.h"

#include <limits.h>
#include "mover_object.h"
#include "engine.h"

static void board_free(void *pointer)
{
    raffia_load_board_close(pointer);
    ruby_xfree(pointer);
}

static size_t board_memsize(const void *pointer)
{
    const struct raffia_load_board *board = pointer;
    return sizeof(*board) + (board->count + 1) * sizeof(*board->loads);
}

static const rb_data_type_t board_type = {
    .wrap_struct_name = "Raffia::Native::LoadBoard",
    .function = {.dfree = board_free, .dsize = board_memsize},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED,
};

static VALUE board_allocate(VALUE class)
{
    struct raffia_load_board *board;
    return TypedData_Make_Struct(class, struct raffia_load_board, &board_type, board);
}

struct raffia_load_board *raffia_load_board_of(VALUE self)
{
    struct raffia_load_board *board = rb_check_typeddata(self, &board_type);
    if (!board->loads) rb_raise(rb_eArgError, "uninitialized LoadBoard");
    return board;
}

/*
 * @overload initialize(count)
 *   @param count [Integer] of places
 *   @raise [SystemCallError] when there is no memory
 */
static VALUE board_initialize(VALUE self, VALUE count)
{
    struct raffia_load_board *board = rb_check_typeddata(self, &board_type);
    size_t wanted = NUM2SIZET(count);
    if (board->loads || wanted == 0 || wanted > INT_MAX)
        rb_raise(rb_eArgError, "a board has one place or more, set up once");
    raffia_check(raffia_load_board_open(board, wanted), "mmap");
    return self;
}

/*
 * @overload behind?(index)
 *   @return [Boolean] whether the loop of the worker at this place is late */
static VALUE board_is_behind(VALUE self, VALUE index)
{
    const struct raffia_load_board *board = raffia_load_board_of(self);
    size_t at = NUM2SIZET(index);
    if (at >= board->count)
        rb_raise(rb_eIndexError, "there are %zu places, and none at %zu", board->count, at);
    return atomic_load(&board->loads[at].behind) ? Qtrue : Qfalse;
}

void raffia_init_load_board(VALUE raffia)
{
    VALUE native = rb_define_module_under(raffia, "Native");
    VALUE board = rb_define_class_under(native, "LoadBoard", rb_cObject);
    rb_define_alloc_func(board, board_allocate);
    rb_undef_method(board, "initialize_copy");
    rb_define_method(board, "initialize", board_initialize, 1);
    rb_define_method(board, "behind?", board_is_behind, 1);
}
