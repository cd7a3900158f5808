/* A head becomes a Rack env: a copy of the connection's template, and what the request says. */
#include "http1.h"

#ifdef HAVE_LLHTTP

#include <ruby/encoding.h>
#include <string.h>

/* Frozen, made once and never changed again. */
static VALUE key_method, key_path, key_query, key_uri, key_version, key_name, key_port, key_host, key_type,
    key_length, key_cookie, key_protocol, key_scheme;
static VALUE methods[HTTP_QUERY + 1], versions[2], empty, port_http, port_https;

struct build {
    struct http1 *wire;
    const struct raffia_parser_head *head;
    const char *bytes;
    VALUE env;
    uint64_t seen; /* a bit for each key that may be there already */
};

/* Binary, as other servers have them: what is in a request is whatever its client made of it. */
static VALUE string(const struct build *build, struct raffia_slice slice)
{
    return rb_str_new(build->bytes + slice.start, slice.size);
}

static VALUE frozen(const struct build *build, struct raffia_slice slice)
{
    return rb_str_freeze(string(build, slice));
}

static void set_target(const struct build *build)
{
    const struct raffia_parser_head *head = build->head;
    int is_whole =
        head->query.size == 0 && head->path.size == 0 && build->wire->input.parser.method == HTTP_OPTIONS;
    VALUE path = head->path.size > 0 ? string(build, head->path) : rb_str_new(is_whole ? "*" : "/", 1);
    rb_hash_aset(build->env, key_path, path);
    rb_hash_aset(build->env, key_query, head->query.size > 0 ? string(build, head->query) : empty);
    rb_hash_aset(build->env, key_uri, string(build, head->target));
}

/* Clients ask for the same host again and again. */

static int is_same_host(const struct build *build, const struct raffia_field *field)
{
    VALUE host = build->wire->input.host;
    return !NIL_P(host) && RSTRING_LEN(host) == (long)field->value.size &&
           memcmp(RSTRING_PTR(host), build->bytes + field->value.start, field->value.size) == 0;
}

static VALUE default_port(const struct build *build)
{
    VALUE scheme = rb_hash_lookup(build->env, key_scheme);
    int is_https = RB_TYPE_P(scheme, T_STRING) && RSTRING_LEN(scheme) == 5;
    return is_https ? port_https : port_http;
}

static void remember_host(const struct build *build, VALUE host)
{
    struct http1 *wire = build->wire;
    const struct raffia_parser_head *head = build->head;
    VALUE port = head->port.size > 0 ? frozen(build, head->port) : default_port(build);
    RB_OBJ_WRITE(wire->self, &wire->input.server_name, frozen(build, head->host));
    RB_OBJ_WRITE(wire->self, &wire->input.server_port, port);
    RB_OBJ_WRITE(wire->self, &wire->input.host, host);
}

static void set_server(const struct build *build)
{
    rb_hash_aset(build->env, key_name, build->wire->input.server_name);
    rb_hash_aset(build->env, key_port, build->wire->input.server_port);
}

static void set_host(const struct build *build, const struct raffia_field *field)
{
    if (!is_same_host(build, field)) remember_host(build, frozen(build, field->value));
    rb_hash_aset(build->env, key_host, build->wire->input.host);
    set_server(build);
}

/* HTTP/1.0 has it in the target, if at all. */
static void set_host_of_target(const struct build *build)
{
    remember_host(build, Qnil);
    set_server(build);
}

static VALUE key_of(const struct build *build, const struct raffia_field *field)
{
    switch (field->meaning) {
    case RAFFIA_FIELD_CONTENT_TYPE: return key_type;
    case RAFFIA_FIELD_CONTENT_LENGTH: return key_length;
    default: return raffia_http1_key(build->bytes + field->name.start, field->name.size);
    }
}

static VALUE join(VALUE key, VALUE first, VALUE second)
{
    VALUE joined = rb_str_dup(first);
    rb_str_cat(joined, key == key_cookie ? "; " : ", ", 2);
    return rb_str_append(joined, second);
}

static void set_field(struct build *build, const struct raffia_field *field)
{
    if (field->meaning == RAFFIA_FIELD_HOST) {
        set_host(build, field);
        return;
    }
    VALUE key = key_of(build, field), value = string(build, field->value);
    uint64_t bit = 1ULL << ((key >> 3 ^ key >> 9) & 63);
    if (build->seen & bit) {
        VALUE first = rb_hash_lookup(build->env, key);
        if (!NIL_P(first)) value = join(key, first, value);
    }
    build->seen |= bit;
    rb_hash_aset(build->env, key, value);
}

