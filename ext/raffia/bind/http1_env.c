/* Makes a Rack env of a head: a copy of the connection's template, and the fields of the
 * request. */
#include "http1_request.h"

#ifdef HAVE_LLHTTP

#include <ruby/encoding.h>
#include <string.h>
#include <strings.h>

/* Frozen, made once and never changed again. */
static VALUE key_method, key_path, key_query, key_uri, key_version, key_type, key_length,
    key_protocol, key_trailers;
static VALUE methods[HTTP_QUERY + 1], version_1_0, version_1_1;

struct build {
    struct http1_request *request;
    const struct raffia_parser_head *head;
    const char *bytes;
    struct http_env env;
};

/* Binary, as in other servers, because clients may send anything. */
static VALUE string(const struct build *build, struct raffia_slice slice)
{
    return rb_str_new(build->bytes + slice.start, slice.size);
}

static void set_target(const struct build *build)
{
    const struct raffia_parser_head *head = build->head;
    int is_whole = head->query.size == 0 && head->path.size == 0 &&
                   build->request->input.parser.method == HTTP_OPTIONS;
    VALUE path =
        head->path.size > 0 ? string(build, head->path) : rb_str_new(is_whole ? "*" : "/", 1);
    rb_hash_aset(build->env.hash, key_path, path);
    if (head->query.size > 0) rb_hash_aset(build->env.hash, key_query, string(build, head->query));
    rb_hash_aset(build->env.hash, key_uri, string(build, head->target));
}

static VALUE key_of(const struct build *build, const struct raffia_field *field)
{
    switch (field->meaning) {
    case RAFFIA_FIELD_CONTENT_TYPE: return key_type;
    case RAFFIA_FIELD_CONTENT_LENGTH: return key_length;
    default: return raffia_http_env_key(build->bytes + field->name.start, field->name.size);
    }
}

/* Trailers may be dropped on the way to a client that has not asked for them (RFC 9110, 6.5.1). */
static void offer_trailers(const struct build *build, const struct raffia_field *field)
{
    struct http1_request *request = build->request;
    if (!raffia_slice_is(build->bytes, field->name, "te", 2)) return;
    const char *value = build->bytes + field->value.start;
    int found = 0;
    for (uint32_t i = 0; i + 8 <= field->value.size && !found; i++)
        found = strncasecmp(value + i, "trailers", 8) == 0;
    if (!found) return;
    RB_OBJ_WRITE(request->transport.self, &request->response_trailers, rb_hash_new());
    rb_hash_aset(build->env.hash, key_trailers, request->response_trailers);
}

static void set_field(struct build *build, const struct raffia_field *field)
{
    if (field->meaning == RAFFIA_FIELD_HOST) return; /* The template has it. */
    VALUE key = key_of(build, field), value = string(build, field->value);
    raffia_http_env_set(&build->env, key, value);
    if (field->name.size == 2) offer_trailers(build, field);
}

/* rack.protocol: the protocols that the client offers to upgrade to. */
static VALUE protocols(VALUE env)
{
    VALUE upgrade = rb_hash_lookup(env, raffia_http_env_key("upgrade", 7)), list = rb_ary_new();
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

static VALUE copy_of_template(const struct http1_request *request,
                              const struct raffia_parser_head *head, const char *bytes)
{
    struct raffia_http_host host = {
        .bytes = bytes, .name = head->host, .port = head->port, .fields = head->count};
    for (uint32_t i = 0; i < head->count; i++) {
        if (head->fields[i].meaning != RAFFIA_FIELD_HOST) continue;
        host.field = head->fields[i].value;
        return rb_hash_dup(raffia_http_env_template_of(request->template, &host));
    }
    VALUE env = rb_hash_dup(request->template);
    if (head->host.size > 0) raffia_http_env_set_server(env, &host);
    return env;
}

VALUE raffia_http1_env(struct http1_request *request, const struct raffia_parser_head *head,
                       const char *bytes)
{
    const struct raffia_parser *parser = &request->input.parser;
    struct build build = {.request = request,
                          .head = head,
                          .bytes = bytes,
                          .env.hash = copy_of_template(request, head, bytes)};
    if (parser->method != HTTP_GET)
        rb_hash_aset(build.env.hash, key_method, methods[parser->method]);
    if (parser->minor == 0) rb_hash_aset(build.env.hash, key_version, version_1_0);
    set_target(&build);
    for (uint32_t i = 0; i < head->count; i++)
        set_field(&build, &head->fields[i]);
    if (parser->upgrades && parser->method != HTTP_CONNECT)
        rb_hash_aset(build.env.hash, key_protocol, protocols(build.env.hash));
    return build.env.hash;
}

/* In C, because a method of Ruby's may run a trap handler, and with it another fiber, which would
 * read into the same memory. */
static VALUE small(const char *bytes, struct raffia_slice name)
{
    VALUE string = rb_str_new(bytes + name.start, name.size);
    char *letters = RSTRING_PTR(string);
    for (uint32_t i = 0; i < name.size; i++)
        if (letters[i] >= 'A' && letters[i] <= 'Z') letters[i] = (char)(letters[i] + ('a' - 'A'));
    return string;
}

VALUE raffia_http1_trailers(const struct raffia_parser_head *trailers, const char *bytes)
{
    VALUE all = rb_hash_new();
    for (uint32_t i = 0; i < trailers->count; i++) {
        const struct raffia_field *field = &trailers->fields[i];
        VALUE name = small(bytes, field->name);
        VALUE value = rb_str_new(bytes + field->value.start, field->value.size);
        raffia_http_add_trailer(all, name, value);
    }
    return all;
}

VALUE raffia_http1_template(VALUE entries)
{
    return raffia_http_env_template(entries, version_1_1);
}

/*
 * @overload template(entries)
 *   @param entries [Hash] of every env
 *   @return [Hash] frozen, and cheap to copy; it also has the entries of the most common request
 */
static VALUE template(VALUE class, VALUE entries)
{
    (void)class;
    return raffia_http1_template(entries);
}

void raffia_init_http1_env(VALUE http1)
{
    key_method = raffia_http_constant("REQUEST_METHOD");
    key_path = raffia_http_constant("PATH_INFO");
    key_query = raffia_http_constant("QUERY_STRING");
    key_uri = raffia_http_constant("REQUEST_URI");
    key_version = raffia_http_constant("SERVER_PROTOCOL");
    key_type = raffia_http_constant("CONTENT_TYPE");
    key_length = raffia_http_constant("CONTENT_LENGTH");
    key_protocol = raffia_http_constant("rack.protocol");
    key_trailers = raffia_http_constant("raffia.response_trailers");
    version_1_0 = raffia_http_constant("HTTP/1.0");
    version_1_1 = raffia_http_constant("HTTP/1.1");
    for (int i = 0; i <= HTTP_QUERY; i++)
        methods[i] = raffia_http_constant(llhttp_method_name((llhttp_method_t)i));
    rb_define_singleton_method(http1, "template", template, 1);
}

#endif
