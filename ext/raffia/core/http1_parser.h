/* The input side of HTTP/1.1, without I/O: llhttp reads the grammar, with every leniency off, and the framing policy and the limits on top of
 * it are ours (RFC 9112, strictly). The caller owns the bytes, and hands in again what has not been consumed, with more behind it; how the
 * bytes were split makes no difference to what comes out.
 *
 * What must be refused is a negative HTTP status, and `reason` says why. Nothing can be read from that connection any more. */
#ifndef RAFFIA_HTTP1_PARSER_H
#define RAFFIA_HTTP1_PARSER_H

#ifdef HAVE_LLHTTP

#include <llhttp.h>
#include <stddef.h>
#include <stdint.h>

enum { RAFFIA_MOST_FIELDS = 256 };

/* Bytes, but for `fields`. */
struct raffia_parser_limits {
    uint32_t request_line; /* with its end; 414 */
    uint32_t head;         /* request line, fields and the empty line; 431 */
    uint32_t fields;       /* RAFFIA_MOST_FIELDS at most; 431 */
    uint32_t name;         /* of a field; 431 */
    uint32_t extensions;   /* of all chunks of a body; 400 */
    uint32_t trailers;     /* with the empty line; 431 */
    uint64_t body;         /* decoded; 413 */
};
extern const struct raffia_parser_limits raffia_parser_defaults;

/* A part of the bytes that were handed in, by its distance from their start: they may have moved since. */
struct raffia_slice {
    uint32_t start, size;
};

/* Fields that mean something here. */
enum raffia_parser_meaning {
    RAFFIA_FIELD_OTHER,
    RAFFIA_FIELD_HOST,
    RAFFIA_FIELD_COOKIE,
    RAFFIA_FIELD_EXPECT,
    RAFFIA_FIELD_CONTENT_TYPE,
    RAFFIA_FIELD_CONTENT_LENGTH,
    RAFFIA_FIELD_TRANSFER_ENCODING
};

struct raffia_parser_field {
    struct raffia_slice name, value;
    enum raffia_parser_meaning meaning;
};

/* What a head, or the trailers, consist of. It is the caller's, from the first byte to the last. */
struct raffia_parser_head {
    struct raffia_slice method, target, path, query; /* `path`: all of an authority-form or of `*` */
    struct raffia_slice host, port; /* of the field, or of the target; no size: there is none. An IPv6 address keeps its brackets */
    struct raffia_slice authority;  /* both, as they were sent */
    uint32_t count;
    struct raffia_parser_field fields[RAFFIA_MOST_FIELDS];
};

enum raffia_parser_phase {
    RAFFIA_HTTP1_PARSER_HEAD,     /* raffia_parser_head is next */
    RAFFIA_IN_BODY,     /* raffia_parser_body */
    RAFFIA_IN_TRAILERS, /* raffia_parser_trailers */
    RAFFIA_AT_END       /* raffia_parser_next */
};

struct raffia_parser {
    llhttp_t llhttp;
    struct raffia_parser_limits limits;
    const char *reason;             /* of a refusal */
    struct raffia_parser_head *head; /* while bytes are being read */
    const char *bytes;
    uint64_t left;  /* of the body, or of its chunk */
    uint64_t size;  /* of the body so far */
    uint32_t fed;   /* of what was handed in: llhttp has it already */
    uint32_t extra; /* chunk extensions so far */
    enum raffia_parser_phase phase;
    uint8_t step;         /* of a head or of a chunk */
    uint8_t method;       /* llhttp's number */
    uint8_t minor;        /* HTTP/1.minor */
    uint8_t keep_alive;   /* another request may follow */
    uint8_t chunked;      /* the length is not known before the body has ended */
    uint8_t is_head;      /* the answer must be without a body */
    uint8_t expects;      /* 100-continue is wanted before the body comes */
    uint8_t upgrades;     /* CONNECT, or another protocol is asked for: what follows the body may be no HTTP */
};

void raffia_parser_init(struct raffia_parser *parser, const struct raffia_parser_limits *limits);
/* `bytes` begin with those of the request. The size of its head when that is complete; 0: more is needed. */
int64_t raffia_parser_head(struct raffia_parser *parser, struct raffia_parser_head *head, const char *bytes, size_t size);
/* How many bytes were consumed; `data` is what of them belongs to the body, and may be empty. 0: more is needed, or the phase is over. */
int64_t raffia_parser_body(struct raffia_parser *parser, const char *bytes, size_t size, struct raffia_slice *data);
/* As raffia_parser_head; they are consumed as a whole. */
int64_t raffia_parser_trailers(struct raffia_parser *parser, struct raffia_parser_head *trailers, const char *bytes, size_t size);
/* The request is over; another one may come. */
void raffia_parser_next(struct raffia_parser *parser);

#endif
#endif
