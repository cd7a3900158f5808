/* Heads of responses, and trailers: validated and copied in one pass, before the session gets any
 * of it. */
#include "http2_connection.h"

#if defined(HAVE_LLHTTP) && defined(HAVE_NGHTTP2)

#include <stdarg.h>
#include <string.h>
#include "http_fields.h"

void raffia_http2_bad_response(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    VALUE message = rb_vsprintf(format, arguments);
    va_end(arguments);
    rb_exc_raise(rb_exc_new_str(rb_path2class("Raffia::Server::BadResponse"), message));
}

void raffia_http2_free_fields(struct http2_fields *fields)
{
    ruby_xfree(fields->bytes);
    ruby_xfree(fields->list);
    *fields = (struct http2_fields){0};
}

size_t raffia_http2_fields_memsize(const struct http2_fields *fields)
{
    return fields->capacity + fields->places * sizeof(*fields->list);
}

static uint32_t append(struct http2_fields *fields, const char *bytes, size_t size)
{
    if (fields->size + size > fields->capacity) {
        size_t capacity = fields->capacity ? fields->capacity : 256;
        while (capacity < fields->size + size)
            capacity *= 2;
        if (capacity > UINT32_MAX / 2)
            raffia_http2_bad_response("the response's headers are too long");
        REALLOC_N(fields->bytes, char, capacity);
        fields->capacity = (uint32_t)capacity;
    }
    uint32_t start = fields->size;
    memcpy(fields->bytes + start, bytes, size);
    fields->size += (uint32_t)size;
    return start;
}

static struct http2_field *add(struct http2_fields *fields)
{
    if (fields->count == fields->places) {
        uint32_t places = fields->places ? 2 * fields->places : 8;
        REALLOC_N(fields->list, struct http2_field, places);
        fields->places = places;
    }
    return &fields->list[fields->count++];
}

static void add_field(struct http2_fields *fields, const char *name, size_t name_size,
                      const char *value, size_t value_size)
{
    struct http2_field field = {.name_size = (uint32_t)name_size,
                                .value_size = (uint32_t)value_size};
    field.name = append(fields, name, name_size);
    field.value = append(fields, value, value_size);
    *add(fields) = field;
}

static int is(const char *name, size_t length, const char *other)
{
    return strlen(other) == length && memcmp(name, other, length) == 0;
}

static int64_t parse_length(const struct http2_head *head, const char *value, size_t size)
{
    int64_t length = 0;
    int good = size > 0 && size <= 18;
    for (size_t i = 0; good && i < size; i++) {
        good = value[i] >= '0' && value[i] <= '9';
        length = length * 10 + (value[i] - '0');
    }
    if (!good || (head->declared >= 0 && head->declared != length))
        raffia_http2_bad_response("the response's content-length is %.*s, which is no length",
                                  (int)(size > 64 ? 64 : size), value);
    return length;
}

/* RFC 9218, 8: the application knows better than the client. */
static void prioritize(const struct http2_head *head, const char *value, size_t size)
{
    unsigned urgency = 3;
    int incremental = 0;
    if (head->status < 200 || !head->stream->stream) return;
    for (size_t i = 0; i < size; i++) {
        int begins = i == 0 || value[i - 1] == ',' || value[i - 1] == ' ';
        if (begins && i + 2 < size && value[i] == 'u' && value[i + 1] == '=' &&
            value[i + 2] >= '0' && value[i + 2] <= '7')
            urgency = (unsigned)(value[i + 2] - '0');
        if (begins && value[i] == 'i' && !(i + 3 < size && memcmp(value + i, "i=?0", 4) == 0))
            incremental = 1;
    }
    raffia_http2_prioritize(head->stream->stream, urgency, incremental);
}

/* Fields of HTTP/1's framing (RFC 9113, 8.2.2), and those that the server writes itself. */
static int is_dropped(struct http2_head *head, const char *name, size_t length, const char *value,
                      size_t size)
{
    switch (length) {
    case 4:
        if (is(name, length, "date")) head->has_date = 1;
        return 0;
    case 7: return is(name, length, "upgrade");
    case 8:
        if (is(name, length, "priority")) prioritize(head, value, size);
        return 0;
    case 10: return is(name, length, "connection") || is(name, length, "keep-alive");
    case 12:
        if (is(name, length, "content-type") && size >= 16 &&
            memcmp(value, "application/grpc", 16) == 0)
            head->grpc = 1;
        return 0;
    case 14:
        if (!is(name, length, "content-length")) return 0;
        if (head->status >= 200) head->declared = parse_length(head, value, size);
        return 1;
    case 16: return is(name, length, "proxy-connection");
    case 17: return is(name, length, "transfer-encoding");
    default: return 0;
    }
}

