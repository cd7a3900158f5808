/* Templates of envs: an env begins as a copy with the entries that do not change between requests.
 * Each host has one with its name, because clients ask for few hosts. */
#include "http_env.h"

#ifdef HAVE_LLHTTP

#include <ruby/encoding.h>
#include <ruby/ractor.h>
#include <string.h>

/* PLACES: hosts that a Ractor remembers, a power of two; invented hosts only make the cache
 * useless. ROOM: entries of an env, among them a browser's fields and those of middleware; a copy
 * has as much room as its original. LITTLE_ROOM is for requests with FEW fields at most: the table
 * of such an env is 768 bytes, which malloc has at hand, and saves 700 instructions. */
enum { PLACES = 32, ROOM = 48, LITTLE_ROOM = 31, FEW = 6 };

static rb_ractor_local_key_t cache_key;
/* Frozen, made once and never changed again. */
static VALUE key_method, key_version, key_query, key_host, key_name, key_port, key_scheme,
    method_get, empty, port_http, port_https;

struct variant {
    VALUE template, host, result;
    int little;
};

struct cache {
    struct variant variants[PLACES];
};

static void cache_mark(void *pointer)
{
    const struct cache *cache = pointer;
    for (size_t i = 0; i < PLACES; i++) {
        if (!cache->variants[i].result) continue;
        rb_gc_mark(cache->variants[i].template);
        rb_gc_mark(cache->variants[i].host);
        rb_gc_mark(cache->variants[i].result);
    }
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

static VALUE frozen(const char *bytes, struct raffia_slice slice)
{
    return rb_str_freeze(rb_str_new(bytes + slice.start, slice.size));
}

int raffia_http_env_is_https(VALUE env)
{
    VALUE scheme = rb_hash_lookup(env, key_scheme);
    return RB_TYPE_P(scheme, T_STRING) && RSTRING_LEN(scheme) == 5 &&
           memcmp(RSTRING_PTR(scheme), "https", 5) == 0;
}

static VALUE default_port(VALUE env)
{
    return raffia_http_env_is_https(env) ? port_https : port_http;
}

void raffia_http_env_set_server(VALUE env, const struct raffia_http_host *host)
{
    rb_hash_aset(env, key_name, frozen(host->bytes, host->name));
    rb_hash_aset(env, key_port,
                 host->port.size > 0 ? frozen(host->bytes, host->port) : default_port(env));
}

static struct variant *place_of(struct cache *cache, VALUE template, const char *host, size_t size,
                                int little)
{
    unsigned char first = (unsigned char)host[0], middle = (unsigned char)host[size / 2],
                  last = (unsigned char)host[size - 1];
    uint64_t mixed = template >> 4 ^ size ^ first ^ middle << 1 ^ last << 2;
    return &cache->variants[(mixed ^ (uint64_t)little << 4) % PLACES];
}

static int is_of(const struct variant *variant, VALUE template, const char *host, size_t size,
                 int little)
{
    return variant->template == template && variant->little == little &&
           (size_t)RSTRING_LEN(variant->host) == size &&
           memcmp(RSTRING_PTR(variant->host), host, size) == 0;
}

static int copy_entry(VALUE key, VALUE value, VALUE template)
{
    rb_hash_aset(template, key, value);
    return ST_CONTINUE;
}

static VALUE copy_with_room(VALUE template, int little)
{
    if (!little) return rb_hash_dup(template);
    VALUE copy = rb_hash_new_capa(LITTLE_ROOM);
    rb_hash_foreach(template, copy_entry, copy);
    return copy;
}

/* Where the template of this host is kept, or another one's. */
static struct variant *variant_of(VALUE template, const struct raffia_http_host *host)
{
    return place_of(cache_of_ractor(), template, host->bytes + host->field.start, host->field.size,
                    host->fields <= FEW);
}

static int is_known(const struct variant *variant, VALUE template,
                    const struct raffia_http_host *host)
{
    return variant->result && is_of(variant, template, host->bytes + host->field.start,
                                    host->field.size, host->fields <= FEW);
}

VALUE raffia_http_env_known_template(VALUE template, const struct raffia_http_host *host)
{
    const struct variant *variant = variant_of(template, host);
    return is_known(variant, template, host) ? variant->result : 0;
}

VALUE raffia_http_env_template_of(VALUE template, const struct raffia_http_host *host)
{
    int little = host->fields <= FEW;
    struct variant *variant = variant_of(template, host);
    if (is_known(variant, template, host)) return variant->result;
    VALUE name = frozen(host->bytes, host->field), result = copy_with_room(template, little);
    rb_hash_aset(result, key_host, name);
    raffia_http_env_set_server(result, host);
    *variant = (struct variant){template, name, rb_obj_freeze(result), little};
    return result;
}

VALUE raffia_http_env_template(VALUE entries, VALUE version)
{
    Check_Type(entries, T_HASH);
    if (RB_OBJ_FROZEN(entries) && !NIL_P(rb_hash_lookup(entries, key_method))) return entries;
    VALUE template = rb_hash_new_capa(ROOM);
    rb_hash_aset(template, key_method, method_get);
    rb_hash_aset(template, key_version, version);
    rb_hash_aset(template, key_query, empty);
    rb_hash_foreach(entries, copy_entry, template);
    return rb_obj_freeze(template);
}

void raffia_init_http_env_template(void)
{
    cache_key = rb_ractor_local_storage_ptr_newkey(&cache_type);
    key_method = raffia_http_constant("REQUEST_METHOD");
    key_version = raffia_http_constant("SERVER_PROTOCOL");
    key_query = raffia_http_constant("QUERY_STRING");
    key_host = raffia_http_constant("HTTP_HOST");
    key_name = raffia_http_constant("SERVER_NAME");
    key_port = raffia_http_constant("SERVER_PORT");
    key_scheme = raffia_http_constant("rack.url_scheme");
    method_get = raffia_http_constant("GET");
    empty = raffia_http_constant("");
    port_http = raffia_http_constant("80");
    port_https = raffia_http_constant("443");
}

#endif
