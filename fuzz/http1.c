/* The parser against itself, whole and in parts, and what it lets through against the strictest
 * reading of it: lines that end as they must, one Host, one way to tell where the body ends, and
 * chunks that a decoder of a few lines understands in the same way.
 *
 * The first byte of an input chooses limits, the second how the rest is cut. */
#include "http1_parser.h"
#include "input.h"

#include <stdio.h>
#include <strings.h>

enum { ROOM = 1 << 16 };

/* The output of one run; `data` has the bodies as well. */
struct outcome {
    char text[ROOM], data[ROOM];
    size_t size, data_size;
};

static struct outcome whole, parts;
static struct raffia_parser_head head;

static void note(struct outcome *outcome, const char *bytes, size_t size)
{
    MUST(outcome->size + size < ROOM);
    memcpy(outcome->text + outcome->size, bytes, size);
    outcome->size += size;
}

static void note_number(struct outcome *outcome, int64_t number)
{
    note(outcome, (const char *)&number, sizeof(number));
}

static void note_slice(struct outcome *outcome, const char *bytes, size_t size,
                       struct raffia_slice slice)
{
    MUST(slice.size == 0 || slice.start + slice.size <= size);
    note_number(outcome, slice.size);
    note(outcome, bytes + slice.start, slice.size);
}

static void note_fields(struct outcome *outcome, const char *bytes, size_t size)
{
    note_number(outcome, head.count);
    for (uint32_t i = 0; i < head.count; i++) {
        note_slice(outcome, bytes, size, head.fields[i].name);
        note_slice(outcome, bytes, size, head.fields[i].value);
    }
}

/* The strictest reading */

static int names(const char *line, size_t size, const char *name)
{
    size_t length = strlen(name);
    return length < size && strncasecmp(line, name, length) == 0 && line[length] == ':';
}

/* How many lines there are, the empty one at the end included, and how many of them have that
 * name. */
static uint32_t count_lines(const char *bytes, size_t size, const char *name, uint32_t *named)
{
    uint32_t lines = 0;
    *named = 0;
    for (size_t i = 0; i < size; i++) {
        MUST(bytes[i] != 0);
        if (bytes[i] == '\r') MUST(i + 1 < size && bytes[i + 1] == '\n');
        if (bytes[i] != '\n') continue;
        MUST(i > 0 && bytes[i - 1] == '\r');
        lines++;
        MUST(i + 1 == size || (bytes[i + 1] != ' ' && bytes[i + 1] != '\t'));
        if (names(bytes + i + 1, size - i - 1, name)) ++*named;
    }
    return lines;
}

static void must_be_strict(const struct raffia_parser *parser, const char *bytes, size_t size)
{
    uint32_t hosts, lengths, codings;
    uint32_t lines = count_lines(bytes + parser->lead, size - parser->lead, "host", &hosts);
    count_lines(bytes, size, "content-length", &lengths);
    count_lines(bytes, size, "transfer-encoding", &codings);
    MUST(memcmp(bytes + size - 4, "\r\n\r\n", 4) == 0);
    MUST(lines == head.count + 2);
    MUST(hosts == 1 || (hosts == 0 && parser->minor == 0));
    MUST(lengths + codings <= 1 && codings == parser->chunked);
    MUST(head.target.size <= parser->limits.request_line && size <= parser->limits.head);
    MUST(head.count <= parser->limits.fields);
}

/* Decodes chunks, of which is known that they are right. Their size, with the last one's line. */
static size_t decode(const char *bytes, size_t size, char *data, size_t *data_size)
{
    size_t done = 0;
    *data_size = 0;
    for (;;) {
        size_t chunk = strtoul(bytes + done, NULL, 16);
        const char *end = memchr(bytes + done, '\n', size - done);
        MUST(end);
        done = (size_t)(end - bytes) + 1;
        if (chunk == 0) return done;
        MUST(chunk + 2 <= size - done);
        memcpy(data + *data_size, bytes + done, chunk);
        *data_size += chunk;
        done += chunk + 2;
    }
}

static void must_decode(const struct outcome *outcome, size_t from, const char *bytes, size_t size)
{
    static char data[ROOM];
    size_t data_size;
    decode(bytes, size, data, &data_size);
    MUST(outcome->data_size - from == data_size);
    MUST(memcmp(outcome->data + from, data, data_size) == 0);
}

/* Runs */

struct run {
    struct raffia_parser parser;
    struct outcome *outcome;
    size_t body; /* where it begins, in the input and in the outcome */
    size_t body_data;
};

