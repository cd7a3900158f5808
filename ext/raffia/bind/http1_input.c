/* Receives input, and keeps it until it is consumed. Most requests come whole, and are consumed
 * before another fiber runs: they are read in memory that all connections of a thread share. Only
 * the rest gets memory of the connection's own, so thousands of idle connections have none. */
#include "http1_request.h"

#ifdef HAVE_LLHTTP

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "transfer.h"

/* SHARED: more than most requests have, and the most that one receive takes of a body. LEAST: the
 * least room behind bytes that are kept. */
enum { SHARED = 16 << 10, LEAST = 4 << 10 };

/* A Ractor may continue on another kernel thread after a switch, so the address must not be
 * kept. */
static _Thread_local struct {
    struct raffia_parser_head head;
    char bytes[SHARED];
} shared;

static __attribute__((noinline)) char *shared_bytes(void)
{
    return shared.bytes;
}

/* Holding */

static void make_room(struct http1_input *input, size_t room)
{
    size_t needed = input->length + room;
    if (input->start > 0 && input->start + needed > input->capacity) {
        memmove(input->bytes, input->bytes + input->start, input->length);
        input->start = 0;
    }
    if (input->start + needed <= input->capacity) return;
    size_t capacity = needed > 2 * input->capacity ? needed : 2 * input->capacity;
    char *bytes = realloc(input->bytes, capacity);
    if (!bytes) rb_memerror();
    input->bytes = bytes;
    input->capacity = capacity;
}

void raffia_http1_unshare(struct http1_request *request)
{
    struct http1_input *input = &request->input;
    if (input->shared == 0) return;
    make_room(input, input->shared);
    memcpy(input->bytes + input->start + input->length, shared_bytes() + input->shared_start,
           input->shared);
    input->length += input->shared;
    input->shared = 0;
}

void raffia_http1_keep_bytes(struct http1_request *request, const char *bytes, size_t size)
{
    struct http1_input *input = &request->input;
    if (size == 0) return;
    make_room(input, size);
    memcpy(input->bytes + input->start, bytes, size);
    input->length = size;
}

const char *raffia_http1_input_bytes(const struct http1_request *request, size_t *size)
{
    const struct http1_input *input = &request->input;
    *size = input->shared ? input->shared : input->length;
    return input->shared ? shared_bytes() + input->shared_start : input->bytes + input->start;
}

static void give_back(struct http1_input *input)
{
    free(input->bytes);
    input->bytes = NULL;
    input->start = input->capacity = 0;
}

void raffia_http1_consume(struct http1_request *request, size_t count)
{
    struct http1_input *input = &request->input;
    if (input->shared) {
        input->shared -= count;
        input->shared_start += count;
        return;
    }
    input->length -= count;
    input->start += count;
    if (input->length == 0) give_back(input);
}

struct raffia_parser_head *raffia_http1_head(struct http1_request *request)
{
    return request->input.head ? request->input.head : &shared.head;
}

void raffia_http1_unshare_head(struct http1_request *request)
{
    if (request->input.head) return;
    struct raffia_parser_head *head = malloc(sizeof(*head));
    if (!head) rb_memerror();
    *head = shared.head;
    request->input.head = head;
}

void raffia_http1_free_head(struct http1_request *request)
{
    free(request->input.head);
    request->input.head = NULL;
}

/* Receiving */

static int64_t arrived(struct http1_request *request, int64_t count, size_t room)
{
    struct http1_input *input = &request->input;
    input->drained = count < (int64_t)room;
    if (count <= 0) return count;
    request->transport.received += (uint64_t)count;
    if (input->length > 0) {
        input->length += (size_t)count;
    } else {
        input->shared = (size_t)count;
        input->shared_start = 0;
    }
    return count;
}

