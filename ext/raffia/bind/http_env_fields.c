/* Fields of a request in its env. */
#include "http_env.h"

#ifdef HAVE_LLHTTP

static VALUE key_cookie;

/* Cookies may come as several fields of HTTP/2 (RFC 9113, 8.2.3). */
static VALUE join(VALUE key, VALUE first, VALUE second)
{
    VALUE joined = rb_str_dup(first);
    rb_str_cat(joined, key == key_cookie ? "; " : ", ", 2);
    return rb_str_append(joined, second);
}

void raffia_http_env_set(struct http_env *env, VALUE key, VALUE value)
{
    uint64_t bit = 1ULL << ((key >> 3 ^ key >> 9) & 63);
    if (env->seen & bit) {
        VALUE first = rb_hash_lookup(env->hash, key);
        if (!NIL_P(first)) value = join(key, first, value);
    }
    env->seen |= bit;
    rb_hash_aset(env->hash, key, value);
}

void raffia_http_add_trailer(VALUE trailers, VALUE name, VALUE value)
{
    VALUE first = rb_hash_lookup(trailers, name);
    rb_hash_aset(trailers, name, NIL_P(first) ? value : join(Qnil, first, value));
}

void raffia_init_http_env_fields(void)
{
    key_cookie = raffia_http_constant("HTTP_COOKIE");
}

#endif
