/* The request line: a target of one of the four forms of RFC 9112, 3.2, and the requested host. */
#include "http1_parser.h"

#ifdef HAVE_LLHTTP

#include <string.h>
#include <strings.h>

static struct raffia_slice part(uint32_t start, uint32_t end)
{
    return (struct raffia_slice){start, end - start};
}

static uint32_t end_of(struct raffia_slice slice)
{
    return slice.start + slice.size;
}

/* The position of the byte, or the end. */
static uint32_t find(const char *bytes, uint32_t start, uint32_t end, char byte)
{
    const char *found = memchr(bytes + start, byte, end - start);
    return found ? (uint32_t)(found - bytes) : end;
}

/* METHOD SP target SP HTTP/1.minor CRLF: llhttp knows RTSP and ICE as well. */
static int is_request_line(const struct raffia_parser *parser,
                           const struct raffia_parser_head *head, const char *bytes)
{
    const char *method = llhttp_method_name((llhttp_method_t)parser->method);
    size_t size = strlen(method);
    const char *rest = bytes + end_of(head->target);
    char version[] = {' ',  'H', 'T', 'T', 'P', '/', '1', '.', (char)('0' + parser->minor),
                      '\r', '\n'};
    return head->target.size > 0 && head->target.start == parser->lead + size + 1 &&
           memcmp(bytes + parser->lead, method, size) == 0 &&
           bytes[head->target.start - 1] == ' ' && memcmp(rest, version, sizeof(version)) == 0;
}

/* A fragment is never sent, and space would end the target. */
static int is_clean(const char *bytes, struct raffia_slice target)
{
    unsigned bad = 0;
    for (uint32_t i = 0; i < target.size; i++) {
        unsigned char byte = (unsigned char)bytes[target.start + i];
        bad |= (byte <= ' ') | (byte == 127) | (byte == '#');
    }
    return !bad;
}

/* Hosts */

static int is_a(int kind, char byte)
{
    return raffia_kinds[(unsigned char)byte] & kind;
}

static int is_encoded(const char *bytes, uint32_t start, uint32_t end)
{
    for (uint32_t i = start; i < end; i++)
        if (bytes[i] == '%' && (end - i < 3 || !is_a(RAFFIA_IS_HEXADECIMAL, bytes[i + 1]) ||
                                !is_a(RAFFIA_IS_HEXADECIMAL, bytes[i + 2])))
            return 0;
    return 1;
}

static int is_host(const char *bytes, struct raffia_slice host)
{
    uint32_t start = host.start, end = end_of(host);
    int is_literal = host.size > 2 && bytes[start] == '[' && bytes[end - 1] == ']';
    if (is_literal) {
        start++;
        end--;
    }
    for (uint32_t i = start; i < end; i++)
        if (is_literal
                ? !(is_a(RAFFIA_IS_HEXADECIMAL, bytes[i]) || bytes[i] == ':' || bytes[i] == '.')
                : !is_a(RAFFIA_IS_NAME, bytes[i]))
            return 0;
    return start < end &&
           (!memchr(bytes + start, '%', end - start) || is_encoded(bytes, start, end));
}

static int is_port(const char *bytes, struct raffia_slice port)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < port.size && number <= UINT16_MAX; i++) {
        char digit = bytes[port.start + i];
        if (digit < '0' || digit > '9') return 0;
        number = number * 10 + (uint32_t)(digit - '0');
    }
    return number <= UINT16_MAX && port.size <= 5;
}

int raffia_split_authority(const char *bytes, struct raffia_slice authority,
                           struct raffia_slice *host, struct raffia_slice *port)
{
    uint32_t start = authority.start, end = end_of(authority);
    uint32_t literal =
        authority.size > 0 && bytes[start] == '[' ? find(bytes, start, end, ']') : start;
    uint32_t colon = find(bytes, literal, end, ':');
    *host = part(start, colon);
    *port = part(colon < end ? colon + 1 : end, end);
    return is_host(bytes, *host) && is_port(bytes, *port);
}

/* Targets */

static void split_path(struct raffia_parser_head *head, const char *bytes, uint32_t start)
{
    uint32_t end = end_of(head->target), query = find(bytes, start, end, '?');
    head->path = part(start, query);
    head->query = part(query < end ? query + 1 : end, end);
}

static const struct raffia_field *host_field(const struct raffia_parser_head *head)
{
    for (uint32_t i = 0; i < head->count; i++)
        if (head->fields[i].meaning == RAFFIA_FIELD_HOST) return &head->fields[i];
    return NULL;
}

static uint32_t scheme_size(const char *bytes, struct raffia_slice target)
{
    const char *start = bytes + target.start;
    if (target.size > 7 && strncasecmp(start, "http://", 7) == 0) return 7;
    return target.size > 8 && strncasecmp(start, "https://", 8) == 0 ? 8 : 0;
}

/* A proxy may have routed by one of them, and this server by the other. */
static int judge_absolute(struct raffia_parser *parser, struct raffia_parser_head *head,
                          const char *bytes, const struct raffia_field *field)
{
    uint32_t start = head->target.start + scheme_size(bytes, head->target),
             end = end_of(head->target);
    uint32_t query = find(bytes, start, end, '?'), path = find(bytes, start, query, '/');
    struct raffia_slice authority = part(start, path);
    if (!raffia_split_authority(bytes, authority, &head->host, &head->port))
        return raffia_parser_refuse(parser, 400, "the host of the target is none");
    split_path(head, bytes, path);
    if (field && !raffia_slice_is(bytes, field->value, bytes + authority.start, authority.size))
        return raffia_parser_refuse(parser, 400, "the target is of another host than Host");
    return 0;
}

static int judge_tunnel(struct raffia_parser *parser, struct raffia_parser_head *head,
                        const char *bytes)
{
    head->path = head->target;
    head->query = part(end_of(head->target), end_of(head->target));
    return raffia_split_authority(bytes, head->target, &head->host, &head->port) &&
                   head->port.size > 0
               ? 0
               : raffia_parser_refuse(parser, 400, "CONNECT needs a host and a port");
}

static int judge_form(struct raffia_parser *parser, struct raffia_parser_head *head,
                      const char *bytes, const struct raffia_field *host)
{
    struct raffia_slice target = head->target;
    if (parser->method == HTTP_CONNECT) return judge_tunnel(parser, head, bytes);
    if (scheme_size(bytes, target)) return judge_absolute(parser, head, bytes, host);
    if (bytes[target.start] != '/' &&
        !(target.size == 1 && bytes[target.start] == '*' && parser->method == HTTP_OPTIONS))
        return raffia_parser_refuse(parser, 400, "the target is no path");
    split_path(head, bytes, target.start);
    return 0;
}

int raffia_parser_check_target(struct raffia_parser *parser, struct raffia_parser_head *head,
                               const char *bytes)
{
    const struct raffia_field *host = host_field(head);
    if (parser->llhttp.http_major != 1 || parser->minor > 1)
        return raffia_parser_refuse(parser, 505, "only HTTP/1.0 and HTTP/1.1 are spoken here");
    if (!is_request_line(parser, head, bytes))
        return raffia_parser_refuse(parser, 400, "the request line is malformed");
    if (!is_clean(bytes, head->target))
        return raffia_parser_refuse(parser, 400, "the target has characters that must be encoded");
    int failure = judge_form(parser, head, bytes, host);
    if (failure < 0 || !host) return failure;
    return raffia_split_authority(bytes, host->value, &head->host, &head->port)
               ? 0
               : raffia_parser_refuse(parser, 400, "Host is not a host");
}

#endif
