/* The policy for heads beyond their grammar. Nothing is left to llhttp: its versions differ in what
 * they accept, and a request that a proxy reads differently is an attack. */
#include "http1_parser.h"

#ifdef HAVE_LLHTTP

#include <string.h>
#include <strings.h>

int raffia_slice_is(const char *bytes, struct raffia_slice slice, const char *text, size_t size)
{
    return slice.size == size && strncasecmp(bytes + slice.start, text, size) == 0;
}

#define IS(slice, text) raffia_slice_is(bytes, slice, text, sizeof(text) - 1)

enum { T = RAFFIA_IS_TOKEN, N = RAFFIA_IS_NAME, H = RAFFIA_IS_HEXADECIMAL };

const uint8_t raffia_kinds[256] = {
    ['!'] = T | N,
    ['#'] = T,
    ['$'] = T | N,
    ['%'] = T | N,
    ['&'] = T | N,
    ['\''] = T | N,
    ['('] = N,
    [')'] = N,
    ['*'] = T | N,
    ['+'] = T | N,
    [','] = N,
    ['-'] = T | N,
    ['.'] = T | N,
    [';'] = N,
    ['='] = N,
    ['^'] = T,
    ['_'] = T | N | RAFFIA_IS_UNDERSCORE,
    ['`'] = T,
    ['|'] = T,
    ['~'] = T | N,
    ['0'] = T | N | H,
    ['1'] = T | N | H,
    ['2'] = T | N | H,
    ['3'] = T | N | H,
    ['4'] = T | N | H,
    ['5'] = T | N | H,
    ['6'] = T | N | H,
    ['7'] = T | N | H,
    ['8'] = T | N | H,
    ['9'] = T | N | H,
    ['A'] = T | N | H,
    ['B'] = T | N | H,
    ['C'] = T | N | H,
    ['D'] = T | N | H,
    ['E'] = T | N | H,
    ['F'] = T | N | H,
    ['G'] = T | N,
    ['H'] = T | N,
    ['I'] = T | N,
    ['J'] = T | N,
    ['K'] = T | N,
    ['L'] = T | N,
    ['M'] = T | N,
    ['N'] = T | N,
    ['O'] = T | N,
    ['P'] = T | N,
    ['Q'] = T | N,
    ['R'] = T | N,
    ['S'] = T | N,
    ['T'] = T | N,
    ['U'] = T | N,
    ['V'] = T | N,
    ['W'] = T | N,
    ['X'] = T | N,
    ['Y'] = T | N,
    ['Z'] = T | N,
    ['a'] = T | N | H,
    ['b'] = T | N | H,
    ['c'] = T | N | H,
    ['d'] = T | N | H,
    ['e'] = T | N | H,
    ['f'] = T | N | H,
    ['g'] = T | N,
    ['h'] = T | N,
    ['i'] = T | N,
    ['j'] = T | N,
    ['k'] = T | N,
    ['l'] = T | N,
    ['m'] = T | N,
    ['n'] = T | N,
    ['o'] = T | N,
    ['p'] = T | N,
    ['q'] = T | N,
    ['r'] = T | N,
    ['s'] = T | N,
    ['t'] = T | N,
    ['u'] = T | N,
    ['v'] = T | N,
    ['w'] = T | N,
    ['x'] = T | N,
    ['y'] = T | N,
    ['z'] = T | N,
};

/* The classes that all of its bytes have; `some`: those that some have. */
static unsigned kinds_of(const char *bytes, struct raffia_slice slice, unsigned *some)
{
    unsigned all = slice.size > 0 ? UINT8_MAX : 0;
    for (uint32_t i = 0; i < slice.size; i++) {
        unsigned kinds = raffia_kinds[(unsigned char)bytes[slice.start + i]];
        all &= kinds;
        *some |= kinds;
    }
    return all;
}

