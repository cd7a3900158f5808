/* The output side of the wire. */
#include "http1.h"

#ifdef HAVE_LLHTTP

void raffia_http1_output_init(struct http1_output *output)
{
    output->declared = -1;
}

void raffia_http1_output_free(struct http1_output *output)
{
    ruby_xfree(output->bytes);
}

size_t raffia_http1_output_memsize(const struct http1_output *output)
{
    return output->capacity;
}

void raffia_http1_flush(struct http1 *wire)
{
    (void)wire;
}

void raffia_init_http1_response(VALUE http1)
{
    (void)http1;
}

#endif
