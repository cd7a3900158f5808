/* The input side of HTTP/1.1, without I/O: llhttp reads the grammar, with every leniency off, and
 * the framing policy and the limits on top of it are ours (RFC 9112, strictly). The caller owns the
 * bytes, and passes those that were not consumed again, with more behind them; how they were split
 * makes no difference to the result.
 *
 * A refusal is a negative HTTP status with a `reason`. Nothing can be read from that connection any
 * more. */
#ifndef RAFFIA_HTTP1_PARSER_H
#define RAFFIA_HTTP1_PARSER_H

#ifdef HAVE_LLHTTP

#include <llhttp.h>
#include <stddef.h>
#include <stdint.h>

/* The upper bounds of limits. */
enum { RAFFIA_MAX_FIELDS = 256, RAFFIA_MAX_NAME = 1024 };

/* In bytes, but for `fields`. */
struct raffia_parser_limits {
    uint32_t request_line; /* without its end; 414 */
    uint32_t head;         /* request line, fields and the empty line; 431 */
    uint32_t fields;       /* RAFFIA_MAX_FIELDS at most; 431 */
    uint32_t name;         /* of a field, RAFFIA_MAX_NAME at most; 431 */
    uint32_t extensions;   /* of all chunks of a body; 400 */
    uint32_t trailers;     /* with the empty line; 431 */
    uint64_t body;         /* decoded; 413 */
};
extern const struct raffia_parser_limits raffia_parser_defaults;

/* A part of the input, by its offset: the bytes may have moved since. */
struct raffia_slice {
    uint32_t start, size;
};

/* Fields with a meaning to the parser. */
enum raffia_meaning {
    RAFFIA_FIELD_OTHER,
    RAFFIA_FIELD_HOST,
    RAFFIA_FIELD_EXPECT,
    RAFFIA_FIELD_UPGRADE,
    RAFFIA_FIELD_CONNECTION,
    RAFFIA_FIELD_CONTENT_TYPE,
    RAFFIA_FIELD_CONTENT_LENGTH,
    RAFFIA_FIELD_TRANSFER_ENCODING,
    RAFFIA_MEANINGS
};

struct raffia_field {
    struct raffia_slice name, value;
    uint8_t meaning;
};

/* The parts of a head, or of trailers: the caller's memory, kept from the first byte to the
 * last. */
struct raffia_parser_head {
    struct raffia_slice target, path, query; /* path: also `*`, or all of an authority-form */
    struct raffia_slice host,
        port; /* of the Host field, else of the target; without size if there is none */
    uint32_t count;
    struct raffia_field fields[RAFFIA_MAX_FIELDS];
};

enum raffia_phase {
    RAFFIA_IN_HEAD,     /* raffia_parser_read_head is next */
    RAFFIA_IN_BODY,     /* raffia_parser_read_body */
    RAFFIA_IN_TRAILERS, /* raffia_parser_read_trailers */
    RAFFIA_AT_END       /* raffia_parser_next */
};

struct raffia_parser {
    llhttp_t llhttp;
    struct raffia_parser_limits limits;
    const char *reason;              /* of the refusal */
    struct raffia_parser_head *head; /* while bytes are being read; these are they */
    const char *bytes;
    uint64_t left;  /* of the body, or of its chunk */
    uint64_t body;  /* its size so far */
    uint32_t extra; /* chunk extensions so far */
    uint32_t fed;   /* bytes of the input that llhttp has read */
    uint8_t lead;   /* bytes in front of the request */
    uint8_t phase;
    uint8_t step;       /* within a phase */
    uint8_t method;     /* llhttp's number */
    uint8_t minor;      /* of HTTP/1.minor */
    uint8_t keep_alive; /* another request may follow */
    uint8_t chunked;    /* the body ends where it says so */
    uint8_t expects;    /* the client waits for 100 Continue before it sends the body */
    uint8_t upgrades;   /* another protocol or a tunnel is requested: what follows may be no HTTP */
    uint8_t is_http2;   /* refused, because the bytes begin with the preface of HTTP/2 */
};

/* Nothing is allocated. */
void raffia_parser_init(struct raffia_parser *parser, const struct raffia_parser_limits *limits);
/* `bytes` begin where the request does. The size of its head when that is complete; 0: more is
 * needed. */
int64_t raffia_parser_read_head(struct raffia_parser *parser, struct raffia_parser_head *head,
                                const char *bytes, size_t size);
/* Returns how many bytes were consumed; `data` are those of the body among them, maybe none, `most`
 * at most. 0: more is needed, or the phase is over. */
int64_t raffia_parser_read_body(struct raffia_parser *parser, const char *bytes, size_t size,
                                size_t most, struct raffia_slice *data);
/* Returns like raffia_parser_read_head. */
int64_t raffia_parser_read_trailers(struct raffia_parser *parser,
                                    struct raffia_parser_head *trailers, const char *bytes,
                                    size_t size);
/* The request is over, another one may come. */
void raffia_parser_next(struct raffia_parser *parser);

/* http1_policy.c: checks a complete head, or trailers. 0 or a negative status. */
int raffia_parser_check_head(struct raffia_parser *parser, struct raffia_parser_head *head,
                             const char *bytes);
int raffia_parser_check_trailers(struct raffia_parser *parser, struct raffia_parser_head *trailers,
                                 const char *bytes);
int raffia_parser_refuse(struct raffia_parser *parser, int status, const char *reason);
/* http1_target.c: the target, and the requested host. */
int raffia_parser_check_target(struct raffia_parser *parser, struct raffia_parser_head *head,
                               const char *bytes);
/* http1_persistence.c: sets keep_alive and upgrades. */
void raffia_parser_set_persistence(struct raffia_parser *parser,
                                   const struct raffia_parser_head *head, const char *bytes);
/* Host, and its port if there is one. 0 when it is none. */
int raffia_split_authority(const char *bytes, struct raffia_slice authority,
                           struct raffia_slice *host, struct raffia_slice *port);

/* Classes of bytes: tchar of RFC 9110, 5.6.2, reg-name of RFC 3986, 3.2.2 (with the percent signs
 * of pct-encoded). */
enum {
    RAFFIA_IS_TOKEN = 1,
    RAFFIA_IS_NAME = 2,
    RAFFIA_IS_HEXADECIMAL = 4,
    RAFFIA_IS_UNDERSCORE = 8
};
extern const uint8_t raffia_kinds[256];
/* Whether the slice is this text, without regard to case. */
int raffia_slice_is(const char *bytes, struct raffia_slice slice, const char *text, size_t size);

#endif
#endif