/* field-vchar, obs-text, SP and HTAB of RFC 9110, 5.5 */
static int is_text_byte(unsigned char byte)
{
    return (byte >= ' ' && byte != 127) || byte == '\t';
}

/* Eight bytes at once: whether one of them may be below a space, or DEL. */
static int is_suspect(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t delete = word ^ ones * 127;
    return (((word - ones * ' ') & ~word) | ((delete - ones) & ~delete)) & tops ? 1 : 0;
}

static int is_text(const char *bytes, struct raffia_slice slice)
{
    const char *at = bytes + slice.start, *end = at + slice.size;
    while (at < end) {
        uint64_t word;
        if (end - at >= (ptrdiff_t)sizeof(word)) {
            memcpy(&word, at, sizeof(word));
            if (!is_suspect(word)) {
                at += sizeof(word);
                continue;
            }
        }
        if (!is_text_byte((unsigned char)*at++)) return 0;
    }
    return 1;
}

static int is_space(char byte)
{
    return byte == ' ' || byte == '\t';
}

static enum raffia_meaning meaning_of(const char *bytes, struct raffia_slice name)
{
    switch (name.size) {
    case 4: return IS(name, "host") ? RAFFIA_FIELD_HOST : RAFFIA_FIELD_OTHER;
    case 6: return IS(name, "expect") ? RAFFIA_FIELD_EXPECT : RAFFIA_FIELD_OTHER;
    case 7: return IS(name, "upgrade") ? RAFFIA_FIELD_UPGRADE : RAFFIA_FIELD_OTHER;
    case 10: return IS(name, "connection") ? RAFFIA_FIELD_CONNECTION : RAFFIA_FIELD_OTHER;
    case 12: return IS(name, "content-type") ? RAFFIA_FIELD_CONTENT_TYPE : RAFFIA_FIELD_OTHER;
    case 14: return IS(name, "content-length") ? RAFFIA_FIELD_CONTENT_LENGTH : RAFFIA_FIELD_OTHER;
    case 17:
        return IS(name, "transfer-encoding") ? RAFFIA_FIELD_TRANSFER_ENCODING : RAFFIA_FIELD_OTHER;
    default: return RAFFIA_FIELD_OTHER;
    }
}

/* Strips the space around a value. Returns whether it is one line, and only a colon follows the
 * name. `bytes` extend at least to the end of the head. */
static int is_line(const char *bytes, struct raffia_field *field)
{
    struct raffia_slice *value = &field->value;
    uint32_t colon = field->name.start + field->name.size;
    if (value->size == 0) value->start = colon + 1;
    uint32_t end = value->start + value->size;
    while (value->size > 0 && is_space(bytes[value->start + value->size - 1]))
        value->size--;
    while (is_space(bytes[end]))
        end++;
    return bytes[colon] == ':' && bytes[end] == '\r' && bytes[end + 1] == '\n';
}

static int judge_field(struct raffia_parser *parser, const char *bytes, struct raffia_field *field,
                       unsigned *some)
{
    if (!(kinds_of(bytes, field->name, some) & RAFFIA_IS_TOKEN))
        return raffia_parser_refuse(parser, 400, "the name of a header field is no token");
    if (!is_line(bytes, field))
        return raffia_parser_refuse(parser, 400, "a header field is not one line");
    if (!is_text(bytes, field->value))
        return raffia_parser_refuse(parser, 400,
                                    "the value of a header field has control characters");
    field->meaning = (uint8_t)meaning_of(bytes, field->name);
    return 0;
}

/* CGI makes the same variable of X-Y and X_Y, and a proxy sets or removes only one of them. */

static int fold(char byte)
{
    return byte == '_' ? '-' : byte >= 'A' && byte <= 'Z' ? byte + ('a' - 'A') : byte;
}

static int is_twin(const char *bytes, struct raffia_slice name, struct raffia_slice other)
{
    if (name.size != other.size || raffia_slice_is(bytes, other, bytes + name.start, name.size))
        return 0;
    for (uint32_t i = 0; i < name.size; i++)
        if (fold(bytes[name.start + i]) != fold(bytes[other.start + i])) return 0;
    return 1;
}

