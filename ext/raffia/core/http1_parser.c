#include "http1_parser.h"

#ifdef HAVE_LLHTTP

#include <string.h>

const struct raffia_parser_limits raffia_parser_defaults = {
    .request_line = 8 << 10,
    .head = 32 << 10,
    .fields = 100,
    .name = 256,
    .extensions = 4 << 10,
    .trailers = 8 << 10,
    .body = 50 << 20,
};

/* The states of a head (whether the version has been read) and of a chunk. */
enum { REQUEST_LINE, FIELDS };
enum { CHUNK_LINE, CHUNK_DATA, CHUNK_END };

int raffia_parser_refuse(struct raffia_parser *parser, int status, const char *reason)
{
    parser->reason = reason;
    return -status;
}

/* llhttp's callbacks. A limit is checked when a part of the head is complete, never in the middle:
 * that would depend on how the bytes were split. */

static void extend(const struct raffia_parser *parser, struct raffia_slice *slice, const char *at,
                   size_t size)
{
    if (slice->size == 0) slice->start = (uint32_t)(at - parser->bytes);
    slice->size += (uint32_t)size;
}

static int on_url(llhttp_t *llhttp, const char *at, size_t size)
{
    struct raffia_parser *parser = llhttp->data;
    extend(parser, &parser->head->target, at, size);
    return 0;
}

static int on_version_complete(llhttp_t *llhttp)
{
    struct raffia_parser *parser = llhttp->data;
    parser->step = FIELDS;
    return 0;
}

static struct raffia_field *field_at_hand(struct raffia_parser *parser)
{
    return parser->head->count < parser->limits.fields ? &parser->head->fields[parser->head->count]
                                                       : NULL;
}

static int on_field(llhttp_t *llhttp, const char *at, size_t size)
{
    struct raffia_field *field = field_at_hand(llhttp->data);
    if (field) extend(llhttp->data, &field->name, at, size);
    return 0;
}

static int on_value(llhttp_t *llhttp, const char *at, size_t size)
{
    struct raffia_field *field = field_at_hand(llhttp->data);
    if (field) extend(llhttp->data, &field->value, at, size);
    return 0;
}

static int too_large(struct raffia_parser *parser, const char *reason)
{
    raffia_parser_refuse(parser, 431, reason);
    return -1;
}

static int on_field_complete(llhttp_t *llhttp)
{
    struct raffia_parser *parser = llhttp->data;
    const struct raffia_field *field = field_at_hand(parser);
    if (!field) return too_large(parser, "too many header fields");
    return field->name.size > parser->limits.name
               ? too_large(parser, "the name of a header field is too long")
               : 0;
}

static int on_value_complete(llhttp_t *llhttp)
{
    struct raffia_parser *parser = llhttp->data;
    struct raffia_parser_head *head = parser->head;
    head->count++;
    struct raffia_field *next = field_at_hand(parser);
    if (next) *next = (struct raffia_field){0};
    return 0;
}

static int on_chunk_header(llhttp_t *llhttp)
{
    struct raffia_parser *parser = llhttp->data;
    parser->step = CHUNK_DATA;
    return 0;
}

static int stop(llhttp_t *llhttp)
{
    (void)llhttp;
    return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
    .on_url = on_url,
    .on_version_complete = on_version_complete,
    .on_header_field = on_field,
    .on_header_field_complete = on_field_complete,
    .on_header_value = on_value,
    .on_header_value_complete = on_value_complete,
    .on_headers_complete = stop,
    .on_chunk_header = on_chunk_header,
    .on_message_complete = stop,
};

/* Life */

void raffia_parser_init(struct raffia_parser *parser, const struct raffia_parser_limits *limits)
{
    memset(parser, 0, sizeof(*parser));
    parser->limits = *limits;
    if (limits->fields > RAFFIA_MAX_FIELDS) parser->limits.fields = RAFFIA_MAX_FIELDS;
    if (limits->name > RAFFIA_MAX_NAME) parser->limits.name = RAFFIA_MAX_NAME;
    raffia_parser_next(parser);
}

void raffia_parser_next(struct raffia_parser *parser)
{
    llhttp_init(&parser->llhttp, HTTP_REQUEST, &settings);
    parser->llhttp.data = parser;
    parser->left = parser->body = 0;
    parser->extra = parser->fed = 0;
    parser->phase = RAFFIA_IN_HEAD;
    parser->step = REQUEST_LINE;
    parser->lead = 0;
}

/* Feeding */

static int is_graph(char byte)
{
    return byte > ' ' && byte < 127;
}

/* The byte that no known method has there tells an unknown method from other protocols. */
static int refuse_method(struct raffia_parser *parser, const char *at)
{
    return is_graph(*at) || (*at == ' ' && at > parser->bytes + parser->lead)
               ? raffia_parser_refuse(parser, 501, "the method is not known")
               : raffia_parser_refuse(parser, 400, "not an HTTP request");
}

