/* Whether the connection persists after a request, and with which protocol. llhttp decides that
 * too, but its versions differ: 9.2 does not see a "close" with a tab behind it. */
#include "http1_parser.h"

#ifdef HAVE_LLHTTP

#include <string.h>

enum { CLOSE = 1, KEEP_ALIVE = 2, UPGRADE = 4 };

static int is_space(char byte)
{
    return byte == ' ' || byte == '\t';
}

static int is(const char *bytes, struct raffia_slice name, const char *text)
{
    return raffia_slice_is(bytes, name, text, strlen(text));
}

static unsigned option(const char *bytes, struct raffia_slice name)
{
    return is(bytes, name, "close")        ? CLOSE
           : is(bytes, name, "keep-alive") ? KEEP_ALIVE
           : is(bytes, name, "upgrade")    ? UPGRADE
                                           : 0;
}

/* The options of a Connection field, between commas. */
static unsigned options_of(const char *bytes, struct raffia_slice value)
{
    unsigned options = 0;
    for (uint32_t start = value.start, end = value.start + value.size; start < end; start++) {
        const char *comma = memchr(bytes + start, ',', end - start);
        uint32_t stop = comma ? (uint32_t)(comma - bytes) : end, last = stop;
        while (start < last && is_space(bytes[start]))
            start++;
        while (last > start && is_space(bytes[last - 1]))
            last--;
        options |= option(bytes, (struct raffia_slice){start, last - start});
        start = stop;
    }
    return options;
}

void raffia_parser_set_persistence(struct raffia_parser *parser,
                                   const struct raffia_parser_head *head, const char *bytes)
{
    unsigned options = 0, protocols = 0;
    for (uint32_t i = 0; i < head->count; i++) {
        if (head->fields[i].meaning == RAFFIA_FIELD_CONNECTION)
            options |= options_of(bytes, head->fields[i].value);
        protocols |= head->fields[i].meaning == RAFFIA_FIELD_UPGRADE;
    }
    parser->keep_alive = !(options & CLOSE) && (parser->minor > 0 || options & KEEP_ALIVE);
    parser->upgrades =
        parser->method == HTTP_CONNECT || (options & UPGRADE && protocols && parser->minor > 0);
}

#endif