/* Whether it would be mistaken for a field with a meaning. */
static int is_disguise(const char *bytes, struct raffia_slice name)
{
    char folded[sizeof("transfer-encoding")];
    if (name.size >= sizeof(folded)) return 0;
    for (uint32_t i = 0; i < name.size; i++)
        folded[i] = (char)fold(bytes[name.start + i]);
    return meaning_of(folded, (struct raffia_slice){0, name.size}) != RAFFIA_FIELD_OTHER;
}

static int judge_underscores(struct raffia_parser *parser, const struct raffia_parser_head *head,
                             const char *bytes)
{
    for (uint32_t i = 0; i < head->count; i++) {
        struct raffia_slice name = head->fields[i].name;
        if (!memchr(bytes + name.start, '_', name.size)) continue;
        int collides = is_disguise(bytes, name);
        for (uint32_t j = 0; j < head->count && !collides; j++)
            collides = is_twin(bytes, name, head->fields[j].name);
        if (collides)
            return raffia_parser_refuse(parser, 400,
                                        "an underscore makes one header field look like another");
    }
    return 0;
}

/* The fields that frame a request, each at most once. */

struct findings {
    const struct raffia_field *of[RAFFIA_MEANINGS];
};

static int is_single(int meaning)
{
    return meaning == RAFFIA_FIELD_HOST || meaning >= RAFFIA_FIELD_CONTENT_TYPE;
}

static int find(struct raffia_parser *parser, const struct raffia_parser_head *head,
                struct findings *findings)
{
    for (uint32_t i = 0; i < head->count; i++) {
        const struct raffia_field *field = &head->fields[i],
                                  **place = &findings->of[field->meaning];
        if (*place && is_single(field->meaning))
            return raffia_parser_refuse(parser, 400,
                                        "a header field that may come once came twice");
        *place = field;
    }
    return 0;
}

/* Whether it is a list of codings that ends with "chunked", and has it once: RFC 9112, 6.1. */
static int is_chunked_last(const char *bytes, struct raffia_slice value)
{
    int chunked = 0;
    for (uint32_t at = value.start, end = value.start + value.size; at <= end; at++) {
        const char *comma = memchr(bytes + at, ',', end - at);
        uint32_t stop = comma ? (uint32_t)(comma - bytes) : end, last = stop;
        unsigned some = 0;
        while (at < last && is_space(bytes[at]))
            at++;
        while (last > at && is_space(bytes[last - 1]))
            last--;
        struct raffia_slice coding = {at, last - at};
        if (chunked || !(kinds_of(bytes, coding, &some) & RAFFIA_IS_TOKEN)) return 0;
        chunked = IS(coding, "chunked");
        at = stop;
    }
    return chunked;
}

static int judge_coding(struct raffia_parser *parser, const struct findings *findings,
                        const char *bytes)
{
    const struct raffia_field *coding = findings->of[RAFFIA_FIELD_TRANSFER_ENCODING];
    if (!coding) return 0;
    if (findings->of[RAFFIA_FIELD_CONTENT_LENGTH])
        return raffia_parser_refuse(parser, 400, "both Transfer-Encoding and Content-Length");
    if (parser->minor == 0)
        return raffia_parser_refuse(parser, 400, "HTTP/1.0 has no Transfer-Encoding");
    unsigned some = 0;
    if (!IS(coding->value, "chunked"))
        return kinds_of(bytes, coding->value, &some) & RAFFIA_IS_TOKEN ||
                       is_chunked_last(bytes, coding->value)
                   ? raffia_parser_refuse(parser, 501, "the transfer coding is not known")
                   : raffia_parser_refuse(parser, 400,
                                          "Transfer-Encoding is not exactly \"chunked\"");
    parser->chunked = 1;
    return 0;
}

