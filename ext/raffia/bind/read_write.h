/* Reads and writes through IO::Buffer. */
#ifndef RAFFIA_BIND_READ_WRITE_H
#define RAFFIA_BIND_READ_WRITE_H

#include <ruby.h>

/* By descriptor: reads in a row that found nothing. */
struct read_misses {
    unsigned char *counts;
    size_t size;
};

void raffia_init_read_write(VALUE native);

#endif
