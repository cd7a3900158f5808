/* Accepts connections with the address of their peer. accept(2) tells it; Ruby calls
 * getnameinfo(3), from 3.4 on in a new thread each time. */
#include "raffia.h"
#include "accept.h"
#include "engine.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <ruby/io.h>
#include <string.h>
#include <sys/socket.h>
#include "poll_once.h"
#include "op.h"

static ID id_no_reverse_lookup, id_set_no_reverse_lookup;

/* Written out, because glibc's inet_ntop(3) calls sprintf(3) for these, which is 1,700
 * instructions. */
static VALUE version_4(const unsigned char *bytes)
{
    char text[INET_ADDRSTRLEN], *end = text;
    for (int i = 0; i < 4; i++) {
        if (i > 0) *end++ = '.';
        if (bytes[i] >= 100) *end++ = (char)('0' + bytes[i] / 100);
        if (bytes[i] >= 10) *end++ = (char)('0' + bytes[i] / 10 % 10);
        *end++ = (char)('0' + bytes[i] % 10);
    }
    return rb_usascii_str_new(text, end - text);
}

static VALUE version_6(const struct in6_addr *address)
{
    char text[INET6_ADDRSTRLEN];
    return inet_ntop(AF_INET6, address, text, sizeof(text)) ? rb_usascii_str_new_cstr(text) : Qnil;
}

union name {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    struct sockaddr_storage room;
};

/* An IPv4 address as such even on an IPv6 socket; Qnil: there is none. */
static VALUE address_of(const union name *name)
{
    if (name->any.sa_family == AF_INET)
        return version_4((const unsigned char *)&name->four.sin_addr);
    if (name->any.sa_family != AF_INET6) return Qnil;
    const struct in6_addr *six = &name->six.sin6_addr;
    return IN6_IS_ADDR_V4MAPPED(six) ? version_4(six->s6_addr + 12) : version_6(six);
}

/*
 * @overload peer(socket)
 *   @param socket [BasicSocket]
 *   @return [String, nil] its peer's IP address, an IPv4 one as such even on an IPv6 socket; nil:
 *     it has none
 *   @raise [SystemCallError] when it is not connected any more
 */
static VALUE peer(VALUE module, VALUE socket)
{
    union name name;
    socklen_t size = sizeof(name);
    (void)module;
    if (getpeername(raffia_descriptor_of(socket), &name.any, &size) < 0) rb_sys_fail("getpeername");
    return address_of(&name);
}

static int accept_one(int fd, union name *name)
{
    socklen_t size = sizeof(*name);
    int accepted;
    do
#ifdef SOCK_NONBLOCK
        accepted = accept4(fd, &name->any, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
#else
        accepted = rb_cloexec_accept(fd, &name->any, &size);
#endif
    while (accepted < 0 && errno == EINTR);
    return accepted;
}

VALUE raffia_socket_for(int fd, VALUE class)
{
    enum { MODE = FMODE_READWRITE | FMODE_DUPLEX | FMODE_SYNC };
    VALUE socket = rb_io_open_descriptor(class, fd, MODE, Qnil, Qnil, NULL);
    rb_io_ascii8bit_binmode(socket);
    rb_funcall(socket, id_set_no_reverse_lookup, 1, rb_funcall(class, id_no_reverse_lookup, 0));
    return socket;
}

/*
 * @overload accept(server, kind, poll)
 *   Accepts one connection, if there is one.
 *   @param server [TCPServer, UNIXServer] that never blocks
 *   @param kind [Class] TCPSocket or UNIXSocket
 *   @param poll [Boolean] whether there is probably none: Linux makes a socket before it checks
 *     for a connection, so poll(2) is cheaper then
 *   @yieldparam socket [BasicSocket]
 *   @yieldparam address [String, nil] as {.peer}
 *   @return [Boolean] false: there is none
 *   @raise [SystemCallError]
 */
static VALUE accept_if_any(VALUE module, VALUE server, VALUE kind, VALUE poll)
{
    union name name = {.any = {.sa_family = AF_UNSPEC}};
    (void)module;
    int listener = raffia_descriptor_of(server);
    if (RTEST(poll) && raffia_poll_once(listener, RAFFIA_READABLE) == 0) return Qfalse;
    int fd = accept_one(listener, &name);
    if (fd < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Qfalse;
    if (fd < 0) rb_sys_fail("accept");
    VALUE socket = raffia_socket_for(fd, kind);
    rb_yield_values(2, socket, address_of(&name));
    return Qtrue;
}

void raffia_init_accept(VALUE raffia)
{
    VALUE native = rb_define_module_under(raffia, "Native");
    id_no_reverse_lookup = rb_intern("do_not_reverse_lookup");
    id_set_no_reverse_lookup = rb_intern("do_not_reverse_lookup=");
    rb_define_singleton_method(native, "peer", peer, 1);
    rb_define_singleton_method(native, "accept", accept_if_any, 3);
}
