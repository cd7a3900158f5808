#include "resolution.h"

#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct raffia_resolution *raffia_resolution_new(const char *host)
{
    size_t length = strlen(host) + 1;
    struct raffia_resolution *resolution = calloc(1, sizeof(*resolution) + length);
    if (!resolution) return NULL;
    atomic_init(&resolution->holders, 1);
    memcpy(resolution->host, host, length);
    return resolution;
}

void raffia_resolution_retain(struct raffia_resolution *resolution)
{
    atomic_fetch_add(&resolution->holders, 1);
}

void raffia_resolution_release(struct raffia_resolution *resolution)
{
    if (atomic_fetch_sub(&resolution->holders, 1) > 1) return;
    if (resolution->addresses) freeaddrinfo(resolution->addresses);
    free(resolution);
}

void raffia_resolution_run(struct raffia_resolution *resolution)
{
    /* One kind of socket, or each address would be listed once for each kind. */
    static const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    resolution->error = getaddrinfo(resolution->host, NULL, &hints, &resolution->addresses);
    resolution->reason = resolution->error == EAI_SYSTEM ? errno : 0;
    if (resolution->error) resolution->addresses = NULL; /* POSIX leaves open what it is then */
    atomic_store(&resolution->done, 1);
}

void raffia_resolution_each(const struct raffia_resolution *resolution,
                            void (*visit)(const char *address, void *arg), void *arg)
{
    char text[NI_MAXHOST];
    for (const struct addrinfo *each = resolution->addresses; each; each = each->ai_next) {
        if (getnameinfo(each->ai_addr, each->ai_addrlen, text, sizeof(text), NULL, 0,
                        NI_NUMERICHOST) == 0)
            visit(text, arg);
    }
}
