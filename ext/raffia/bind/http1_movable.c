#include "http1_movable.h"

#ifdef HAVE_LLHTTP

#include <errno.h>
#include <ruby/io.h>
#include <string.h>
#include "http1_request.h"
#include "mover_object.h"
#include "poll_once.h"

static int arm_and_offer(struct parking *parking)
{
    const struct http1_movable *movable = parking->arg;
    raffia_data ticket = (raffia_data)parking->wait->ticket;
    raffia_check(raffia_loop_arm(parking->scheduler->loop, parking->fd, parking->events, ticket,
                                 &parking->op),
                 "arm");
    raffia_mover_offer(movable->mover, movable->entry, parking->fd, ticket, movable->served);
    return 0;
}

int raffia_http1_pass_on(const struct http_transport *transport,
                         const struct http1_movable *movable)
{
    return raffia_mover_pass_on(movable->mover, movable->entry, raffia_http_descriptor(transport));
}

static int wait_offered(struct http_transport *transport, struct http1_movable *movable,
                        struct scheduler *scheduler, int64_t limit)
{
    VALUE io = rb_io_get_io(transport->socket);
    struct parking parking = {.scheduler = scheduler,
                              .reason = FOR_IO,
                              .blocker = io,
                              .fd = raffia_descriptor_of(io),
                              .events = RAFFIA_READABLE,
                              .limit = limit,
                              .begin = arm_and_offer,
                              .arg = movable};
    int64_t result = raffia_park(&parking);
    transport->occurred_after = scheduler->occurred_after;
    if (!raffia_mover_claim(movable->mover, movable->entry)) return -1;
    /* The loop may have been late for both: then what is there now decides. */
    if (result == -ETIME)
        result = raffia_poll_once(raffia_http_descriptor(transport), RAFFIA_READABLE);
    if (raffia_check(result, "poll") == 0) return 0;
    return raffia_http1_pass_on(transport, movable) ? -1 : 1;
}

int raffia_http1_wait_idle(struct http_transport *transport, struct http1_movable *movable,
                           int64_t limit)
{
    struct scheduler *scheduler = raffia_http_scheduler();
    if (scheduler && limit != 0) return wait_offered(transport, movable, scheduler, limit);
    return raffia_http_wait(transport, RAFFIA_READABLE, limit);
}

static struct http1_movable *movable_of(VALUE self)
{
    return &raffia_http1_request_of(self)->movable;
}

/*
 * @overload let_move(mover, listener, address, moved_at)
 *   Lets the connection be moved to another process while it is idle.
 *   @param mover [Native::ConnectionMover] of this worker
 *   @param listener [Integer] its number
 *   @param address [String, nil] of the client
 *   @param moved_at [Integer] the time of its last move, or 0
 */
static VALUE http1_let_move(VALUE self, VALUE mover, VALUE listener, VALUE address, VALUE moved_at)
{
    struct http1_movable *movable = movable_of(self);
    struct raffia_moved moved = {
        .at = NUM2LL(moved_at), .listener = (uint16_t)NUM2UINT(listener), .established = 1};
    if (!raffia_http1_request_of(self)->transport.native || movable->entry) return Qnil;
    if (!NIL_P(address)) {
        StringValue(address);
        if (RSTRING_LEN(address) >= RAFFIA_MOVED_ADDRESS) return Qnil;
        memcpy(moved.address, RSTRING_PTR(address), (size_t)RSTRING_LEN(address));
    }
    movable->mover = raffia_connection_mover_of(mover);
    if (!movable->mover) return Qnil;
    RB_OBJ_WRITE(self, &movable->owner, mover);
    movable->entry = raffia_mover_add(movable->mover, &moved);
    return Qnil;
}

/* @overload claim
 *   Keeps the connection in this process until it is idle again.
 *   @return [Boolean] false when it has been moved: then it may only be closed */
static VALUE http1_claim(VALUE self)
{
    const struct http1_movable *movable = movable_of(self);
    return !movable->entry || raffia_mover_claim(movable->mover, movable->entry) ? Qtrue : Qfalse;
}

/* @overload stay
 *   The connection is never moved from now on. */
static VALUE http1_stay(VALUE self)
{
    struct http1_movable *movable = movable_of(self);
    if (!movable->entry) return Qnil;
    raffia_mover_remove(movable->mover, movable->entry);
    movable->entry = NULL;
    movable->mover = NULL;
    RB_OBJ_WRITE(self, &movable->owner, Qnil);
    return Qnil;
}

/* Requests on this connection, also before it was moved. */
static VALUE http1_served(VALUE self)
{
    return UINT2NUM(movable_of(self)->served);
}

static VALUE http1_set_served(VALUE self, VALUE count)
{
    movable_of(self)->served = NUM2UINT(count);
    return count;
}

void raffia_init_http1_movable(VALUE http1)
{
    rb_define_method(http1, "let_move", http1_let_move, 4);
    rb_define_method(http1, "claim", http1_claim, 0);
    rb_define_method(http1, "stay", http1_stay, 0);
    rb_define_method(http1, "served", http1_served, 0);
    rb_define_method(http1, "served=", http1_set_served, 1);
}

#endif