static int judge_length(struct raffia_parser *parser, const struct findings *findings,
                        const char *bytes)
{
    const struct raffia_field *length = findings->of[RAFFIA_FIELD_CONTENT_LENGTH];
    if (!length) return 0;
    for (uint32_t i = 0; i < length->value.size; i++) {
        char digit = bytes[length->value.start + i];
        if (digit < '0' || digit > '9')
            return raffia_parser_refuse(parser, 400, "Content-Length is not a number");
        if (parser->left > (UINT64_MAX - 9) / 10)
            return raffia_parser_refuse(parser, 413, "the body is too large");
        parser->left = parser->left * 10 + (uint64_t)(digit - '0');
    }
    if (length->value.size == 0)
        return raffia_parser_refuse(parser, 400, "Content-Length is not a number");
    return parser->left > parser->limits.body
               ? raffia_parser_refuse(parser, 413, "the body is too large")
               : 0;
}

static int judge_expectation(struct raffia_parser *parser, const struct findings *findings,
                             const char *bytes)
{
    const struct raffia_field *expect = findings->of[RAFFIA_FIELD_EXPECT];
    if (!expect || parser->minor == 0) return 0;
    if (!IS(expect->value, "100-continue"))
        return raffia_parser_refuse(parser, 417, "only 100-continue can be expected");
    parser->expects = parser->chunked || parser->left > 0;
    return 0;
}

static int judge_framing(struct raffia_parser *parser, const struct raffia_parser_head *head,
                         const char *bytes)
{
    struct findings findings = {{NULL}};
    int failure = find(parser, head, &findings);
    if (!findings.of[RAFFIA_FIELD_HOST] && parser->minor > 0 && failure == 0)
        failure = raffia_parser_refuse(parser, 400, "HTTP/1.1 needs a Host");
    if (failure == 0) failure = judge_coding(parser, &findings, bytes);
    if (failure == 0) failure = judge_length(parser, &findings, bytes);
    if (failure == 0) failure = judge_expectation(parser, &findings, bytes);
    return failure;
}

static int judge_fields(struct raffia_parser *parser, struct raffia_parser_head *head,
                        const char *bytes)
{
    unsigned some = 0;
    for (uint32_t i = 0; i < head->count; i++) {
        int failure = judge_field(parser, bytes, &head->fields[i], &some);
        if (failure < 0) return failure;
    }
    return some & RAFFIA_IS_UNDERSCORE ? judge_underscores(parser, head, bytes) : 0;
}

int raffia_parser_check_head(struct raffia_parser *parser, struct raffia_parser_head *head,
                             const char *bytes)
{
    parser->method = llhttp_get_method(&parser->llhttp);
    parser->minor = llhttp_get_http_minor(&parser->llhttp);
    parser->chunked = parser->expects = 0;
    int failure = judge_fields(parser, head, bytes);
    if (failure == 0) failure = raffia_parser_check_target(parser, head, bytes);
    if (failure == 0) failure = judge_framing(parser, head, bytes);
    if (failure < 0) return failure;
    int has_body = parser->chunked || parser->left > 0;
    if (parser->method == HTTP_CONNECT && has_body)
        return raffia_parser_refuse(parser, 400, "CONNECT has no body");
    raffia_parser_set_persistence(parser, head, bytes);
    parser->phase = has_body ? RAFFIA_IN_BODY : RAFFIA_AT_END;
    parser->step = 0;
    return 0;
}

int raffia_parser_check_trailers(struct raffia_parser *parser, struct raffia_parser_head *trailers,
                                 const char *bytes)
{
    int failure = judge_fields(parser, trailers, bytes);
    for (uint32_t i = 0; i < trailers->count && failure == 0; i++)
        if (trailers->fields[i].meaning != RAFFIA_FIELD_OTHER)
            failure = raffia_parser_refuse(parser, 400, "a trailer that must be in the head");
    return failure;
}

#endif
