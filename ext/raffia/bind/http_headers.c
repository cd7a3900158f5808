#include "http_headers.h"

#ifdef HAVE_LLHTTP

#include <string.h>
#include "http_fields.h"

enum { MOST = 256 }; /* bytes of a name */

#define NO_NAME "%+" PRIsVALUE " is no name for a header of the response"

void raffia_http_bad_response(const char *format, va_list arguments)
{
    VALUE message = rb_vsprintf(format, arguments);
    rb_exc_raise(rb_exc_new_str(rb_path2class("Raffia::Server::BadResponse"), message));
}

/* Discards the output first, because the message may call code of the app. */
RBIMPL_ATTR_FORMAT(RBIMPL_PRINTF_FORMAT, 2, 3)
RBIMPL_ATTR_NORETURN()
static void refuse(struct http_headers *headers, const char *format, ...)
{
    va_list arguments;
    headers->kind->discard(headers);
    va_start(arguments, format);
    raffia_http_bad_response(format, arguments);
}

int raffia_http_is(const char *name, size_t length, const char *other)
{
    return strlen(other) == length && memcmp(name, other, length) == 0;
}

int64_t raffia_http_size_of(VALUE strings)
{
    int64_t size = 0;
    for (long i = 0; i < RARRAY_LEN(strings); i++) {
        VALUE string = RARRAY_AREF(strings, i);
        if (!RB_TYPE_P(string, T_STRING)) return -1;
        size += RSTRING_LEN(string);
    }
    return size;
}

int64_t raffia_http_parse_length(struct http_headers *headers, const char *value, size_t size,
                                 int64_t declared)
{
    int64_t length = 0;
    int good = size > 0 && size <= 18;
    for (size_t i = 0; good && i < size; i++) {
        good = value[i] >= '0' && value[i] <= '9';
        length = length * 10 + (value[i] - '0');
    }
    if (!good || (declared >= 0 && declared != length))
        refuse(headers, "the response's content-length is %.*s, which is no length",
               (int)(size > 64 ? 64 : size), value);
    return length;
}

static void check_value(struct http_headers *headers, const char *name, size_t length,
                        const char *value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)value[i];
        if ((byte < ' ' && byte != '\t') || byte == 0x7f)
            refuse(headers, "the value of the response's header %.*s has a control character in it",
                   (int)length, name);
    }
}

static int is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static void add_line(struct http_headers *headers, VALUE key, const char *value, size_t size)
{
    char name[MOST];
    size_t length = (size_t)RSTRING_LEN(key);
    const char *given = RSTRING_PTR(key);
    int trims = headers->kind->trims;
    for (size_t i = 0; i < length; i++)
        name[i] = (char)raffia_http_token[(unsigned char)given[i]];
    while (trims && size > 0 && is_blank(*value))
        value++, size--;
    while (trims && size > 0 && is_blank(value[size - 1]))
        size--;
    if (headers->kind->skips(headers, name, length, value, size)) return;
    check_value(headers, name, length, value, size);
    headers->kind->add(headers, name, length, value, size);
}

/* Rack 2 joins several values with newlines. */
static void add_lines(struct http_headers *headers, VALUE key, VALUE value)
{
    const char *start = RSTRING_PTR(value), *end = start + RSTRING_LEN(value), *newline;
    while ((newline = memchr(start, '\n', (size_t)(end - start)))) {
        add_line(headers, key, start, (size_t)(newline - start));
        start = newline + 1;
    }
    add_line(headers, key, start, (size_t)(end - start));
    RB_GC_GUARD(value);
}

static void add_value(struct http_headers *headers, VALUE key, VALUE value)
{
    if (!RB_TYPE_P(value, T_STRING)) {
        value = rb_obj_as_string(value);
        headers->kind->check(headers);
    }
    add_lines(headers, key, value);
}

static void check_name(struct http_headers *headers, VALUE key)
{
    size_t length = (size_t)RSTRING_LEN(key);
    const unsigned char *name = (const unsigned char *)RSTRING_PTR(key);
    int good = length > 0 && length <= MOST;
    for (size_t i = 0; good && i < length; i++)
        good = raffia_http_token[name[i]] != 0;
    if (!good) refuse(headers, NO_NAME, key);
}

static int add_header(VALUE key, VALUE value, VALUE pointer)
{
    struct http_headers *headers = (struct http_headers *)pointer;
    if (RB_SYMBOL_P(key)) key = rb_sym2str(key);
    if (!RB_TYPE_P(key, T_STRING)) refuse(headers, NO_NAME, key);
    key = rb_str_new_frozen(key); /* code of the app may run before it is copied */
    check_name(headers, key);
    /* These are for the server, not for the client. */
    if (RSTRING_LEN(key) > 5 && memcmp(RSTRING_PTR(key), "rack.", 5) == 0) {
        if (raffia_http_is(RSTRING_PTR(key), (size_t)RSTRING_LEN(key), "rack.hijack") ||
            raffia_http_is(RSTRING_PTR(key), (size_t)RSTRING_LEN(key), "rack.protocol"))
            headers->hijacks = 1;
        return ST_CONTINUE;
    }
    if (RB_TYPE_P(value, T_ARRAY)) {
        for (long i = 0; i < RARRAY_LEN(value); i++)
            add_value(headers, key, RARRAY_AREF(value, i));
    } else if (!NIL_P(value)) {
        add_value(headers, key, value);
    }
    return ST_CONTINUE;
}

static VALUE add_pair(RB_BLOCK_CALL_FUNC_ARGLIST(first, pointer))
{
    struct http_headers *headers = (struct http_headers *)pointer;
    (void)first, (void)blockarg;
    headers->kind->check(headers);
    if (argc == 1 && RB_TYPE_P(argv[0], T_ARRAY) && RARRAY_LEN(argv[0]) == 2)
        add_header(RARRAY_AREF(argv[0], 0), RARRAY_AREF(argv[0], 1), pointer);
    else if (argc == 2)
        add_header(argv[0], argv[1], pointer);
    return Qnil;
}

void raffia_http_add_headers(struct http_headers *headers, VALUE given)
{
    if (RB_TYPE_P(given, T_HASH))
        rb_hash_foreach(given, add_header, (VALUE)headers);
    else if (rb_respond_to(given, rb_intern("each")))
        rb_block_call(given, rb_intern("each"), 0, NULL, add_pair, (VALUE)headers);
    else
        refuse(headers, "the response's headers are a %" PRIsVALUE ", not a Hash",
               rb_obj_class(given));
}

#endif