/* Behind DIGIT.DIGIT it is a version, if not one of ours. */
static int refuse_version(struct raffia_parser *parser, const char *at)
{
    const llhttp_t *llhttp = &parser->llhttp;
    int is_ours = llhttp->http_major == 1 && llhttp->http_minor <= 1;
    int is_version = at - parser->bytes > 1 && at[-2] == '.';
    return is_version && !is_ours
               ? raffia_parser_refuse(parser, 505, "only HTTP/1.0 and HTTP/1.1 are spoken here")
               : raffia_parser_refuse(parser, 400, llhttp_get_error_reason(&parser->llhttp));
}

static int refuse(struct raffia_parser *parser, llhttp_errno_t error)
{
    switch (error) {
    case HPE_USER:
    case HPE_CB_HEADER_FIELD_COMPLETE: return -431; /* The callback has said why. */
    case HPE_INVALID_METHOD: return refuse_method(parser, llhttp_get_error_pos(&parser->llhttp));
    case HPE_INVALID_VERSION: return refuse_version(parser, llhttp_get_error_pos(&parser->llhttp));
    case HPE_PAUSED_H2_UPGRADE:
        parser->is_http2 = 1;
        return raffia_parser_refuse(parser, 505, "HTTP/2 is not spoken here");
    default: return raffia_parser_refuse(parser, 400, llhttp_get_error_reason(&parser->llhttp));
    }
}

/* Returns how many bytes llhttp took: all, or those up to the end of the part. Or a negative
 * status. */
static int64_t feed(struct raffia_parser *parser, const char *bytes, size_t size)
{
    llhttp_errno_t error = llhttp_execute(&parser->llhttp, bytes, size);
    if (error == HPE_OK) return (int64_t)size;
    if (error != HPE_PAUSED) return refuse(parser, error);
    const char *end = llhttp_get_error_pos(&parser->llhttp);
    llhttp_resume(&parser->llhttp);
    return end - bytes;
}

/* Feeds the new bytes of an input that stays, `most` of them in all. Returns whether the part has
 * ended. */
static int feed_further(struct raffia_parser *parser, const char *bytes, size_t size, size_t most)
{
    size_t end = size < most ? size : most, fresh = end - parser->fed;
    parser->bytes = bytes;
    llhttp_errno_t error = llhttp_execute(&parser->llhttp, bytes + parser->fed, fresh);
    if (error == HPE_OK) {
        parser->fed = (uint32_t)end;
        return 0;
    }
    if (error != HPE_PAUSED) return refuse(parser, error);
    parser->fed = (uint32_t)(llhttp_get_error_pos(&parser->llhttp) - bytes);
    llhttp_resume(&parser->llhttp);
    return 1;
}

/* Head */

static int is_end_of_line(char byte)
{
    return byte == '\r' || byte == '\n';
}

/* Empty lines before a request that are skipped. llhttp would skip any number of them, and halves.
 * RFC 9112, 2.2, wants one: old clients send it after a body. */
enum { EMPTY_LINES = 2 };

/* Whether the request has begun. */
static int begin(struct raffia_parser *parser, struct raffia_parser_head *head, const char *bytes,
                 size_t size)
{
    size_t lead = 0, most = 2 * EMPTY_LINES;
    while (lead < most && size - lead > 1 && bytes[lead] == '\r' && bytes[lead + 1] == '\n')
        lead += 2;
    if (size == lead || (size - lead == 1 && lead < most && bytes[lead] == '\r')) return 0;
    if (is_end_of_line(bytes[lead]))
        return raffia_parser_refuse(parser, 400, "an empty request line");
    parser->fed = parser->lead = (uint8_t)lead;
    head->count = 0;
    head->target = head->host = head->port = (struct raffia_slice){0};
    head->fields[0] = (struct raffia_field){0};
    return 1;
}

int64_t raffia_parser_read_head(struct raffia_parser *parser, struct raffia_parser_head *head,
                                const char *bytes, size_t size)
{
    if (parser->phase != RAFFIA_IN_HEAD) return 0;
    if (parser->fed == 0) {
        int begun = begin(parser, head, bytes, size);
        if (begun <= 0) return begun;
    }
    parser->head = head;
    while (parser->fed < size) {
        int in_line =
            parser->step == REQUEST_LINE && parser->limits.request_line < parser->limits.head;
        size_t most = in_line ? parser->limits.request_line + parser->lead : parser->limits.head;
        if (parser->fed >= most)
            return in_line ? raffia_parser_refuse(parser, 414, "the request line is too long")
                           : raffia_parser_refuse(parser, 431, "the head is too large");
        int complete = feed_further(parser, bytes, size, most);
        if (complete < 0) return complete;
        if (complete) {
            int64_t taken = parser->fed;
            parser->fed = 0;
            int failure = raffia_parser_check_head(parser, head, bytes);
            return failure < 0 ? failure : taken;
        }
    }
    return 0;
}

