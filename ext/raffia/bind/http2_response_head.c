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
    raffia_http_bad_response(format, arguments);
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
static int is_dropped(struct http_headers *headers, const char *name, size_t length,
                      const char *value, size_t size)
{
    struct http2_head *head = (struct http2_head *)headers;
    switch (length) {
    case 4:
        if (raffia_http_is(name, length, "date")) head->has_date = 1;
        return 0;
    case 7: return raffia_http_is(name, length, "upgrade");
    case 8:
        if (raffia_http_is(name, length, "priority")) prioritize(head, value, size);
        return 0;
    case 10:
        return raffia_http_is(name, length, "connection") ||
               raffia_http_is(name, length, "keep-alive");
    case 12:
        if (raffia_http_is(name, length, "content-type") && size >= 16 &&
            memcmp(value, "application/grpc", 16) == 0)
            head->grpc = 1;
        return 0;
    case 14:
        if (!raffia_http_is(name, length, "content-length")) return 0;
        if (head->status >= 200)
            head->declared = raffia_http_parse_length(headers, value, size, head->declared);
        return 1;
    case 16: return raffia_http_is(name, length, "proxy-connection");
    case 17: return raffia_http_is(name, length, "transfer-encoding");
    default: return 0;
    }
}

static void add_line(struct http_headers *headers, const char *name, size_t length,
                     const char *value, size_t size)
{
    add_field(((struct http2_head *)headers)->fields, name, length, value, size);
}

/* The fields are built beside the session: nothing is written that could be sent. */
static void do_nothing(struct http_headers *headers)
{
    (void)headers;
}

static const struct http_headers_kind kind = {
    .skips = is_dropped, .add = add_line, .discard = do_nothing, .check = do_nothing, .trims = 1};

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
    head->base = (struct http_headers){.kind = &kind};
    raffia_http_add_headers(&head->base, head->headers);
    if (head->status < 200) return 1;
    if (head->base.hijacks && !head->raw) return 0;
    if (!head->has_date) add_date(head);
    add_length(head);
    return 1;
}

#endif
