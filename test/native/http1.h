/* The parser's result for bytes that come in parts, as text: requests in brackets, bodies in
 * braces, trailers in parentheses, a dot at the end of each request. Behind that "!status reason"
 * when it refuses, or "~" when it waits for more. */
#ifndef RAFFIA_HTTP1_TRANSCRIPT_H
#define RAFFIA_HTTP1_TRANSCRIPT_H

#include "http1_parser.h"

#ifdef HAVE_LLHTTP

#include <stddef.h>

/* The first part has `first` bytes, each further one `further`. The caller frees it. */
char *http1_transcript(const char *bytes, size_t size, const struct raffia_parser_limits *limits,
                       size_t first, size_t further);
/* Checks that it is that, however the bytes are cut in two, and when they come one by one. */
void http1_check(const char *bytes, size_t size, const struct raffia_parser_limits *limits,
                 const char *expected);

#endif
#endif
