/* The addresses of a name: libc's answer, with all of its configuration (nsswitch.conf, hosts,
 * resolv.conf, gai.conf). */
#ifndef RAFFIA_RESOLUTION_H
#define RAFFIA_RESOLUTION_H

#include <stdatomic.h>

struct addrinfo;

/* The caller and the job each have a reference, because getaddrinfo cannot be interrupted: the last
 * one frees it. Only the job writes to it, and the caller reads it when that has ended. */
struct raffia_resolution {
    atomic_int holders;
    atomic_int done; /* what follows is settled */
    int error;       /* getaddrinfo's: 0 or EAI_... */
    int reason;      /* errno, for EAI_SYSTEM */
    struct addrinfo *addresses;
    char host[];
};

/* With one reference; NULL without memory. */
struct raffia_resolution *raffia_resolution_new(const char *host);
void raffia_resolution_retain(struct raffia_resolution *resolution);
void raffia_resolution_release(struct raffia_resolution *resolution);
/* Blocks. */
void raffia_resolution_run(struct raffia_resolution *resolution);
/* Each address in numbers, with %scope, in libc's order. */
void raffia_resolution_each(const struct raffia_resolution *resolution,
                            void (*visit)(const char *address, void *arg), void *arg);

#endif
