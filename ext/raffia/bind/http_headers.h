/* Headers of responses, as Rack has them: what all versions of HTTP have in common. */
#ifndef RAFFIA_BIND_HTTP_HEADERS_H
#define RAFFIA_BIND_HTTP_HEADERS_H

#include <ruby.h>
#include <stdarg.h>

#ifdef HAVE_LLHTTP

struct http_headers;

/* How a version of HTTP writes headers. */
struct http_headers_kind {
    /* Whether the server writes this field itself, or leaves it out. */
    int (*skips)(struct http_headers *headers, const char *name, size_t length, const char *value,
                 size_t size);
    void (*add)(struct http_headers *headers, const char *name, size_t length, const char *value,
                size_t size);
    /* Called before an error is raised. */
    void (*discard)(struct http_headers *headers);
    /* Called after code of the app, which may have sent something. May raise. */
    void (*check)(struct http_headers *headers);
    int trims; /* blanks around values */
};

/* The first member of a head that gets headers. */
struct http_headers {
    const struct http_headers_kind *kind;
    int hijacks; /* found: a field for the server, which leaves HTTP */
};

/* Raises Raffia::Server::BadResponse. */
NORETURN(void raffia_http_bad_response(const char *format, va_list arguments));
/* Adds a Hash of headers, or another object with `each`. Names are in lower case. */
void raffia_http_add_headers(struct http_headers *headers, VALUE given);
/* The value of content-length, not before it was compared with an earlier one (or -1). */
int64_t raffia_http_parse_length(struct http_headers *headers, const char *value, size_t size,
                                 int64_t declared);
int raffia_http_is(const char *name, size_t length, const char *other);
/* Bytes of Strings in an Array; -1 when it has something else in it. */
int64_t raffia_http_size_of(VALUE strings);

#endif

#endif
