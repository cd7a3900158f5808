#include "http_transport.h"

#ifdef HAVE_LLHTTP

#include <ruby/fiber/scheduler.h>
#include <ruby/io.h>
#include "readiness.h"

static ID id_basic_socket, id_wait, id_close, id_blocking;
static VALUE fiber_class;

static int is_plain(VALUE socket)
{
    /* The class is there once the socket library has been loaded. */
    return rb_const_defined(rb_cObject, id_basic_socket) &&
           RTEST(rb_obj_is_kind_of(socket, rb_const_get(rb_cObject, id_basic_socket)));
}

void raffia_http_transport_open(struct http_transport *transport, VALUE socket)
{
    RB_OBJ_WRITE(transport->self, &transport->socket, socket);
    transport->native = is_plain(socket);
    transport->tls = rb_obj_respond_to(socket, rb_intern("sysread_nonblock"), 1) &&
                     rb_obj_respond_to(socket, rb_intern("syswrite_nonblock"), 1);
    /* An acceptor may have waited for the connection, and its first bytes with it. */
    struct scheduler *scheduler = raffia_http_scheduler();
    if (scheduler) transport->occurred_after = scheduler->occurred_after;
}

int raffia_http_descriptor(const struct http_transport *transport)
{
    return rb_io_descriptor(transport->socket);
}

static int wait_with_ruby(struct http_transport *transport, uint32_t events, int64_t limit)
{
    VALUE timeout = limit == RAFFIA_NO_LIMIT ? Qnil : DBL2NUM((double)limit / 1e9);
    VALUE io = rb_io_get_io(transport->socket);
    return RTEST(rb_funcall(io, id_wait, 2, UINT2NUM(events), timeout));
}

struct scheduler *raffia_http_scheduler(void)
{
    VALUE current = rb_fiber_scheduler_current();
    return NIL_P(current) || !raffia_scheduler_is_native(current)
               ? NULL
               : raffia_scheduler_attached(current);
}

int raffia_http_wait(struct http_transport *transport, uint32_t events, int64_t limit)
{
    struct scheduler *scheduler = raffia_http_scheduler();
    if (!scheduler) return wait_with_ruby(transport, events, limit);
    VALUE io = rb_io_get_io(transport->socket);
    int ready = raffia_wait_until_ready(scheduler, io, events, limit) != 0;
    transport->occurred_after = scheduler->occurred_after;
    return ready;
}

void raffia_http_yield(void)
{
    VALUE scheduler = rb_fiber_scheduler_current();
    if (!NIL_P(scheduler)) rb_fiber_scheduler_kernel_sleep(scheduler, INT2FIX(0));
}

static const struct http_transport *transport_of(VALUE self)
{
    return RTYPEDDATA_GET_DATA(self);
}

static VALUE close_in_blocking_fiber(RB_BLOCK_CALL_FUNC_ARGLIST(fiber, socket))
{
    (void)fiber, (void)argc, (void)argv, (void)blockarg;
    return rb_io_close(socket);
}

/*
 * @overload close
 *   Closes the socket. A kernel's socket is closed at once, because Ruby 3.4 would call the
 *   scheduler for it, which takes 4,000 instructions; fibers that wait for it are woken as always.
 *   TLS sends a close_notify, and may wait for that.
 */
static VALUE transport_close(VALUE self)
{
    const struct http_transport *transport = transport_of(self);
    if (!transport->native) return rb_funcall(transport->socket, id_close, 0);
    struct scheduler *scheduler = raffia_http_scheduler();
    if (scheduler) scheduler->closes.requested = 1;
    rb_block_call(fiber_class, id_blocking, 0, NULL, close_in_blocking_fiber, transport->socket);
    return Qnil;
}

/* @overload io
 *   @return [BasicSocket, OpenSSL::SSL::SSLSocket] the socket of this connection */
static VALUE transport_io(VALUE self)
{
    return transport_of(self)->socket;
}

/* Bytes received on this connection. */
static VALUE transport_received(VALUE self)
{
    return ULL2NUM(transport_of(self)->received);
}

/* Bytes sent on this connection. */
static VALUE transport_sent(VALUE self)
{
    return ULL2NUM(transport_of(self)->sent);
}

/* @overload native?
 *   @return [Boolean] whether the kernel may send files on it by itself */
static VALUE transport_is_native(VALUE self)
{
    return transport_of(self)->native ? Qtrue : Qfalse;
}

void raffia_init_http_transport(VALUE class)
{
    id_basic_socket = rb_intern("BasicSocket");
    id_wait = rb_intern("wait");
    id_close = rb_intern("close");
    id_blocking = rb_intern("blocking");
    fiber_class = rb_path2class("Fiber");
    rb_define_method(class, "close", transport_close, 0);
    rb_define_method(class, "io", transport_io, 0);
    rb_define_method(class, "received", transport_received, 0);
    rb_define_method(class, "sent", transport_sent, 0);
    rb_define_method(class, "native?", transport_is_native, 0);
}

#endif