/* What the client would rather speak; Rack's name for it. */
static VALUE protocols(VALUE env)
{
    VALUE upgrade = rb_hash_lookup(env, raffia_http1_key("upgrade", 7)), list = rb_ary_new();
    if (NIL_P(upgrade)) return list;
    const char *start = RSTRING_PTR(upgrade), *end = start + RSTRING_LEN(upgrade);
    while (start < end) {
        const char *comma = memchr(start, ',', (size_t)(end - start)), *stop = comma ? comma : end;
        while (start < stop && (*start == ' ' || *start == '\t'))
            start++;
        const char *last = stop;
        while (last > start && (last[-1] == ' ' || last[-1] == '\t'))
            last--;
        if (last > start) rb_ary_push(list, rb_str_new(start, last - start));
        start = stop + 1;
    }
    RB_GC_GUARD(upgrade);
    return list;
}

VALUE raffia_http1_env(struct http1 *wire, const struct raffia_parser_head *head, const char *bytes)
{
    const struct raffia_parser *parser = &wire->input.parser;
    struct build build = {.wire = wire, .head = head, .bytes = bytes, .env = rb_hash_dup(wire->template)};
    rb_hash_aset(build.env, key_method, methods[parser->method]);
    rb_hash_aset(build.env, key_version, versions[parser->minor]);
    set_target(&build);
    if (parser->minor == 0 && head->host.size > 0) set_host_of_target(&build);
    for (uint32_t i = 0; i < head->count; i++)
        set_field(&build, &head->fields[i]);
    if (parser->upgrades && parser->method != HTTP_CONNECT)
        rb_hash_aset(build.env, key_protocol, protocols(build.env));
    return build.env;
}

/* Entries of an env: 14 of ours, the template's, and a browser's header fields. A copy has as much room as what it was copied from. */
enum { ROOM = 48 };

static int copy_entry(VALUE key, VALUE value, VALUE template)
{
    rb_hash_aset(template, key, value);
    return ST_CONTINUE;
}

/*
 * @overload template(entries)
 *   @param entries [Hash] that every env shall have
 *   @return [Hash] frozen, of which copies are made in one go
 */
static VALUE template(VALUE class, VALUE entries)
{
    VALUE template = rb_hash_new_capa(ROOM);
    (void)class;
    rb_hash_foreach(entries, copy_entry, template);
    return rb_obj_freeze(template);
}

VALUE raffia_http1_trailers(const struct raffia_parser_head *trailers, const char *bytes)
{
    VALUE all = rb_hash_new();
    for (uint32_t i = 0; i < trailers->count; i++) {
        const struct raffia_field *field = &trailers->fields[i];
        VALUE name = rb_str_new(bytes + field->name.start, field->name.size);
        VALUE value = rb_str_new(bytes + field->value.start, field->value.size);
        name = rb_funcall(name, rb_intern("downcase"), 0);
        VALUE first = rb_hash_lookup(all, name);
        rb_hash_aset(all, name, NIL_P(first) ? value : join(Qnil, first, value));
    }
    return all;
}

static VALUE constant(const char *text)
{
    VALUE string = rb_enc_interned_str_cstr(text, rb_utf8_encoding());
    rb_gc_register_mark_object(string);
    return string;
}

void raffia_init_http1_env(VALUE http1)
{
    rb_define_singleton_method(http1, "template", template, 1);
    key_method = constant("REQUEST_METHOD");
    key_path = constant("PATH_INFO");
    key_query = constant("QUERY_STRING");
    key_uri = constant("REQUEST_URI");
    key_version = constant("SERVER_PROTOCOL");
    key_name = constant("SERVER_NAME");
    key_port = constant("SERVER_PORT");
    key_host = constant("HTTP_HOST");
    key_type = constant("CONTENT_TYPE");
    key_length = constant("CONTENT_LENGTH");
    key_cookie = constant("HTTP_COOKIE");
    key_protocol = constant("rack.protocol");
    key_scheme = constant("rack.url_scheme");
    for (int i = 0; i <= HTTP_QUERY; i++)
        methods[i] = constant(llhttp_method_name((llhttp_method_t)i));
    versions[0] = constant("HTTP/1.0");
    versions[1] = constant("HTTP/1.1");
    empty = constant("");
    port_http = constant("80");
    port_https = constant("443");
}

#endif
