/* Makes a Rack env of a request's head, as http1_env.c does. */
#include "http2_connection.h"

#if defined(HAVE_LLHTTP) && defined(HAVE_NGHTTP2)

#include <string.h>

/* Frozen, made once and never changed again. */
static VALUE key_method, key_path, key_query, key_uri, key_type, key_length, key_protocol,
    key_trailers, version;
static VALUE methods[HTTP_QUERY + 1];

struct build {
    struct http2_stream *stream;
    const struct raffia_http2_head *head;
    const char *bytes;
    struct http_env env;
};

static VALUE string(const struct build *build, struct raffia_http2_slice slice)
{
    return rb_str_new(build->bytes + slice.start, slice.size);
}

static int is(const struct build *build, struct raffia_http2_slice slice, const char *text)
{
    return slice.size == strlen(text) && memcmp(build->bytes + slice.start, text, slice.size) == 0;
}

/* The client and the server must agree on the host, because proxies route by it. */
static VALUE copy_of_template(const struct build *build)
{
    VALUE template = build->stream->connection->template;
    struct raffia_slice authority = {build->head->authority.start, build->head->authority.size};
    struct raffia_http_host host = {
        .bytes = build->bytes, .field = authority, .fields = build->head->fields.count};
    if (authority.size == 0) return rb_hash_dup(template);
    VALUE known = raffia_http_env_known_template(template, &host);
    if (known) return rb_hash_dup(known);
    if (!raffia_split_authority(build->bytes, authority, &host.name, &host.port))
        raffia_http2_refuse(400, "the authority is no host");
    return rb_hash_dup(raffia_http_env_template_of(template, &host));
}

/* Behind a proxy that ends TLS the scheme may be https on a plain connection. */
static void check_scheme(const struct build *build)
{
    if (build->stream->connection->https && build->head->scheme.size > 0 &&
        !is(build, build->head->scheme, "https"))
        raffia_http2_refuse(400, "the scheme of the request is not that of the connection");
}

static void set_method(const struct build *build)
{
    struct raffia_http2_slice method = build->head->method;
    if (is(build, method, "GET")) return;
    for (int i = 0; i <= HTTP_QUERY; i++) {
        VALUE known = methods[i];
        if ((size_t)RSTRING_LEN(known) != method.size ||
            memcmp(RSTRING_PTR(known), build->bytes + method.start, method.size) != 0)
            continue;
        rb_hash_aset(build->env.hash, key_method, known);
        return;
    }
    rb_hash_aset(build->env.hash, key_method, string(build, method));
}

/* A fragment is never sent, and space would end the target of HTTP/1. */
static int is_clean(const char *bytes, struct raffia_http2_slice target)
{
    unsigned bad = 0;
    for (uint32_t i = 0; i < target.size; i++) {
        unsigned char byte = (unsigned char)bytes[target.start + i];
        bad |= (byte <= ' ') | (byte == 127) | (byte == '#');
    }
    return !bad;
}

static void set_target(const struct build *build)
{
    struct raffia_http2_slice target = build->head->path;
    int is_connect = is(build, build->head->method, "CONNECT");
    if (target.size == 0 && is_connect) target = build->head->authority;
    const char *start = build->bytes + target.start;
    if (!is_clean(build->bytes, target))
        raffia_http2_refuse(400, "the target has characters that must be encoded");
    if (build->head->path.size > 0 && *start != '/' &&
        !(is(build, target, "*") && is(build, build->head->method, "OPTIONS")))
        raffia_http2_refuse(400, "the target is no path");
    const char *query = memchr(start, '?', target.size);
    size_t path = query ? (size_t)(query - start) : target.size;
    rb_hash_aset(build->env.hash, key_path, rb_str_new(start, (long)path));
    if (query && path + 1 < target.size)
        rb_hash_aset(build->env.hash, key_query,
                     rb_str_new(query + 1, (long)(target.size - path - 1)));
    rb_hash_aset(build->env.hash, key_uri, string(build, target));
}

