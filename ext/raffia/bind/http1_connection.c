/* The wire as an object. */
#include "raffia.h"
#include "http1.h"

#ifdef HAVE_LLHTTP

#include <ruby/fiber/scheduler.h>
#include <ruby/io.h>

static ID id_basic_socket, id_wait, id_close, id_blocking;
static VALUE fiber_class;

static void http1_mark(void *pointer)
{
    struct http1 *wire = pointer;
    rb_gc_mark_movable(wire->self);
    rb_gc_mark_movable(wire->socket);
    rb_gc_mark_movable(wire->template);
    raffia_http1_input_mark(&wire->input);
}

static void http1_compact(void *pointer)
{
    struct http1 *wire = pointer;
    wire->self = rb_gc_location(wire->self);
    wire->socket = rb_gc_location(wire->socket);
    wire->template = rb_gc_location(wire->template);
    raffia_http1_input_compact(&wire->input);
}

static void http1_free(void *pointer)
{
    struct http1 *wire = pointer;
    raffia_http1_input_free(&wire->input);
    raffia_http1_output_free(&wire->output);
    ruby_xfree(wire);
}

static size_t http1_memsize(const void *pointer)
{
    const struct http1 *wire = pointer;
    return sizeof(*wire) + raffia_http1_input_memsize(&wire->input) +
           raffia_http1_output_memsize(&wire->output);
}

static const rb_data_type_t http1_type = {
    .wrap_struct_name = "Raffia::Native::HTTP1",
    .function = {.dmark = http1_mark,
                 .dfree = http1_free,
                 .dsize = http1_memsize,
                 .dcompact = http1_compact},
    .flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED,
};

static VALUE http1_allocate(VALUE class)
{
    struct http1 *wire;
    VALUE self = TypedData_Make_Struct(class, struct http1, &http1_type, wire);
    wire->self = self;
    wire->socket = wire->template = Qnil;
    raffia_http1_input_init(&wire->input);
    raffia_http1_output_init(&wire->output);
    return self;
}

struct http1 *raffia_http1_of(VALUE self)
{
    return rb_check_typeddata(self, &http1_type);
}

int raffia_http1_descriptor(const struct http1 *wire)
{
    return rb_io_descriptor(wire->socket);
}

static int wait_with_ruby(struct http1 *wire, uint32_t events, int64_t limit)
{
    VALUE timeout = limit == RAFFIA_NO_LIMIT ? Qnil : DBL2NUM((double)limit / 1e9);
    VALUE io = rb_io_get_io(wire->socket);
    return RTEST(rb_funcall(io, id_wait, 2, UINT2NUM(events), timeout));
}

struct scheduler *raffia_http1_scheduler(void)
{
    VALUE current = rb_fiber_scheduler_current();
    return NIL_P(current) || !raffia_scheduler_is_native(current)
               ? NULL
               : raffia_scheduler_attached(current);
}

int raffia_http1_wait(struct http1 *wire, uint32_t events, int64_t limit)
{
    struct scheduler *scheduler = raffia_http1_scheduler();
    int ready = scheduler ? raffia_wait_until_ready(scheduler, rb_io_get_io(wire->socket), events,
                                                    limit) != 0
                          : wait_with_ruby(wire, events, limit);
    if (scheduler) wire->input.occurred_after = scheduler->occurred_after;
    return ready;
}

int raffia_http1_pending(const struct http1 *wire)
{
    return wire->input.length > 0;
}

static int is_plain(VALUE socket)
{
    /* There when the socket library has been loaded. */
    return rb_const_defined(rb_cObject, id_basic_socket) &&
           RTEST(rb_obj_is_kind_of(socket, rb_const_get(rb_cObject, id_basic_socket)));
}

/*
 * @overload initialize(socket, template, limits = {})
 *   @param socket [BasicSocket, OpenSSL::SSL::SSLSocket]
 *   @param template [Hash] what every env on this connection has; see {.template}
 *   @param limits [Hash{Symbol => Integer, nil}] bytes, nil: none. +request_line+, +head+, +fields+
 *     (a number of them), +name+, +extensions+, +trailers+, +body+
 */
