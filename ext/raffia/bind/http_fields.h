/* Fields of responses: what all versions of HTTP have in common. */
#ifndef RAFFIA_BIND_HTTP_FIELDS_H
#define RAFFIA_BIND_HTTP_FIELDS_H

#include <stddef.h>
#include <stdint.h>

/* RFC 9110, 5.6.2: a token's characters, in lower case; 0 for all others. */
extern const unsigned char raffia_http_token[256];

/* The value of a Date field. It stays until the thread's next call. */
const char *raffia_http_date(size_t *size);

/* Writes a length, which is not negative, into the end of that memory. Returns its digits. */
const char *raffia_http_digits(char space[24], int64_t length, size_t *size);

#endif
