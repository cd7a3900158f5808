/* Responses: heads, bodies, trailers. */
#include "http2_internal.h"

#ifdef HAVE_NGHTTP2

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ON_STACK = 64 };

static nghttp2_nv pair(const char *name, size_t name_size, const char *value, size_t value_size)
{
    return (nghttp2_nv){(uint8_t *)(uintptr_t)name, (uint8_t *)(uintptr_t)value, name_size,
                        value_size, NGHTTP2_NV_FLAG_NONE};
}

/* The status and the fields. NULL: no memory. */
static nghttp2_nv *list_fields(nghttp2_nv *list, const char status[3],
                               const struct raffia_http2_output_field *fields, size_t count)
{
    if (count >= ON_STACK) list = malloc((count + 1) * sizeof(*list));
    if (!list) return NULL;
    list[0] = pair(":status", 7, status, 3);
    for (size_t i = 0; i < count; i++)
        list[i + 1] =
            pair(fields[i].name, fields[i].name_size, fields[i].value, fields[i].value_size);
    return list;
}

static int result(int failure)
{
    if (failure == NGHTTP2_ERR_NOMEM) return -ENOMEM;
    return failure ? -EPIPE : 0;
}

static int send_fields(struct raffia_http2_stream *stream, int status,
                       const struct raffia_http2_output_field *fields, size_t count, int interim,
                       int end)
{
    nghttp2_session *nghttp2 = stream->session->nghttp2;
    nghttp2_nv space[ON_STACK];
    char digits[3] = {(char)('0' + status / 100 % 10), (char)('0' + status / 10 % 10),
                      (char)('0' + status % 10)};
    nghttp2_nv *list = list_fields(space, digits, fields, count);
    if (!list) return -ENOMEM;
    nghttp2_data_provider body = {.source.ptr = stream, .read_callback = raffia_http2_read_body};
    int failure =
        interim ? nghttp2_submit_headers(nghttp2, NGHTTP2_FLAG_NONE, stream->id, NULL, list,
                                         count + 1, NULL)
                : nghttp2_submit_response(nghttp2, stream->id, list, count + 1, end ? NULL : &body);
    if (list != space) free(list);
    return result(failure);
}

int raffia_http2_send_interim(struct raffia_http2_stream *stream, int status,
                              const struct raffia_http2_output_field *fields, size_t count)
{
    if (stream->closed) return -EPIPE;
    if (stream->responded) return -EINVAL;
    return send_fields(stream, status, fields, count, 1, 0);
}

int raffia_http2_send_head(struct raffia_http2_stream *stream, int status,
                           const struct raffia_http2_output_field *fields, size_t count, int end)
{
    if (stream->closed) return -EPIPE;
    if (stream->responded) return -EINVAL;
    int failure = send_fields(stream, status, fields, count, 0, end);
    if (failure) return failure;
    stream->responded = 1;
    stream->output_ended = stream->finished = end != 0;
    return 0;
}

static int resume(struct raffia_http2_stream *stream)
{
    if (!stream->deferred) return 0;
    stream->deferred = 0;
    return result(nghttp2_session_resume_data(stream->session->nghttp2, stream->id));
}

int raffia_http2_write(struct raffia_http2_stream *stream, const char *bytes, size_t size)
{
    if (stream->closed) return -EPIPE;
    if (!stream->responded || stream->finished) return -EINVAL;
    if (size == 0) return 0;
    if (raffia_http2_append(&stream->output, &stream->output_start, &stream->output_size,
                            &stream->output_capacity, bytes, size))
        return -ENOMEM;
    stream->session->buffered += size;
    raffia_http2_is_full(stream);
    return resume(stream);
}

uint32_t raffia_http2_output_limit(const struct raffia_http2_session *session)
{
    enum { MOST_BUFFERED = 256 << 10, SHARE = 8 << 10 };
    uint32_t limit = session->limits.output;
    return session->buffered > MOST_BUFFERED && limit > SHARE ? SHARE : limit;
}

int raffia_http2_is_full(struct raffia_http2_stream *stream)
{
    if (stream->output_size <= raffia_http2_output_limit(stream->session)) return 0;
    stream->full = 1;
    return 1;
}

size_t raffia_http2_room(struct raffia_http2_stream *stream)
{
    return raffia_http2_is_full(stream) ? 0 : raffia_http2_output_limit(stream->session);
}

size_t raffia_http2_buffered(const struct raffia_http2_stream *stream)
{
    return stream->output_size;
}

static char *copy(char **to, const char *bytes, size_t size)
{
    char *copied = *to;
    if (size) memcpy(copied, bytes, size);
    *to += size;
    return copied;
}

/* One piece of memory: the list, then all names and values. */
static struct raffia_http2_output_fields *
copy_fields(const struct raffia_http2_output_field *fields, size_t count)
{
    size_t size = sizeof(struct raffia_http2_output_fields) + count * sizeof(nghttp2_nv),
           list = size;
    for (size_t i = 0; i < count; i++)
        size += fields[i].name_size + fields[i].value_size;
    struct raffia_http2_output_fields *copied = malloc(size);
    if (!copied) return NULL;
    char *at = (char *)copied + list;
    copied->count = count;
    for (size_t i = 0; i < count; i++) {
        const char *name = copy(&at, fields[i].name, fields[i].name_size);
        const char *value = copy(&at, fields[i].value, fields[i].value_size);
        copied->list[i] = pair(name, fields[i].name_size, value, fields[i].value_size);
    }
    return copied;
}

int raffia_http2_finish(struct raffia_http2_stream *stream,
                        const struct raffia_http2_output_field *trailers, size_t count)
{
    if (stream->closed) return -EPIPE;
    if (stream->finished) return 0;
    if (!stream->responded) return -EINVAL;
    if (count > 0) {
        stream->output_trailers = copy_fields(trailers, count);
        if (!stream->output_trailers) return -ENOMEM;
    }
    stream->output_ended = stream->finished = 1;
    return resume(stream);
}

int raffia_http2_prioritize(struct raffia_http2_stream *stream, unsigned urgency, int incremental)
{
    nghttp2_extpri priority = {.urgency = urgency, .inc = incremental != 0};
    if (stream->closed) return -EPIPE;
    return result(nghttp2_session_change_extpri_stream_priority(stream->session->nghttp2,
                                                                stream->id, &priority, 1));
}

#endif