static int64_t read_head(struct run *run, const char *bytes, size_t size)
{
    struct raffia_parser *parser = &run->parser;
    int64_t taken = raffia_parser_read_head(parser, &head, bytes, size);
    if (taken <= 0) return taken;
    must_be_strict(parser, bytes, (size_t)taken);
    note_number(run->outcome, parser->method << 8 | parser->minor << 7 | parser->keep_alive << 3 |
                                  parser->chunked << 2 | parser->expects << 1 | parser->upgrades);
    struct raffia_slice slices[] = {head.target, head.path, head.query, head.host, head.port};
    for (size_t i = 0; i < sizeof(slices) / sizeof(*slices); i++)
        note_slice(run->outcome, bytes, (size_t)taken, slices[i]);
    note_fields(run->outcome, bytes, (size_t)taken);
    return taken;
}

static int64_t read_body(struct run *run, const char *bytes, size_t size, size_t most)
{
    struct raffia_slice data;
    int64_t taken = raffia_parser_read_body(&run->parser, bytes, size, most, &data);
    MUST(data.size <= most && data.start + data.size <= size);
    if (taken < 0) return taken;
    memcpy(run->outcome->data + run->outcome->data_size, bytes + data.start, data.size);
    run->outcome->data_size += data.size;
    return taken;
}

static int64_t read_trailers(struct run *run, const char *bytes, size_t size)
{
    int64_t taken = raffia_parser_read_trailers(&run->parser, &head, bytes, size);
    if (taken > 0) note_fields(run->outcome, bytes, (size_t)taken);
    return taken;
}

/* How many of these bytes were consumed, or a refusal. `before`: the input in front of them. */
static int64_t read_all(struct run *run, const char *input, size_t before, size_t size, size_t most)
{
    char *copy = memcpy(malloc(size + 1), input + before, size);
    copy = realloc(copy, size > 0 ? size : 1);
    size_t done = 0;
    int64_t taken;
    do {
        int phase = run->parser.phase;
        const char *bytes = copy + done;
        size_t left = size - done;
        taken = phase == RAFFIA_IN_HEAD   ? read_head(run, bytes, left)
                : phase == RAFFIA_IN_BODY ? read_body(run, bytes, left, most)
                                          : read_trailers(run, bytes, left);
        MUST(taken <= (int64_t)left);
        if (taken < 0) break;
        done += (size_t)taken;
        if (phase == RAFFIA_IN_HEAD && taken > 0) {
            run->body = before + done;
            run->body_data = run->outcome->data_size;
        }
        if (phase == RAFFIA_IN_BODY && run->parser.phase == RAFFIA_IN_TRAILERS)
            must_decode(run->outcome, run->body_data, input + run->body, before + done - run->body);
        if (run->parser.phase == RAFFIA_AT_END) raffia_parser_next(&run->parser);
    } while (taken > 0);
    free(copy);
    return taken < 0 ? taken : (int64_t)done;
}

static void run_through(struct outcome *outcome, const char *input, size_t size, uint8_t small,
                        size_t first, size_t further)
{
    static const struct raffia_parser_limits limits = {.request_line = 60,
                                                       .head = 200,
                                                       .fields = 5,
                                                       .name = 20,
                                                       .extensions = 12,
                                                       .trailers = 40,
                                                       .body = 30};
    struct run run = {.outcome = outcome};
    size_t done = 0, end = first < size ? first : size;
    outcome->size = outcome->data_size = 0;
    raffia_parser_init(&run.parser, small & 1 ? &limits : &raffia_parser_defaults);
    for (;;) {
        int64_t taken = read_all(&run, input, done, end - done, small & 2 ? 3 : SIZE_MAX);
        if (taken < 0) note_number(outcome, taken);
        if (taken < 0) note(outcome, run.parser.reason, strlen(run.parser.reason));
        if (taken < 0 || end == size) return;
        done += (size_t)taken;
        end = size - end > further ? end + further : size;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct input input = {bytes, size};
    uint8_t small = (uint8_t)take(&input, 1), cut = (uint8_t)take(&input, 1);
    const char *rest = (const char *)input.bytes;
    run_through(&whole, rest, input.left, small, input.left, 1);
    run_through(&parts, rest, input.left, small, cut, cut & 1 ? 1 : 1 + cut / 4);
    MUST(whole.size == parts.size && memcmp(whole.text, parts.text, whole.size) == 0);
    MUST(whole.data_size == parts.data_size &&
         memcmp(whole.data, parts.data, whole.data_size) == 0);
    return 0;
}
