/* Connections that other processes have sent, as sockets. */
#include "raffia.h"

#include <errno.h>
#include <string.h>
#include "accept.h"
#include "connection_queue.h"
#include "engine.h"

static VALUE ways[RAFFIA_MOVED_WAYS];

/*
 * @overload connection_queue
 *   @return [Array(Integer, Integer)] descriptors: one to send connections to, one to receive them
 *   @raise [SystemCallError] where the system has no such thing
 */
static VALUE open_queue(VALUE module)
{
    int sockets[2];
    (void)module;
    raffia_check(raffia_connection_queue_open(sockets), "socketpair");
    rb_update_max_fd(sockets[0]);
    rb_update_max_fd(sockets[1]);
    return rb_assoc_new(INT2FIX(sockets[0]), INT2FIX(sockets[1]));
}

static VALUE way_named(uint8_t way)
{
    return way < RAFFIA_MOVED_WAYS ? ways[way] : Qnil;
}

static VALUE address_in(const struct raffia_moved *moved)
{
    if (moved->address[0] == '\0') return Qnil;
    return rb_usascii_str_new(moved->address, (long)strnlen(moved->address, RAFFIA_MOVED_ADDRESS));
}

/*
 * @overload receive_connection(queue, kinds)
 *   Takes the next connection, if there is one.
 *   @param queue [IO]
 *   @param kinds [Array<Class>] TCPSocket or UNIXSocket, by the numbers of the listeners
 *   @yieldparam socket [BasicSocket]
 *   @yieldparam moved [Array] the listener's number, the client's address or nil, requests served,
 *     the time of the move, the way, the sender's pid, and whether HTTP comes next
 *   @return [Boolean] false: there is none
 *   @raise [SystemCallError]
 */
static VALUE receive_connection(VALUE module, VALUE queue, VALUE kinds)
{
    struct raffia_moved moved;
    (void)module;
    Check_Type(kinds, T_ARRAY);
    int fd = raffia_connection_queue_receive(raffia_descriptor_of(queue), &moved);
    if (fd == -EAGAIN) return Qfalse;
    raffia_check(fd, "recvmsg");
    VALUE socket = raffia_socket_for(fd, rb_ary_entry(kinds, moved.listener));
    VALUE facts[] = {UINT2NUM(moved.listener),
                     address_in(&moved),
                     UINT2NUM(moved.served),
                     LL2NUM(moved.at),
                     way_named(moved.way),
                     INT2NUM(moved.sender),
                     moved.established ? Qtrue : Qfalse};
    rb_yield_values(2, socket, rb_ary_new_from_values(7, facts));
    return Qtrue;
}

void raffia_init_connection_queue(VALUE raffia)
{
    VALUE native = rb_define_module_under(raffia, "Native");
    ways[RAFFIA_MOVED_IDLE] = ID2SYM(rb_intern("idle"));
    ways[RAFFIA_MOVED_ACCEPTED] = ID2SYM(rb_intern("accepted"));
    ways[RAFFIA_MOVED_WAITING] = ID2SYM(rb_intern("waiting"));
    rb_define_singleton_method(native, "connection_queue", open_queue, 0);
    rb_define_singleton_method(native, "receive_connection", receive_connection, 2);
}