static int64_t receive_directly(struct http1_request *request)
{
    struct http1_input *input = &request->input;
    int fd = raffia_http_descriptor(&request->transport);
    if (input->length == 0)
        return arrived(request, raffia_try_receive(fd, shared_bytes(), SHARED), SHARED);
    make_room(input, input->parser.phase == RAFFIA_IN_HEAD ? LEAST : SHARED);
    size_t end = input->start + input->length, room = input->capacity - end;
    return arrived(request, raffia_try_receive(fd, input->bytes + end, room), room);
}

/* TLS may have to write before it can read. */
static int64_t receive_with_ruby(struct http1_request *request, uint32_t *events)
{
    struct http1_input *input = &request->input;
    VALUE bytes = raffia_http_read_record(&request->transport, events);
    if (NIL_P(bytes)) return 0;
    if (bytes == Qundef) return -EAGAIN;
    size_t size = (size_t)RSTRING_LEN(bytes);
    make_room(input, size);
    memcpy(input->bytes + input->start + input->length, RSTRING_PTR(bytes), size);
    RB_GC_GUARD(bytes);
    input->length += size;
    request->transport.received += size;
    return (int64_t)size;
}

static int64_t receive(struct http1_request *request, uint32_t *events)
{
    return request->transport.native ? receive_directly(request)
                                     : receive_with_ruby(request, events);
}

/* Receives in a row without a wait, before other fibers run. */
enum { TURN = 16 };

/* A short receive took all there was, and trying again costs a system call: a peer takes longer to
 * answer. Input that TLS has read ahead is announced by no event, so there other fibers only get a
 * turn. */
static int waits_first(struct http1_request *request)
{
    struct http1_input *input = &request->input;
    if (request->transport.native) return input->drained || ++input->streak >= TURN;
    if (++input->streak < TURN) return 0;
    input->streak = 0;
    raffia_http_yield();
    return 0;
}

static int64_t time_left(int64_t deadline)
{
    if (deadline == RAFFIA_FOREVER) return RAFFIA_NO_LIMIT;
    int64_t left = deadline - raffia_coarse_now();
    return left > 0 ? left : 0;
}

static int is_gone(int64_t result)
{
    return result == -ECONNRESET || result == -EPIPE || result == -ETIMEDOUT || result == -ENOTCONN;
}

int64_t raffia_http1_receive_input(struct http1_request *request, int64_t deadline)
{
    uint32_t events = RAFFIA_READABLE;
    int64_t count = waits_first(request) ? -EAGAIN : receive(request, &events);
    while (count == -EAGAIN) {
        request->input.streak = 0;
        if (!raffia_http_wait(&request->transport, events, time_left(deadline))) return -ETIME;
        count = receive(request, &events);
    }
    return is_gone(count) ? 0 : raffia_check(count, "recv");
}

int64_t raffia_http1_receive_first(struct http1_request *request, int64_t deadline)
{
    uint32_t events = RAFFIA_READABLE;
    if (!request->movable.entry || request->input.length > 0)
        return raffia_http1_receive_input(request, deadline);
    if (raffia_http1_pass_on(&request->transport, &request->movable)) return 0;
    int64_t count = waits_first(request) ? -EAGAIN : receive(request, &events);
    while (count == -EAGAIN) {
        request->input.streak = 0;
        int ready =
            raffia_http1_wait_idle(&request->transport, &request->movable, time_left(deadline));
        if (ready <= 0) return ready == 0 ? -ETIME : 0;
        count = receive(request, &events);
    }
    return is_gone(count) ? 0 : raffia_check(count, "recv");
}

size_t raffia_http1_receive_into(struct http1_request *request, char *start, size_t room)
{
    if (!request->transport.native || request->input.drained) return 0;
    int64_t count = raffia_try_receive(raffia_http_descriptor(&request->transport), start, room);
    request->input.drained = count < (int64_t)room;
    if (count <= 0) return 0; /* the next receive reports it */
    request->transport.received += (uint64_t)count;
    return (size_t)count;
}

#endif
