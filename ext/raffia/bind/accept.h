/* Sockets from descriptors. */
#ifndef RAFFIA_BIND_ACCEPT_H
#define RAFFIA_BIND_ACCEPT_H

#include <ruby.h>

/* A socket of that class, like those of Ruby's accept. */
VALUE raffia_socket_for(int fd, VALUE class);

#endif
