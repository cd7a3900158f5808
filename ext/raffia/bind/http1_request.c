/* The input side of the wire: requests, their bodies, and what is left for another protocol. */
#include "http1.h"

#ifdef HAVE_LLHTTP

void raffia_http1_input_init(struct http1_input *input)
{
    input->host = input->server_name = input->server_port = input->trailers = Qnil;
}

void raffia_http1_input_mark(const struct http1_input *input)
{
    rb_gc_mark_movable(input->host);
    rb_gc_mark_movable(input->server_name);
    rb_gc_mark_movable(input->server_port);
    rb_gc_mark_movable(input->trailers);
}

void raffia_http1_input_compact(struct http1_input *input)
{
    input->host = rb_gc_location(input->host);
    input->server_name = rb_gc_location(input->server_name);
    input->server_port = rb_gc_location(input->server_port);
    input->trailers = rb_gc_location(input->trailers);
}

void raffia_http1_input_free(struct http1_input *input)
{
    ruby_xfree(input->bytes);
    ruby_xfree(input->head);
}

size_t raffia_http1_input_memsize(const struct http1_input *input)
{
    return input->capacity + (input->head ? sizeof(*input->head) : 0);
}

void raffia_http1_input_limit(struct http1_input *input, VALUE limits)
{
    (void)input;
    (void)limits;
}

void raffia_init_http1_request(VALUE http1)
{
    (void)http1;
}

#endif
