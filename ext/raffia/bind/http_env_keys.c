/* Keys of header fields in an env, without an allocation for names that were seen before. */
#include "http_env.h"

#ifdef HAVE_LLHTTP

#include <ruby/encoding.h>
#include <ruby/ractor.h>
#include <string.h>

/* Common names, without their HTTP_. Any other costs a little more when it is first seen. */
static const char *const KNOWN[] = {
    "A_IM",
    "ACCEPT",
    "ACCEPT_CHARSET",
    "ACCEPT_ENCODING",
    "ACCEPT_LANGUAGE",
    "ACCESS_CONTROL_REQUEST_HEADERS",
    "ACCESS_CONTROL_REQUEST_METHOD",
    "AUTHORIZATION",
    "CACHE_CONTROL",
    "CDN_LOOP",
    "CF_CONNECTING_IP",
    "CF_IPCOUNTRY",
    "CF_RAY",
    "CF_VISITOR",
    "CLIENT_IP",
    "CONNECTION",
    "CONTENT_DISPOSITION",
    "CONTENT_ENCODING",
    "COOKIE",
    "DATE",
    "DNT",
    "EXPECT",
    "FORWARDED",
    "FROM",
    "HOST",
    "IDEMPOTENCY_KEY",
    "IF_MATCH",
    "IF_MODIFIED_SINCE",
    "IF_NONE_MATCH",
    "IF_RANGE",
    "IF_UNMODIFIED_SINCE",
    "KEEP_ALIVE",
    "LAST_EVENT_ID",
    "MAX_FORWARDS",
    "ORIGIN",
    "PRAGMA",
    "PRIORITY",
    "RANGE",
    "REFERER",
    "REQUEST_TIMEOUT",
    "SEC_CH_UA",
    "SEC_CH_UA_MOBILE",
    "SEC_CH_UA_PLATFORM",
    "SEC_FETCH_DEST",
    "SEC_FETCH_MODE",
    "SEC_FETCH_SITE",
    "SEC_FETCH_USER",
    "SEC_GPC",
    "SEC_WEBSOCKET_EXTENSIONS",
    "SEC_WEBSOCKET_KEY",
    "SEC_WEBSOCKET_PROTOCOL",
    "SEC_WEBSOCKET_VERSION",
    "TE",
    "TRACEPARENT",
    "TRACESTATE",
    "TRAILER",
    "TRANSFER_ENCODING",
    "TURBO_FRAME",
    "UPGRADE",
    "UPGRADE_INSECURE_REQUESTS",
    "USER_AGENT",
    "VIA",
    "X_AMZN_TRACE_ID",
    "X_API_KEY",
    "X_CLOUD_TRACE_CONTEXT",
    "X_CSRF_TOKEN",
    "X_FORWARDED_FOR",
    "X_FORWARDED_HOST",
    "X_FORWARDED_PORT",
    "X_FORWARDED_PREFIX",
    "X_FORWARDED_PROTO",
    "X_FORWARDED_SCHEME",
    "X_FORWARDED_SERVER",
    "X_FORWARDED_SSL",
    "X_HTTP_METHOD_OVERRIDE",
    "X_REAL_IP",
    "X_REQUEST_ID",
    "X_REQUEST_START",
    "X_REQUESTED_WITH",
    "X_SENDFILE_TYPE",
    "X_XSRF_TOKEN",
};

/* Powers of two. A Ractor's cache is for the names of its clients; invented names only make it
 * useless. */
enum { KNOWN_PLACES = 256, CACHE_PLACES = 256, PREFIX = 5 };

static VALUE known[KNOWN_PLACES]; /* made once, frozen, and never changed again */
static rb_ractor_local_key_t cache_key;

struct cache {
    VALUE keys[CACHE_PLACES];
};

static void cache_mark(void *pointer)
{
    struct cache *cache = pointer;
    for (size_t i = 0; i < CACHE_PLACES; i++)
        if (cache->keys[i]) rb_gc_mark(cache->keys[i]);
}

static const struct rb_ractor_local_storage_type cache_type = {cache_mark, ruby_xfree};

static struct cache *cache_of_ractor(void)
{
    struct cache *cache = rb_ractor_local_storage_ptr(cache_key);
    if (cache) return cache;
    cache = ZALLOC(struct cache);
    rb_ractor_local_storage_ptr_set(cache_key, cache);
    return cache;
}

/* A key under construction, with zeros behind a short one. */
struct text {
    size_t size;
    char bytes[PREFIX + RAFFIA_MAX_NAME];
};

/* Hashes the size, the first letters and the last: keys that differ elsewhere only share a slot. */
static uint64_t hash(const struct text *text)
{
    uint64_t first, last;
    memcpy(&first, text->bytes + PREFIX, sizeof(first));
    memcpy(&last, text->bytes + (text->size > sizeof(last) ? text->size - sizeof(last) : 0),
           sizeof(last));
    uint64_t mixed = (first + text->size) * 0x9e3779b97f4a7c15u ^ last * 0xc2b2ae3d27d4eb4fu;
    return mixed >> 32 ^ mixed >> 48;
}

static int is_same(VALUE key, const struct text *text)
{
    return (size_t)RSTRING_LEN(key) == text->size &&
           memcmp(RSTRING_PTR(key), text->bytes, text->size) == 0;
}

static char upcase(char byte)
{
    return byte >= 'a' && byte <= 'z' ? (char)(byte - ('a' - 'A')) : byte == '-' ? '_' : byte;
}

static void spell(struct text *text, const char *name, size_t size)
{
    memcpy(text->bytes, "HTTP_\0\0\0\0\0\0\0", PREFIX + sizeof(uint64_t));
    for (size_t i = 0; i < size; i++)
        text->bytes[PREFIX + i] = upcase(name[i]);
    text->size = PREFIX + size;
}

VALUE raffia_http_constant(const char *text)
{
    VALUE string = rb_enc_interned_str_cstr(text, rb_utf8_encoding());
    rb_gc_register_mark_object(string);
    return string;
}

static VALUE intern(const struct text *text)
{
    return rb_enc_interned_str(text->bytes, (long)text->size, rb_utf8_encoding());
}

VALUE raffia_http_env_key(const char *name, size_t size)
{
    struct text text;
    spell(&text, name, size);
    uint64_t place = hash(&text);
    for (uint64_t i = place % KNOWN_PLACES; known[i]; i = (i + 1) % KNOWN_PLACES)
        if (is_same(known[i], &text)) return known[i];

    VALUE *cached = &cache_of_ractor()->keys[place % CACHE_PLACES];
    if (!*cached || !is_same(*cached, &text)) *cached = intern(&text);
    return *cached;
}

static void know(const char *name)
{
    struct text text;
    spell(&text, name, strlen(name));
    uint64_t i = hash(&text) % KNOWN_PLACES;
    while (known[i])
        i = (i + 1) % KNOWN_PLACES;
    known[i] = intern(&text);
    rb_gc_register_mark_object(known[i]);
}

void raffia_init_http_env_keys(void)
{
    cache_key = rb_ractor_local_storage_ptr_newkey(&cache_type);
    for (size_t i = 0; i < sizeof(KNOWN) / sizeof(*KNOWN); i++)
        know(KNOWN[i]);
}

#endif