/* Body */

static int64_t read_counted(struct raffia_parser *parser, size_t size, struct raffia_slice *data)
{
    uint64_t count = size < parser->left ? size : parser->left;
    if (count > UINT32_MAX) count = UINT32_MAX;
    data->size = (uint32_t)count;
    parser->left -= count;
    if (parser->left == 0) parser->phase = RAFFIA_AT_END;
    return (int64_t)count;
}

enum { MOST_DIGITS = 16 };

static size_t count_digits(const char *bytes, size_t size)
{
    size_t count = 0;
    while (count < size && count <= MOST_DIGITS && strchr("0123456789abcdefABCDEF", bytes[count]) &&
           bytes[count])
        count++;
    return count;
}

/* The line before a chunk, which llhttp gets whole: it tells the chunk's size, but not how that was
 * written. */
static int64_t read_line(struct raffia_parser *parser, const char *bytes, size_t size)
{
    size_t most = MOST_DIGITS + parser->limits.extensions - parser->extra + 2;
    const char *end = memchr(bytes, '\n', size < most ? size : most);
    if (!end)
        return size < most ? 0
                           : raffia_parser_refuse(parser, 400, "the line of a chunk is too long");
    size_t line = (size_t)(end - bytes) + 1, digits = count_digits(bytes, line);
    if (digits == 0 || digits > MOST_DIGITS || line < digits + 2 || end[-1] != '\r')
        return raffia_parser_refuse(parser, 400, "the size of a chunk is not a hexadecimal number");
    if (line - digits - 2 > parser->limits.extensions - parser->extra)
        return raffia_parser_refuse(parser, 400, "chunk extensions are too long");
    int64_t taken = feed(parser, bytes, line);
    if (taken < 0) return taken;
    if (parser->step != CHUNK_DATA || (size_t)taken != line)
        return raffia_parser_refuse(parser, 400, "the line of a chunk is wrong");
    parser->extra += (uint32_t)(line - digits - 2);
    parser->left = parser->llhttp.content_length;
    if (parser->left == 0) parser->phase = RAFFIA_IN_TRAILERS;
    return parser->left > parser->limits.body - parser->body
               ? raffia_parser_refuse(parser, 413, "the body is too large")
               : taken;
}

static int64_t read_data(struct raffia_parser *parser, const char *bytes, size_t size,
                         struct raffia_slice *data)
{
    int64_t taken = read_counted(parser, size, data);
    parser->phase = RAFFIA_IN_BODY;
    if (parser->left == 0) parser->step = CHUNK_END;
    parser->body += (uint64_t)taken;
    return feed(parser, bytes, (size_t)taken);
}

static int64_t read_end(struct raffia_parser *parser, const char *bytes, size_t size)
{
    if (size < 2) return 0;
    parser->step = CHUNK_LINE;
    if (bytes[0] != '\r' || bytes[1] != '\n')
        return raffia_parser_refuse(parser, 400, "a chunk is longer than it says");
    return feed(parser, bytes, 2);
}

int64_t raffia_parser_read_body(struct raffia_parser *parser, const char *bytes, size_t size,
                                size_t most, struct raffia_slice *data)
{
    *data = (struct raffia_slice){0};
    if (parser->phase != RAFFIA_IN_BODY || size == 0) return 0;
    size_t room = size < most ? size : most;
    if (!parser->chunked) return read_counted(parser, room, data);
    parser->bytes = bytes;
    switch (parser->step) {
    case CHUNK_LINE: return read_line(parser, bytes, size);
    case CHUNK_DATA: return read_data(parser, bytes, room, data);
    default: return read_end(parser, bytes, size);
    }
}

/* Trailers */

int64_t raffia_parser_read_trailers(struct raffia_parser *parser,
                                    struct raffia_parser_head *trailers, const char *bytes,
                                    size_t size)
{
    if (parser->phase != RAFFIA_IN_TRAILERS || size == parser->fed) return 0;
    if (parser->fed == 0) {
        trailers->count = 0;
        trailers->fields[0] = (struct raffia_field){0};
    }
    parser->head = trailers;
    int complete = feed_further(parser, bytes, size, parser->limits.trailers);
    if (complete < 0) return complete;
    if (!complete)
        return parser->fed < parser->limits.trailers
                   ? 0
                   : raffia_parser_refuse(parser, 431, "the trailers are too large");
    parser->phase = RAFFIA_AT_END;
    int failure = raffia_parser_check_trailers(parser, trailers, bytes);
    return failure < 0 ? failure : (int64_t)parser->fed;
}

#endif
