/* Ops: the operations that the loop waits for. */
#ifndef RAFFIA_OP_H
#define RAFFIA_OP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Names one op for ever: index in the low 32 bits, generation in the high 32. A reused slot has
 * another generation, so a late id (a completion from the kernel, a second disarm) finds nothing. 0
 * is never an id. */
typedef uint64_t raffia_id;

/* An opaque word of the caller's, returned with the completion. The binding stores a VALUE in
 * it. */
typedef uintptr_t raffia_data;

enum raffia_kind {
    RAFFIA_FREE, /* the slot is not in use */
    RAFFIA_POLL, /* wait until fd is ready for `events`; result: the events that came */
    RAFFIA_READ, /* transfer into `buffer`; result: bytes, or -errno */
    RAFFIA_WRITE,
    RAFFIA_TIMER, /* result: -ETIME */
    /* send(2) and recv(2), which wait whether or not the socket is O_NONBLOCK; as READ and
     * WRITE. */
    RAFFIA_SEND,
    RAFFIA_RECV,
    RAFFIA_ACCEPT, /* many times; result: a descriptor, close-on-exec and O_NONBLOCK, or -errno */
    /* many times; result: bytes in a buffer of the loop's, 0 at the end of the stream, or -errno */
    RAFFIA_RECEIVE,
    RAFFIA_CLOSE, /* close fd; result: 0 or -errno */
    RAFFIA_CHILD, /* a child process has ended, and can be waited for; result: 0 or -errno */
    /* Look a name up, a raffia_resolution in `buffer`; result: 0, or getaddrinfo's error. */
    RAFFIA_RESOLVE,
};

/* The values of Ruby's IO::READABLE, PRIORITY and WRITABLE, and of poll(2). */
enum raffia_events {
    RAFFIA_READABLE = 1,
    RAFFIA_PRIORITY = 2,
    RAFFIA_WRITABLE = 4,
};

#define RAFFIA_CURRENT_POSITION (-1) /* as offset of a transfer: the file's own position */

/* One cache line, because with a hundred thousand waits an op costs its fetch from memory. */
struct raffia_op {
    raffia_id id; /* of this life of the slot */
    raffia_data data;
    enum raffia_kind kind : 4;
    enum raffia_kind
        emulates : 4; /* of a poll in place of another kind: that kind (see emulate.h) */
    uint32_t events : 3;
    uint32_t cancelled : 1; /* disarmed, but its last completion from the kernel is still to come */
    uint32_t queue : 2;     /* the loop's pending_queue that owns it now, or 0 */
    uint32_t place : 16;    /* of a timer: its slot of the wheel, or the heap */
    int fd;
    union {
        struct {            /* of a transfer */
            void *buffer;   /* owned by the caller until the completion is shifted */
            size_t length;  /* bytes */
            int64_t offset; /* bytes from the start of the file, or RAFFIA_CURRENT_POSITION */
        };
        struct {              /* of a timer */
            int64_t deadline; /* monotonic nanoseconds */
            uint64_t order;   /* which of equal deadlines comes first */
            struct raffia_op *child;
        };
        pid_t pid; /* of a RAFFIA_CHILD */
    };
    /* The list that the op is in: of free slots, of a descriptor's ops, of a wheel's slot, of a
     * heap's siblings, of ops to continue. */
    union {
        struct raffia_op *next;
        struct raffia_job *job; /* its job on the blocking pool */
    };
    struct raffia_op *previous;
};

/* A table of ops. They live in blocks that never move, so a pointer is good until the op is
 * released. */
struct raffia_ops {
    struct raffia_op **blocks;
    size_t block_count;
    struct raffia_op *free;
    size_t used; /* ops in use */
};

/* Whether ops of this kind may complete more than once. */
static inline int raffia_kind_repeats(enum raffia_kind kind)
{
    return kind == RAFFIA_ACCEPT || kind == RAFFIA_RECEIVE;
}

void raffia_ops_init(struct raffia_ops *ops);
void raffia_ops_free(struct raffia_ops *ops);
/* NULL when there is no memory. */
struct raffia_op *raffia_ops_acquire(struct raffia_ops *ops, enum raffia_kind kind,
                                     raffia_data data);
void raffia_ops_release(struct raffia_ops *ops, struct raffia_op *op);
/* NULL when that op has ended. */
struct raffia_op *raffia_ops_find(const struct raffia_ops *ops, raffia_id id);
/* Every op in use; `data` may change (garbage collectors move objects). */
void raffia_ops_each(struct raffia_ops *ops, void (*visit)(struct raffia_op *op, void *arg),
                     void *arg);
size_t raffia_ops_memsize(const struct raffia_ops *ops);

#endif
