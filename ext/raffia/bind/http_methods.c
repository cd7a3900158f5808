/* Sockets that read and write by their methods: those of TLS, and IOs of other classes. */
#include "http_transport.h"

#ifdef HAVE_LLHTTP

#include <ruby/ractor.h>

/* The most that TLS returns at a time. */
enum { RECORD = 16 * 1024 };

static ID id_read_nonblock, id_sysread_nonblock, id_write_nonblock, id_syswrite_nonblock;
static VALUE no_exception;
static rb_ractor_local_key_t record_key;
static VALUE sym_wait_readable;

/* All connections of a Ractor share one. It is taken out while it is in use, because openssl may
 * call Ruby code, and other fibers run then. */
static VALUE take_record(void)
{
    VALUE record = rb_ractor_local_storage_value(record_key);
    if (NIL_P(record)) return rb_str_buf_new(RECORD);
    rb_ractor_local_storage_value_set(record_key, Qnil);
    return record;
}

struct reading {
    const struct http_transport *transport;
    VALUE record;
};

static VALUE read_nonblock(VALUE pointer)
{
    const struct reading *reading = (const struct reading *)pointer;
    VALUE arguments[] = {INT2FIX(RECORD), reading->record, no_exception};
    ID method = reading->transport->tls ? id_sysread_nonblock : id_read_nonblock;
    return rb_funcallv_kw(reading->transport->socket, method, 3, arguments, RB_PASS_KEYWORDS);
}

/* A violation of the TLS protocol ends the input like a close. The classes of these errors are not
 * known here. */
static VALUE is_over(VALUE unused, VALUE error)
{
    (void)unused, (void)error;
    return Qnil;
}

VALUE raffia_http_read_record(struct http_transport *transport, uint32_t *events)
{
    struct reading reading = {transport, take_record()};
    VALUE bytes =
        rb_rescue2(read_nonblock, (VALUE)&reading, is_over, Qnil, rb_eStandardError, (VALUE)0);
    rb_ractor_local_storage_value_set(record_key, reading.record);
    if (NIL_P(bytes)) return Qnil;
    *events = bytes == sym_wait_readable ? RAFFIA_READABLE : RAFFIA_WRITABLE;
    return RB_TYPE_P(bytes, T_STRING) ? bytes : Qundef;
}

VALUE raffia_http_write_record(struct http_transport *transport, VALUE string)
{
    VALUE arguments[] = {string, no_exception};
    ID method = transport->tls ? id_syswrite_nonblock : id_write_nonblock;
    return rb_funcallv_kw(transport->socket, method, 2, arguments, RB_PASS_KEYWORDS);
}

void raffia_init_http_methods(void)
{
    id_read_nonblock = rb_intern("read_nonblock");
    id_sysread_nonblock = rb_intern("sysread_nonblock");
    id_write_nonblock = rb_intern("write_nonblock");
    id_syswrite_nonblock = rb_intern("syswrite_nonblock");
    record_key = rb_ractor_local_storage_value_newkey();
    no_exception = rb_hash_new();
    rb_gc_register_mark_object(no_exception);
    rb_hash_aset(no_exception, ID2SYM(rb_intern("exception")), Qfalse);
    rb_ractor_make_shareable(no_exception);
    sym_wait_readable = ID2SYM(rb_intern("wait_readable"));
}

#endif
