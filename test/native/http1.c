#include "http1.h"

#ifdef HAVE_LLHTTP

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"

struct transcript {
    struct raffia_parser parser;
    struct raffia_parser_head head;
    FILE *text;
    int in_body;
};

static void print_slice(FILE *text, const char *bytes, struct raffia_slice slice)
{
    fwrite(bytes + slice.start, 1, slice.size, text);
}

static void print_fields(struct transcript *transcript, const char *bytes)
{
    for (uint32_t i = 0; i < transcript->head.count; i++) {
        const struct raffia_field *field = &transcript->head.fields[i];
        fputc(' ', transcript->text);
        print_slice(transcript->text, bytes, field->name);
        fputc('=', transcript->text);
        print_slice(transcript->text, bytes, field->value);
    }
}

static void print_head(struct transcript *transcript, const char *bytes)
{
    const struct raffia_parser *parser = &transcript->parser;
    const struct raffia_parser_head *head = &transcript->head;
    fprintf(transcript->text, "[%s ", llhttp_method_name((llhttp_method_t)parser->method));
    print_slice(transcript->text, bytes, head->path);
    fputc('?', transcript->text);
    print_slice(transcript->text, bytes, head->query);
    fprintf(transcript->text, " 1.%d ", parser->minor);
    print_slice(transcript->text, bytes, head->host);
    fputc(':', transcript->text);
    print_slice(transcript->text, bytes, head->port);
    if (parser->keep_alive) fputs(" keep", transcript->text);
    if (parser->expects) fputs(" expects", transcript->text);
    if (parser->upgrades) fputs(" upgrades", transcript->text);
    print_fields(transcript, bytes);
    fputc(']', transcript->text);
}

static int64_t read_head(struct transcript *transcript, const char *bytes, size_t size)
{
    int64_t taken = raffia_parser_read_head(&transcript->parser, &transcript->head, bytes, size);
    if (taken > 0) print_head(transcript, bytes);
    return taken;
}

static void print_data(struct transcript *transcript, const char *bytes, struct raffia_slice data)
{
    if (data.size > 0 && !transcript->in_body) fputc('{', transcript->text);
    if (data.size > 0) transcript->in_body = 1;
    print_slice(transcript->text, bytes, data);
}

static int64_t read_body(struct transcript *transcript, const char *bytes, size_t size)
{
    struct raffia_slice data;
    int64_t taken = raffia_parser_read_body(&transcript->parser, bytes, size, 1 + size / 2, &data);
    CHECK(data.size <= 1 + size / 2 && data.start + data.size <= size);
    if (taken >= 0) print_data(transcript, bytes, data);
    return taken;
}

static int64_t read_trailers(struct transcript *transcript, const char *bytes, size_t size)
{
    int64_t taken =
        raffia_parser_read_trailers(&transcript->parser, &transcript->head, bytes, size);
    if (taken > 0 && transcript->head.count > 0) {
        if (transcript->in_body) fputc('}', transcript->text);
        transcript->in_body = 0;
        fputc('(', transcript->text);
        print_fields(transcript, bytes);
        fputc(')', transcript->text);
    }
    return taken;
}

static int64_t end_request(struct transcript *transcript)
{
    if (transcript->in_body) fputc('}', transcript->text);
    transcript->in_body = 0;
    fputc('.', transcript->text);
    raffia_parser_next(&transcript->parser);
    return 0;
}

static int64_t step(struct transcript *transcript, const char *bytes, size_t size)
{
    switch (transcript->parser.phase) {
    case RAFFIA_IN_HEAD: return read_head(transcript, bytes, size);
    case RAFFIA_IN_BODY: return read_body(transcript, bytes, size);
    case RAFFIA_IN_TRAILERS: return read_trailers(transcript, bytes, size);
    default: return end_request(transcript);
    }
}

/* Parses as much of these bytes as possible. Returns how many were consumed, or a refusal. They are
 * copied to memory of just that size, where a sanitizer sees reads beyond it. */
static int64_t read_all(struct transcript *transcript, const char *bytes, size_t size)
{
    char *copy = memcpy(malloc(size + 1), bytes, size);
    copy = realloc(copy, size > 0 ? size : 1);
    size_t done = 0;
    int64_t taken;
    int phase;
    do {
        phase = transcript->parser.phase;
        taken = step(transcript, copy + done, size - done);
        CHECK(taken <= (int64_t)(size - done));
        if (taken > 0) done += (size_t)taken;
    } while (taken > 0 || (taken == 0 && transcript->parser.phase != phase));
    free(copy);
    return taken < 0 ? taken : (int64_t)done;
}

static int64_t read_parts(struct transcript *transcript, const char *bytes, size_t size,
                          size_t first, size_t further)
{
    size_t done = 0, end = first < size ? first : size;
    for (;;) {
        int64_t taken = read_all(transcript, bytes + done, end - done);
        if (taken < 0 || end == size) return taken;
        done += (size_t)taken;
        end = size - end > further ? end + further : size;
    }
}

char *http1_transcript(const char *bytes, size_t size, const struct raffia_parser_limits *limits,
                       size_t first, size_t further)
{
    char *text = NULL;
    size_t length = 0;
    struct transcript transcript = {.text = open_memstream(&text, &length)};
    raffia_parser_init(&transcript.parser, limits);
    int64_t taken = read_parts(&transcript, bytes, size, first, further);
    if (taken < 0)
        fprintf(transcript.text, "!%d %s", (int)-taken, transcript.parser.reason);
    else if (transcript.parser.phase != RAFFIA_IN_HEAD || transcript.parser.fed > 0)
        fputc('~', transcript.text);
    fclose(transcript.text);
    return text;
}

static void check_cut(const char *bytes, size_t size, const struct raffia_parser_limits *limits,
                      const char *expected, size_t first, size_t further)
{
    char *text = http1_transcript(bytes, size, limits, first, further);
    if (strncmp(text, expected, strlen(expected)) != 0 ||
        (!strchr(expected, '!') && strcmp(text, expected) != 0))
        printf("cut at %zu: %.*s\nis       %s\nand not  %s\n", first, (int)size, bytes, text,
               expected);
    CHECK(strncmp(text, expected, strlen(expected)) == 0);
    CHECK(strchr(expected, '!') || strcmp(text, expected) == 0);
    free(text);
}

void http1_check(const char *bytes, size_t size, const struct raffia_parser_limits *limits,
                 const char *expected)
{
    check_cut(bytes, size, limits, expected, size, 1);
    check_cut(bytes, size, limits, expected, 1, 1);
    size_t stride = size > 2000 ? size / 500 : 1;
    for (size_t first = 1; first < size; first += stride)
        check_cut(bytes, size, limits, expected, first, size);
}

#else
typedef int nothing;
#endif