static void add_line(struct http2_head *head, VALUE key, const char *value, size_t size)
{
    char name[256];
    size_t length = (size_t)RSTRING_LEN(key);
    const char *given = RSTRING_PTR(key);
    for (size_t i = 0; i < length; i++)
        name[i] = (char)raffia_http_token[(unsigned char)given[i]];
    while (size > 0 && (*value == ' ' || *value == '\t'))
        value++, size--;
    while (size > 0 && (value[size - 1] == ' ' || value[size - 1] == '\t'))
        size--;
    if (is_dropped(head, name, length, value, size)) return;
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)value[i];
        if ((byte < ' ' && byte != '\t') || byte == 0x7f)
            raffia_http2_bad_response(
                "the value of the response's header %.*s has a control character in it",
                (int)length, name);
    }
    add_field(head->fields, name, length, value, size);
}

/* Rack 2 joins several values with newlines. */
static void add_lines(struct http2_head *head, VALUE key, VALUE value)
{
    const char *start = RSTRING_PTR(value), *end = start + RSTRING_LEN(value), *newline;
    while ((newline = memchr(start, '\n', (size_t)(end - start)))) {
        add_line(head, key, start, (size_t)(newline - start));
        start = newline + 1;
    }
    add_line(head, key, start, (size_t)(end - start));
    RB_GC_GUARD(value);
}

static void check_name(VALUE key)
{
    size_t length = (size_t)RSTRING_LEN(key);
    const unsigned char *name = (const unsigned char *)RSTRING_PTR(key);
    int good = length > 0 && length <= 256;
    for (size_t i = 0; good && i < length; i++)
        good = raffia_http_token[name[i]] != 0;
    if (!good)
        raffia_http2_bad_response("%+" PRIsVALUE " is no name for a header of the response", key);
}

static int add_header(VALUE key, VALUE value, VALUE pointer)
{
    struct http2_head *head = (struct http2_head *)pointer;
    if (RB_SYMBOL_P(key)) key = rb_sym2str(key);
    if (!RB_TYPE_P(key, T_STRING))
        raffia_http2_bad_response("%+" PRIsVALUE " is no name for a header of the response", key);
    key = rb_str_new_frozen(key); /* code of the app may run before it is copied */
    check_name(key);
    /* These are for the server, not for the client. */
    if (RSTRING_LEN(key) > 5 && memcmp(RSTRING_PTR(key), "rack.", 5) == 0) {
        if (is(RSTRING_PTR(key), (size_t)RSTRING_LEN(key), "rack.hijack") ||
            is(RSTRING_PTR(key), (size_t)RSTRING_LEN(key), "rack.protocol"))
            head->hijacks = 1;
        return ST_CONTINUE;
    }
    if (RB_TYPE_P(value, T_ARRAY)) {
        for (long i = 0; i < RARRAY_LEN(value); i++)
            add_lines(head, key, rb_obj_as_string(RARRAY_AREF(value, i)));
    } else if (!NIL_P(value)) {
        add_lines(head, key, RB_TYPE_P(value, T_STRING) ? value : rb_obj_as_string(value));
    }
    return ST_CONTINUE;
}

static VALUE add_pair(RB_BLOCK_CALL_FUNC_ARGLIST(first, pointer))
{
    (void)first, (void)blockarg;
    if (argc == 1 && RB_TYPE_P(argv[0], T_ARRAY) && RARRAY_LEN(argv[0]) == 2)
        add_header(RARRAY_AREF(argv[0], 0), RARRAY_AREF(argv[0], 1), pointer);
    else if (argc == 2)
        add_header(argv[0], argv[1], pointer);
    return Qnil;
}

static void add_headers(struct http2_head *head)
{
    if (RB_TYPE_P(head->headers, T_HASH))
        rb_hash_foreach(head->headers, add_header, (VALUE)head);
    else if (rb_respond_to(head->headers, rb_intern("each")))
        rb_block_call(head->headers, rb_intern("each"), 0, NULL, add_pair, (VALUE)head);
    else
        raffia_http2_bad_response("the response's headers are a %" PRIsVALUE ", not a Hash",
                                  rb_obj_class(head->headers));
}

static void add_date(struct http2_head *head)
{
    size_t size;
    const char *date = raffia_http_date(&size);
    add_field(head->fields, "date", 4, date, size);
}

/* Only the app knows the length of a body that is not sent. */
static void add_length(struct http2_head *head)
{
    int status = head->status, body = !head->stream->is_head && status != 204 && status != 304;
    int64_t length = head->length;
    if (length == 0 && !body && (head->stream->is_head || status == 304)) length = -1;
    if (length == 0 && head->grpc) length = -1;
    if (head->declared >= 0) length = head->declared;
    head->declared = length;
    if (length < 0 || status == 204 || head->grpc) return;
    char space[24];
    size_t size;
    const char *digits = raffia_http_digits(space, length, &size);
    add_field(head->fields, "content-length", 14, digits, size);
}

int raffia_http2_build_head(struct http2_head *head)
{
    if (head->status != 0 && !(head->status >= 100 && head->status <= 999 && head->status != 101))
        raffia_http2_bad_response("%d is no status of a response", head->status);
    head->fields->size = head->fields->count = 0;
    head->declared = -1;
    add_headers(head);
    if (head->status < 200) return 1;
    if (head->hijacks && !head->raw) return 0;
    if (!head->has_date) add_date(head);
    add_length(head);
    return 1;
}

#endif