static VALUE http1_initialize(int argc, VALUE *argv, VALUE self)
{
    struct http1 *wire = raffia_http1_of(self);
    rb_check_arity(argc, 2, 3);
    Check_Type(argv[1], T_HASH);
    RB_OBJ_WRITE(self, &wire->socket, argv[0]);
    RB_OBJ_WRITE(self, &wire->template, raffia_http1_template(argv[1]));
    wire->native = is_plain(argv[0]);
    wire->tls = rb_obj_respond_to(argv[0], rb_intern("sysread_nonblock"), 1) &&
                rb_obj_respond_to(argv[0], rb_intern("syswrite_nonblock"), 1);
    /* Who has just accepted it may have waited for that, and its first bytes with it. */
    struct scheduler *scheduler = raffia_http1_scheduler();
    if (scheduler) wire->input.occurred_after = scheduler->occurred_after;
    raffia_http1_input_limit(&wire->input, argc == 3 ? argv[2] : Qnil);
    return self;
}

static VALUE close_in_blocking_fiber(RB_BLOCK_CALL_FUNC_ARGLIST(fiber, socket))
{
    (void)fiber, (void)argc, (void)argv, (void)blockarg;
    return rb_io_close(socket);
}

/*
 * @overload close
 *   Closes the socket. One of the kernel's is closed at once, so Ruby 3.4 need not ask the
 *   scheduler who is to do it, which takes 4,000 instructions; only whoever waits for it must hear
 *   of it, as always. TLS says goodbye, and may wait for that.
 */
static VALUE http1_close(VALUE self)
{
    const struct http1 *wire = raffia_http1_of(self);
    if (!wire->native) return rb_funcall(wire->socket, id_close, 0);
    struct scheduler *scheduler = raffia_http1_scheduler();
    if (scheduler) scheduler->closes.requested = 1;
    rb_block_call(fiber_class, id_blocking, 0, NULL, close_in_blocking_fiber, wire->socket);
    return Qnil;
}

/* @overload io
 *   @return [BasicSocket, OpenSSL::SSL::SSLSocket] the socket of this connection */
static VALUE http1_io(VALUE self)
{
    return raffia_http1_of(self)->socket;
}

/* Bytes that came on this connection. */
static VALUE http1_received(VALUE self)
{
    return ULL2NUM(raffia_http1_of(self)->received);
}

/* @overload queued
 *   @return [Integer] microseconds that the last request may have waited from its first byte until
 *     now; negative when that is not known */
static VALUE http1_queued(VALUE self)
{
    int64_t arrived = raffia_http1_of(self)->input.arrived;
    if (arrived == 0) return INT2FIX(-1);
    int64_t waited = raffia_now() - arrived;
    return LL2NUM(waited > 0 ? waited / 1000 : 0);
}

/* Bytes that were sent on this connection. */
static VALUE http1_sent(VALUE self)
{
    return ULL2NUM(raffia_http1_of(self)->sent);
}

void raffia_init_http1(VALUE raffia)
{
    VALUE native = rb_define_module_under(raffia, "Native");
    VALUE http1 = rb_define_class_under(native, "HTTP1", rb_cObject);
    id_basic_socket = rb_intern("BasicSocket");
    id_wait = rb_intern("wait");
    id_close = rb_intern("close");
    id_blocking = rb_intern("blocking");
    fiber_class = rb_path2class("Fiber");
    rb_define_alloc_func(http1, http1_allocate);
    rb_define_method(http1, "initialize", http1_initialize, -1);
    rb_define_method(http1, "close", http1_close, 0);
    rb_define_method(http1, "io", http1_io, 0);
    rb_define_method(http1, "received", http1_received, 0);
    rb_define_method(http1, "sent", http1_sent, 0);
    rb_define_method(http1, "queued", http1_queued, 0);
    raffia_init_http1_request(http1);
    raffia_init_http1_response(http1);
}

#else

void raffia_init_http1(VALUE raffia)
{
    (void)raffia;
}

#endif
