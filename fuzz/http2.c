/* A session of HTTP/2 whose client sends frames of all kinds, good and bad, and whose streams are
 * answered, read, reset and released in any order. Its output must stay well-formed, each stream
 * must begin with its request and end for all, and memory must stay bounded. */
#include "http2_internal.h"
#include "input.h"

#include <errno.h>

enum { TABLE = 64, IDS = 256, MOST = 1 << 20, BODY = 40000 };

struct live {
    struct raffia_http2_stream *stream;
    uint32_t written;
};

/* The output's view of a stream. */
struct sent {
    uint8_t head, ended, reset, any;
    uint32_t size;
};

struct fuzz {
    struct input *input;
    struct raffia_http2_session *session;
    struct raffia_http2_limits limits;
    int64_t now;
    int32_t next_id;
    struct live live[TABLE];
    size_t count;
    struct sent sent[IDS];
    uint8_t frame[9 + (1 << 14)];
    size_t frame_size;
    int goaway, floods; /* a flood takes long, so few of them in one input */
};

static const struct raffia_http2_limits small = {.streams = 4,
                                                 .window = 1000,
                                                 .head = 400,
                                                 .fields = 6,
                                                 .name = 20,
                                                 .trailers = 100,
                                                 .body = 3000,
                                                 .output = 500,
                                                 .unsent = 600,
                                                 .connect = 1};

static uint8_t byte(struct fuzz *fuzz)
{
    return (uint8_t)take(fuzz->input, 1);
}

/* A body's byte at this place. */
static char expected(int32_t id, uint32_t at)
{
    return (char)(id * 7 + (int32_t)(at * 31 % 251));
}

