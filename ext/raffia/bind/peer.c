/* Who is at the other end. Ruby asks getnameinfo(3) for that, since 3.4 in a thread of its own each time. */
#include "raffia.h"
#include "engine.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

/* By hand: glibc's inet_ntop(3) takes sprintf(3) for these, which is 1,700 instructions. */
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

/*
 * @overload peer(socket)
 *   @param socket [BasicSocket]
 *   @return [String, nil] its peer's IP address, one of version 4 as such also where the socket is of version 6; nil: it has none
 *   @raise [SystemCallError] when it is not connected any more
 */
static VALUE peer(VALUE module, VALUE socket)
{
    union {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
        struct sockaddr_storage room;
    } name;
    socklen_t size = sizeof(name);
    (void)module;
    if (getpeername(raffia_descriptor_of(socket), &name.any, &size) < 0) rb_sys_fail("getpeername");
    if (name.any.sa_family == AF_INET) return version_4((const unsigned char *)&name.four.sin_addr);
    if (name.any.sa_family != AF_INET6) return Qnil;
    const struct in6_addr *six = &name.six.sin6_addr;
    return IN6_IS_ADDR_V4MAPPED(six) ? version_4(six->s6_addr + 12) : version_6(six);
}

void raffia_init_peer(VALUE raffia)
{
    rb_define_singleton_method(rb_define_module_under(raffia, "Native"), "peer", peer, 1);
}
