/* Envs of requests: what all versions of HTTP have in common. */
#ifndef RAFFIA_BIND_HTTP_ENV_H
#define RAFFIA_BIND_HTTP_ENV_H

#include <ruby.h>

#ifdef HAVE_LLHTTP

#include "http1_parser.h"

/* http_env_keys.c */
/* The key in an env of a header field, other than Content-Type and Content-Length. The name has
 * RAFFIA_MAX_NAME bytes at most. */
VALUE raffia_http_env_key(const char *name, size_t size);
/* A frozen String that is never collected. */
VALUE raffia_http_constant(const char *text);
void raffia_init_http_env_keys(void);

/* http_env_fields.c */
struct http_env {
    VALUE hash;
    uint64_t seen; /* a bit for each key that may have been set */
};
/* Sets a field of the request. Its values of several lines are joined. */
void raffia_http_env_set(struct http_env *env, VALUE key, VALUE value);
void raffia_http_add_trailer(VALUE trailers, VALUE name, VALUE value);
void raffia_init_http_env_fields(void);

/* http_env_template.c */
/* The requested host: `field` is its text, and `name` and `port` are the parts of that. */
struct raffia_http_host {
    const char *bytes;
    struct raffia_slice field, name, port;
    uint32_t fields; /* of the request: how much room its env needs */
};

/* A frozen template with what requests for this host have in common. */
VALUE raffia_http_env_template_of(VALUE template, const struct raffia_http_host *host);
/* The same; 0 when there is none yet. The parts of the host may be missing. */
VALUE raffia_http_env_known_template(VALUE template, const struct raffia_http_host *host);
/* Whether its scheme is https: that of an env, or of a template. */
int raffia_http_env_is_https(VALUE env);
/* Sets SERVER_NAME and SERVER_PORT. */
void raffia_http_env_set_server(VALUE env, const struct raffia_http_host *host);
/* From any Hash; a template is returned as it is. `version`: SERVER_PROTOCOL. */
VALUE raffia_http_env_template(VALUE entries, VALUE version);
void raffia_init_http_env_template(void);

#endif

#endif