/* An underscore makes one field look like another. */
static void check_underscores(const struct build *build, struct raffia_http2_slice name)
{
    const struct raffia_http2_fields *fields = &build->head->fields;
    const char *bytes = build->bytes;
    for (uint32_t i = 0; i < fields->count; i++) {
        struct raffia_http2_slice other = fields->list[i].name;
        if (other.size != name.size ||
            memcmp(bytes + other.start, bytes + name.start, name.size) == 0)
            continue;
        uint32_t same = 0;
        while (same < name.size) {
            char one = bytes[name.start + same], two = bytes[other.start + same];
            if ((one == '_' ? '-' : one) != (two == '_' ? '-' : two)) break;
            same++;
        }
        if (same == name.size)
            raffia_http2_refuse(400, "an underscore makes one header field look like another");
    }
}

static VALUE key_of(const struct build *build, struct raffia_http2_slice name)
{
    if (is(build, name, "content-type")) return key_type;
    if (is(build, name, "content-length")) return key_length;
    if (memchr(build->bytes + name.start, '_', name.size)) check_underscores(build, name);
    return raffia_http_env_key(build->bytes + name.start, name.size);
}

static int begins(const struct build *build, struct raffia_http2_slice slice, const char *text)
{
    size_t size = strlen(text);
    return slice.size >= size && memcmp(build->bytes + slice.start, text, size) == 0;
}

static void note_meaning(struct build *build, const struct raffia_http2_field *field)
{
    if (is(build, field->name, "te") && is(build, field->value, "trailers")) {
        struct http2_stream *stream = build->stream;
        RB_OBJ_WRITE(stream->self, &stream->response_trailers, rb_hash_new());
        rb_hash_aset(build->env.hash, key_trailers, stream->response_trailers);
    } else if (is(build, field->name, "content-type") &&
               begins(build, field->value, "application/grpc")) {
        build->stream->grpc = 1;
    } else if (is(build, field->name, "expect")) {
        build->stream->expects_continue = build->stream->has_body;
    }
}

static void set_field(struct build *build, const struct raffia_http2_field *field)
{
    VALUE key = key_of(build, field->name), value = string(build, field->value);
    raffia_http_env_set(&build->env, key, value);
    if (field->name.size == 2 || field->name.size == 6 || key == key_type)
        note_meaning(build, field);
}

VALUE raffia_http2_env(struct http2_stream *stream)
{
    const struct raffia_http2_head *head = stream->stream->head;
    struct build build = {.stream = stream, .head = head, .bytes = head->fields.bytes};
    build.env.hash = copy_of_template(&build);
    check_scheme(&build);
    set_method(&build);
    set_target(&build);
    for (uint32_t i = 0; i < head->fields.count; i++)
        set_field(&build, &head->fields.list[i]);
    stream->is_head = is(&build, head->method, "HEAD");
    if (head->protocol.size > 0) {
        stream->connects = 1;
        rb_hash_aset(build.env.hash, key_protocol,
                     rb_ary_new_from_args(1, string(&build, head->protocol)));
    }
    return build.env.hash;
}

VALUE raffia_http2_trailers(const struct raffia_http2_fields *fields)
{
    VALUE all = rb_hash_new();
    for (uint32_t i = 0; i < fields->count; i++) {
        const struct raffia_http2_field *field = &fields->list[i];
        VALUE name = rb_str_new(fields->bytes + field->name.start, field->name.size);
        VALUE value = rb_str_new(fields->bytes + field->value.start, field->value.size);
        raffia_http_add_trailer(all, name, value);
    }
    return all;
}

/*
 * @overload template(entries)
 *   @param entries [Hash] of every env
 *   @return [Hash] frozen, and cheap to copy; it also has the entries of the most common request
 */
static VALUE template(VALUE class, VALUE entries)
{
    (void)class;
    return raffia_http_env_template(entries, version);
}

void raffia_init_http2_env(VALUE class)
{
    key_method = raffia_http_constant("REQUEST_METHOD");
    key_path = raffia_http_constant("PATH_INFO");
    key_query = raffia_http_constant("QUERY_STRING");
    key_uri = raffia_http_constant("REQUEST_URI");
    key_type = raffia_http_constant("CONTENT_TYPE");
    key_length = raffia_http_constant("CONTENT_LENGTH");
    key_protocol = raffia_http_constant("rack.protocol");
    key_trailers = raffia_http_constant("raffia.response_trailers");
    version = raffia_http_constant("HTTP/2");
    for (int i = 0; i <= HTTP_QUERY; i++)
        methods[i] = raffia_http_constant(llhttp_method_name((llhttp_method_t)i));
    rb_define_singleton_method(class, "template", template, 1);
}

#endif
