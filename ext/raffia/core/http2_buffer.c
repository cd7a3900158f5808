#include "http2_internal.h"

#ifdef HAVE_NGHTTP2

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTES = 512, FIRST_FIELDS = 16 };

int raffia_http2_reserve(char **bytes, size_t *start, size_t size, size_t *capacity, size_t more)
{
    if (*start + size + more <= *capacity) return 0;
    /* A quarter stays free, so that bytes are moved seldom. */
    if (size + more <= *capacity / 4 * 3) {
        memmove(*bytes, *bytes + *start, size);
        *start = 0;
        return 0;
    }
    size_t larger = *capacity ? *capacity + *capacity / 4 : FIRST_BYTES;
    if (larger < (size + more + 3) / 3 * 4) larger = (size + more + 3) / 3 * 4;
    char *moved = malloc(larger);
    if (!moved) return -ENOMEM;
    if (size) memcpy(moved, *bytes + *start, size);
    free(*bytes);
    *bytes = moved;
    *start = 0;
    *capacity = larger;
    return 0;
}

int raffia_http2_append(char **bytes, size_t *start, size_t *size, size_t *capacity,
                        const char *more, size_t count)
{
    if (*size == 0) *start = 0;
    if (raffia_http2_reserve(bytes, start, *size, capacity, count)) return -ENOMEM;
    if (count) memcpy(*bytes + *start + *size, more, count);
    *size += count;
    return 0;
}

int raffia_http2_enlarge(char **bytes, size_t *capacity, size_t size)
{
    if (*capacity >= size) return 0;
    char *larger = malloc(size);
    if (!larger) return -ENOMEM;
    free(*bytes);
    *bytes = larger;
    *capacity = size;
    return 0;
}

void raffia_http2_drop_large(char **bytes, size_t *capacity)
{
    if (*capacity <= RAFFIA_HTTP2_KEPT) return;
    free(*bytes);
    *bytes = NULL;
    *capacity = 0;
}

int raffia_http2_add_slice(struct raffia_http2_fields *fields, struct raffia_http2_slice *slice,
                           const uint8_t *bytes, size_t size)
{
    if (fields->capacity - fields->size < size) {
        size_t capacity = fields->capacity ? fields->capacity : FIRST_BYTES;
        while (capacity - fields->size < size)
            capacity *= 2;
        char *larger = realloc(fields->bytes, capacity);
        if (!larger) return -ENOMEM;
        fields->bytes = larger;
        fields->capacity = (uint32_t)capacity;
    }
    *slice = (struct raffia_http2_slice){fields->size, (uint32_t)size};
    if (size) memcpy(fields->bytes + fields->size, bytes, size);
    fields->size += (uint32_t)size;
    return 0;
}

int raffia_http2_add_field(struct raffia_http2_fields *fields, const uint8_t *name,
                           size_t name_size, const uint8_t *value, size_t value_size)
{
    if (fields->count == fields->places) {
        uint32_t places = fields->places ? fields->places * 2 : FIRST_FIELDS;
        struct raffia_http2_field *list = realloc(fields->list, places * sizeof(*list));
        if (!list) return -ENOMEM;
        fields->list = list;
        fields->places = places;
    }
    struct raffia_http2_field *field = &fields->list[fields->count];
    if (raffia_http2_add_slice(fields, &field->name, name, name_size) ||
        raffia_http2_add_slice(fields, &field->value, value, value_size))
        return -ENOMEM;
    fields->count++;
    return 0;
}

void raffia_http2_clear_fields(struct raffia_http2_fields *fields)
{
    free(fields->bytes);
    free(fields->list);
    memset(fields, 0, sizeof(*fields));
}

#endif