static uint32_t number(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void check_frame(struct fuzz *fuzz, const uint8_t *frame, size_t size)
{
    uint8_t type = frame[3], flags = frame[4];
    uint32_t id = number(frame + 5);
    MUST(id < 1u << 31 && type <= 9);
    if (type == 7) {
        MUST(id == 0);
        fuzz->goaway = number(frame + 13) != 0;
    }
    if (id / 2 >= IDS || id == 0) return;
    struct sent *sent = &fuzz->sent[id / 2];
    MUST(!(sent->reset && type != 3) || type == 8);
    if (type <= 1) MUST(!sent->ended);
    if (type == 1) sent->head = 1;
    if (type == 0) {
        MUST(sent->head);
        for (size_t i = 9; i < size; i++)
            MUST((char)frame[i] == expected((int32_t)id, sent->size++));
    }
    if (type <= 1 && flags & 1) sent->ended = 1;
    if (type == 3) sent->reset = 1;
}

static void check_output(struct fuzz *fuzz, const char *bytes, size_t size)
{
    while (size > 0) {
        size_t length = fuzz->frame_size < 9 ? 9 : 9 + (number(fuzz->frame) >> 8);
        MUST(length <= sizeof(fuzz->frame));
        size_t part = length - fuzz->frame_size < size ? length - fuzz->frame_size : size;
        memcpy(fuzz->frame + fuzz->frame_size, bytes, part);
        fuzz->frame_size += part;
        bytes += part;
        size -= part;
        if (fuzz->frame_size < 9 || fuzz->frame_size < 9 + (number(fuzz->frame) >> 8)) continue;
        check_frame(fuzz, fuzz->frame, fuzz->frame_size);
        fuzz->frame_size = 0;
    }
}

static void output(struct fuzz *fuzz, size_t most)
{
    const char *bytes;
    size_t size = raffia_http2_output(fuzz->session, &bytes);
    MUST(size < MOST);
    if (size > most) size = most;
    if (size > 0) check_output(fuzz, bytes, size);
    raffia_http2_sent(fuzz->session, size);
}

static void receive(struct fuzz *fuzz, const uint8_t *bytes, size_t size)
{
    char *copy = malloc(size ? size : 1);
    if (size) memcpy(copy, bytes, size);
    int result = raffia_http2_receive(fuzz->session, copy, size, fuzz->now);
    MUST(result == 0 || result == -EPROTO);
    MUST((result != 0) == raffia_http2_state(fuzz->session)->failed);
    free(copy);
}

static void frame(struct fuzz *fuzz, uint8_t type, uint8_t flags, uint32_t id,
                  const uint8_t *payload, size_t size)
{
    uint8_t *bytes = malloc(9 + size);
    uint8_t head[9] = {
        (uint8_t)(size >> 16), (uint8_t)(size >> 8), (uint8_t)size,      type,       flags,
        (uint8_t)(id >> 24),   (uint8_t)(id >> 16),  (uint8_t)(id >> 8), (uint8_t)id};
    memcpy(bytes, head, 9);
    if (size) memcpy(bytes + 9, payload, size);
    uint8_t cut = type == 0 && size > 16 ? 9 : 0;
    if (cut) receive(fuzz, bytes, cut);
    receive(fuzz, bytes + cut, 9 + size - cut);
    free(bytes);
}

static uint32_t any_id(struct fuzz *fuzz)
{
    uint8_t which = byte(fuzz);
    if (which == 255) return (uint32_t)take(fuzz->input, 4);
    if (which == 254) return (uint32_t)fuzz->next_id + 1;
    return which < 128 ? which : (uint32_t)fuzz->next_id - (which & 15) * 2;
}

static size_t from_input(struct fuzz *fuzz, const uint8_t **bytes)
{
    size_t size = byte(fuzz);
    if (size > fuzz->input->left) size = fuzz->input->left;
    *bytes = fuzz->input->bytes;
    fuzz->input->bytes += size;
    fuzz->input->left -= size;
    return size;
}

static void raw_frame(struct fuzz *fuzz)
{
    const uint8_t *payload;
    uint8_t type = byte(fuzz), flags = byte(fuzz);
    uint32_t id = any_id(fuzz);
    size_t size = from_input(fuzz, &payload);
    frame(fuzz, type, flags, id, payload, size);
}

static size_t literal(uint8_t *block, const char *name, const uint8_t *value, size_t size)
{
    size_t name_size = strlen(name);
    if (size > 100) size = 100;
    block[0] = 0x40;
    block[1] = (uint8_t)name_size;
    memcpy(block + 2, name, name_size);
    block[2 + name_size] = (uint8_t)size;
    if (size) memcpy(block + 3 + name_size, value, size);
    return 3 + name_size + size;
}

/* A request that is well-formed but for the fields that the input adds. */
static void request(struct fuzz *fuzz)
{
    static const char *const names[] = {"host",
                                        "content-length",
                                        "cookie",
                                        "priority",
                                        "x-a",
                                        "te",
                                        ":path",
                                        ":authority",
                                        "a-rather-long-field-name-beyond",
                                        "expect"};
    uint8_t block[2000], how = byte(fuzz), fields = byte(fuzz) % 12;
    size_t size = 0;
    block[size++] = how & 1 ? 0x83 : 0x82;
    if (how & 16) {
        size--;
        size += literal(block, ":method", (const uint8_t *)"CONNECT", 7);
        size += literal(block + size, ":protocol", (const uint8_t *)"websocket", 9);
    }
    block[size++] = 0x86;
    block[size++] = 0x84;
    if (!(how & 32)) size += literal(block + size, ":authority", (const uint8_t *)"h", 1);
    for (uint8_t i = 0; i < fields; i++) {
        const uint8_t *value;
        const char *name = names[byte(fuzz) % 10];
        size_t value_size = from_input(fuzz, &value);
        size += literal(block + size, name, value, value_size);
    }
    uint8_t end = how & 2 ? 1 : 0;
    for (int i = 0; (how & 192) == 192 && fuzz->floods < 2 && i < 210; i++, fuzz->next_id += 2)
        frame(fuzz, 1, end | 4, (uint32_t)fuzz->next_id, block, size);
    fuzz->floods += (how & 192) == 192;
    int32_t id = fuzz->next_id;
    fuzz->next_id += 2;
    if (how & 4 && size > 3) {
        frame(fuzz, 1, end, (uint32_t)id, block, 3);
        frame(fuzz, 9, how & 8 ? 0 : 4, (uint32_t)id, block + 3, size - 3);
    } else {
        frame(fuzz, 1, end | 4, (uint32_t)id, block, size);
    }
}

static void data(struct fuzz *fuzz)
{
    static const uint8_t zeros[1 << 14];
    uint32_t id = any_id(fuzz);
    uint8_t how = byte(fuzz);
    size_t size = (size_t)(how >> 2) * 260;
    frame(fuzz, 0, how & 1 ? 1 : 0, id, zeros, size < sizeof(zeros) ? size : sizeof(zeros));
}

static void control(struct fuzz *fuzz)
{
    uint8_t which = byte(fuzz), payload[8] = {0};
    uint32_t id = any_id(fuzz), value = (uint32_t)take(fuzz->input, which & 8 ? 4 : 1);
    int times = which & 16 && fuzz->floods++ < 2 ? 150 : 1;
    payload[0] = (uint8_t)(value >> 24);
    payload[1] = (uint8_t)(value >> 16);
    payload[2] = (uint8_t)(value >> 8);
    payload[3] = (uint8_t)value;
    for (int i = 0; i < times; i++) {
        switch (which % 8) {
        case 0: frame(fuzz, 8, 0, id, payload, 4); break;
        case 1: frame(fuzz, 3, 0, id, payload, 4); break;
        case 2: frame(fuzz, 6, 0, 0, payload, 8); break;
        case 3: frame(fuzz, 4, 1, 0, NULL, 0); break;
        case 4: frame(fuzz, 2, 0, id, payload, 5); break;
        case 5: frame(fuzz, 16, 0, 0, payload, 7); break;
        case 6: frame(fuzz, 7, 0, 0, payload, 8); break;
        default: frame(fuzz, 8, 0, 0, payload, 4); break;
        }
    }
}

/* The client's initial window, which may stop bodies. */
static void settings(struct fuzz *fuzz)
{
    uint32_t value = (uint32_t)take(fuzz->input, 2);
    uint8_t payload[6] = {0, byte(fuzz) & 1 ? 4 : 5, 0, 0, (uint8_t)(value >> 8), (uint8_t)value};
    frame(fuzz, 4, 0, 0, payload, 6);
}

static struct live *find(struct fuzz *fuzz, struct raffia_http2_stream *stream)
{
    for (size_t i = 0; i < fuzz->count; i++)
        if (fuzz->live[i].stream == stream) return &fuzz->live[i];
    return NULL;
}

static void take_events(struct fuzz *fuzz)
{
    struct raffia_http2_stream *stream;
    unsigned events;
    while ((stream = raffia_http2_next_event(fuzz->session, &events))) {
        struct live *live = find(fuzz, stream);
        MUST(events != 0 && events < 16);
        MUST((live == NULL) == ((events & RAFFIA_HTTP2_REQUEST) != 0));
        if (events & RAFFIA_HTTP2_CLOSED) MUST(stream->closed);
        if (live) continue;
        MUST(stream->head && !stream->closed && fuzz->count < TABLE);
        MUST(stream->head->fields.count <= fuzz->limits.fields);
        MUST(stream->head->fields.size <= fuzz->limits.head);
        fuzz->live[fuzz->count++] = (struct live){stream, 0};
    }
    MUST(events == 0);
}

static void write_body(struct fuzz *fuzz, struct live *live)
{
    char bytes[3 * 255];
    size_t size = byte(fuzz) * 3u;
    if (live->written + size > BODY) return;
    for (size_t i = 0; i < size; i++)
        bytes[i] = expected(live->stream->id, live->written + (uint32_t)i);
    if (raffia_http2_write(live->stream, bytes, size) == 0) live->written += (uint32_t)size;
}

static void act(struct fuzz *fuzz)
{
    static const struct raffia_http2_output_field fields[] = {{"a", "1", 1, 1},
                                                              {"grpc-status", "0", 11, 1}};
    char bytes[2000];
    uint8_t what = byte(fuzz);
    if (fuzz->count == 0) return;
    struct live *live = &fuzz->live[byte(fuzz) % fuzz->count];
    struct raffia_http2_stream *stream = live->stream;
    int closed = stream->closed, result = 0;
    switch (what % 11) {
    case 0: result = raffia_http2_send_head(stream, 200, fields, what & 1, 0); break;
    case 1: result = raffia_http2_send_head(stream, 204, fields, 2, 1); break;
    case 2: result = raffia_http2_send_interim(stream, 103, fields, 1); break;
    case 3: write_body(fuzz, live); break;
    case 4: result = raffia_http2_finish(stream, fields, what & 16 ? 2 : 0); break;
    case 5: (void)raffia_http2_read(stream, bytes, byte(fuzz) * 7u); break;
    case 6: result = raffia_http2_prioritize(stream, byte(fuzz) % 8, what & 16); break;
    case 7: result = raffia_http2_reset(stream, what); break;
    case 8: raffia_http2_release_head(stream); break;
    case 9:
        result = raffia_http2_send_head(stream, 200, fields, 1, 0);
        write_body(fuzz, live);
        raffia_http2_finish(stream, NULL, 0);
        break;
    default:
        raffia_http2_release(stream);
        *live = fuzz->live[--fuzz->count];
        return;
    }
    MUST(result <= 0 &&
         (!closed || result < 0 || what % 11 == 3 || what % 11 == 5 || what % 11 >= 8));
    /* libnghttp2 passes on the frame that exceeds the window, and resets the stream. */
    MUST(raffia_http2_body_size(stream) < raffia_http2_defaults.window + (1 << 14));
}

static void end_connection(struct fuzz *fuzz)
{
    switch (byte(fuzz) % 4) {
    case 0: raffia_http2_announce_end(fuzz->session); break;
    case 1: raffia_http2_goaway(fuzz->session, 0); break;
    case 2: raffia_http2_ping(fuzz->session); break;
    default: raffia_http2_goaway(fuzz->session, byte(fuzz) % 14); break;
    }
}

static void check(struct fuzz *fuzz)
{
    const struct raffia_http2_state *state = raffia_http2_state(fuzz->session);
    MUST(state->streams <= fuzz->limits.streams);
    MUST(raffia_http2_memsize(fuzz->session) < 8 * MOST);
    size_t buffered = 0;
    for (struct raffia_http2_stream *one = fuzz->session->streams; one; one = one->next)
        buffered += one->output_size;
    MUST(buffered == fuzz->session->buffered);
    if (state->over) MUST(!raffia_http2_wants_write(fuzz->session));
    if (!state->failed) return;
    take_events(fuzz);
    for (size_t i = 0; i < fuzz->count; i++)
        MUST(fuzz->live[i].stream->closed);
}

static void step(struct fuzz *fuzz)
{
    switch (byte(fuzz) % 12) {
    case 0: raw_frame(fuzz); break;
    case 1:
    case 2: request(fuzz); break;
    case 3: data(fuzz); break;
    case 4: control(fuzz); break;
    case 5: take_events(fuzz); break;
    case 6:
    case 7: act(fuzz); break;
    case 8: output(fuzz, (size_t)byte(fuzz) << 6); break;
    case 9: fuzz->now += (int64_t)byte(fuzz) << 26; break;
    case 10: settings(fuzz); break;
    default: end_connection(fuzz); break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    static struct fuzz fuzz;
    struct input input = {bytes, size};
    memset(&fuzz, 0, sizeof(fuzz));
    fuzz.input = &input;
    uint8_t how = byte(&fuzz);
    fuzz.limits = how & 1 ? small : raffia_http2_defaults;
    fuzz.limits.streams = how & 1 ? 4 : 20;
    fuzz.now = 1000000000;
    fuzz.next_id = 1;
    MUST(raffia_http2_open(&fuzz.session, &fuzz.limits) == 0);
    if (how & 2) {
        receive(&fuzz, input.bytes, input.left); /* bytes as they are */
    } else {
        receive(&fuzz, (const uint8_t *)preface, sizeof(preface) - 1);
        frame(&fuzz, 4, 0, 0, NULL, 0);
        if (how & 4) frame(&fuzz, 4, 1, 0, NULL, 0);
    }
    while (input.left > 0) {
        step(&fuzz);
        check(&fuzz);
    }
    take_events(&fuzz);
    while (how & 8 && fuzz.count > 0)
        raffia_http2_release(fuzz.live[--fuzz.count].stream);
    for (int i = 0; i < 64; i++)
        output(&fuzz, MOST);
    if (raffia_http2_state(fuzz.session)->failed)
        MUST(fuzz.goaway && fuzz.frame_size == 0 && raffia_http2_state(fuzz.session)->over);
    check(&fuzz);
    raffia_http2_free(fuzz.session);
    return 0;
}
