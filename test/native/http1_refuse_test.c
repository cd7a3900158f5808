/* Requests that are refused, with their status, wherever the bytes were cut. */
#include "check.h"

#ifdef HAVE_LLHTTP

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "http1.h"

#define REFUSES(input, status)                                                                     \
    http1_check(input, sizeof(input) - 1, &raffia_parser_defaults, "!" status " ")
#define GET     "GET / HTTP/1.1\r\nHost: h\r\n"
#define POST    "POST / HTTP/1.1\r\nHost: h\r\n"
#define CHUNKED POST "Transfer-Encoding: chunked\r\n\r\n"
/* Behind a head that was understood. */
#define REFUSES_BODY(input, status)                                                                \
    http1_check(CHUNKED input, sizeof(CHUNKED input) - 1, &raffia_parser_defaults,                 \
                "[POST /? 1.1 h: keep Host=h Transfer-Encoding=chunked]" status)

static void lines(void)
{
    REFUSES("GET / HTTP/1.1\nHost: h\r\n\r\n", "400");
    REFUSES("GET / HTTP/1.1\r\nHost: h\n\r\n", "400");
    REFUSES("GET / HTTP/1.1\r\nHost: h\r\n\n", "400");
    REFUSES("GET / HTTP/1.1\rHost: h\r\n\r\n", "400");
    REFUSES(GET "X: a\rb\r\n\r\n", "400");
    REFUSES(GET "X: a\r\r\n\r\n", "400");
    REFUSES(GET "\rX: a\r\n\r\n", "400");
    REFUSES("\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("\rGET / HTTP/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("\r\n\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("\r\n\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", "400");
}

static void fields(void)
{
    REFUSES(GET "X: a\0b\r\n\r\n", "400");
    REFUSES(GET "X\0: a\r\n\r\n", "400");
    REFUSES(GET "X: a\x01\r\n\r\n", "400");
    REFUSES(GET "X: a\x7f\r\n\r\n", "400");
    REFUSES(GET "X: a\r\n b\r\n\r\n", "400");
    REFUSES(GET "X: a\r\n\tb\r\n\r\n", "400");
    REFUSES(GET "X:\r\n b\r\n\r\n", "400");
    REFUSES(GET "X : a\r\n\r\n", "400");
    REFUSES(GET "X\t: a\r\n\r\n", "400");
    REFUSES(GET " X: a\r\n\r\n", "400");
    REFUSES(GET ": a\r\n\r\n", "400");
    REFUSES(GET "X\r\n\r\n", "400");
    REFUSES(GET "X(: a\r\n\r\n", "400");
    REFUSES(GET "X\xe4: a\r\n\r\n", "400");
    REFUSES("GET / HTTP/1.1\r\n Host: h\r\n\r\n", "400");
}

static void underscores(void)
{
    REFUSES(GET "X-Y: 1\r\nX_Y: 2\r\n\r\n", "400");
    REFUSES(GET "x_y: 1\r\nX-Y: 2\r\n\r\n", "400");
    REFUSES(GET "X_Y-Z: 1\r\nX-Y_Z: 2\r\n\r\n", "400");
    REFUSES(GET "Content_Length: 1\r\n\r\n", "400");
    REFUSES(GET "CONTENT_TYPE: 1\r\n\r\n", "400");
    REFUSES(GET "Transfer_Encoding: chunked\r\n\r\n", "400");
}

static void request_lines(void)
{
    REFUSES("GET  / HTTP/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("GET /  HTTP/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("GET\t/ HTTP/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("GET / HTTP/1.1 \r\nHost: h\r\n\r\n", "400");
    REFUSES(" GET / HTTP/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("GET / http/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("GET / HTTP/1,1\r\nHost: h\r\n\r\n", "400");
    REFUSES("GET / HTTP/1.10\r\nHost: h\r\n\r\n", "400");
    REFUSES("GET / HTTP/x.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("GET / RTSP/1.0\r\nHost: h\r\n\r\n", "400");
    REFUSES("OPTIONS / RTSP/1.0\r\nHost: h\r\n\r\n", "400");
    REFUSES("SOURCE / ICE/1.0\r\nHost: h\r\n\r\n", "400");
    REFUSES("DESCRIBE / HTTP/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("\x16\x03\x01\x02", "400");
    REFUSES("GET / HTTP/1.2\r\nHost: h\r\n\r\n", "505");
    REFUSES("GET / HTTP/0.9\r\nHost: h\r\n\r\n", "505");
    REFUSES("GET / HTTP/2.0\r\nHost: h\r\n\r\n", "505");
    REFUSES("GET / HTTP/3.0\r\nHost: h\r\n\r\n", "505");
    REFUSES("GET /\r\n\r\n", "505");
    REFUSES("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505");
    REFUSES("BREW / HTTP/1.1\r\nHost: h\r\n\r\n", "501");
    REFUSES("GE / HTTP/1.1\r\nHost: h\r\n\r\n", "501");
    REFUSES("GETS / HTTP/1.1\r\nHost: h\r\n\r\n", "501");
    REFUSES("get / HTTP/1.1\r\nHost: h\r\n\r\n", "501");
}

static void targets(void)
{
    REFUSES("GET a HTTP/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("GET * HTTP/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("OPTIONS *a HTTP/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("GET /#a HTTP/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("GET /?#a HTTP/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("GET /\x01 HTTP/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("GET /\0 HTTP/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("GET /\xe4 HTTP/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("GET ftp://h/ HTTP/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("GET http:// HTTP/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("GET http:///a HTTP/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("GET http://u@h/ HTTP/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("GET http://h/ HTTP/1.1\r\nHost: i\r\n\r\n", "400");
    REFUSES("GET http://h:80/ HTTP/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("GET http://h/ HTTP/1.1\r\n\r\n", "400");
    REFUSES("GET h:443 HTTP/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("CONNECT / HTTP/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("CONNECT h HTTP/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("CONNECT h: HTTP/1.1\r\nHost: h\r\n\r\n", "400");
    REFUSES("CONNECT h:1 HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx", "400");
    REFUSES("CONNECT h:1 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "400");
}

static void hosts(void)
{
    REFUSES("GET / HTTP/1.1\r\n\r\n", "400");
    REFUSES("GET / HTTP/1.1\r\nHost:\r\n\r\n", "400");
    REFUSES("GET / HTTP/1.1\r\nHost: h\r\nHost: h\r\n\r\n", "400");
    REFUSES("GET / HTTP/1.0\r\nHost: h\r\nHost: i\r\n\r\n", "400");
    REFUSES("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "400");
    REFUSES("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", "400");
    REFUSES("GET / HTTP/1.1\r\nHost: u@h\r\n\r\n", "400");
    REFUSES("GET / HTTP/1.1\r\nHost: h:x\r\n\r\n", "400");
    REFUSES("GET / HTTP/1.1\r\nHost: h:1:2\r\n\r\n", "400");
    REFUSES("GET / HTTP/1.1\r\nHost: h:65536\r\n\r\n", "400");
    REFUSES("GET / HTTP/1.1\r\nHost: h:000080\r\n\r\n", "400");
    REFUSES("GET / HTTP/1.1\r\nHost: :80\r\n\r\n", "400");
    REFUSES("GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", "400");
    REFUSES("GET / HTTP/1.1\r\nHost: [g]\r\n\r\n", "400");
    REFUSES("GET / HTTP/1.1\r\nHost: []\r\n\r\n", "400");
    REFUSES("GET / HTTP/1.1\r\nHost: [::1]x\r\n\r\n", "400");
    REFUSES("GET / HTTP/1.1\r\nHost: a%4\r\n\r\n", "400");
    REFUSES("GET / HTTP/1.1\r\nHost: \xc3\xa4\r\n\r\n", "400");
}

static void lengths(void)
{
    REFUSES(POST "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", "400");
    REFUSES(POST "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", "400");
    REFUSES(POST "Content-Length: 5, 5\r\n\r\nhello", "400");
    REFUSES(POST "Content-Length: 5 5\r\n\r\nhello", "400");
    REFUSES(POST "Content-Length: +5\r\n\r\nhello", "400");
    REFUSES(POST "Content-Length: -5\r\n\r\nhello", "400");
    REFUSES(POST "Content-Length: 0x5\r\n\r\nhello", "400");
    REFUSES(POST "Content-Length: 5a\r\n\r\nhello", "400");
    REFUSES(POST "Content-Length:\r\n\r\n", "400");
    REFUSES(POST "Content-Length: 18446744073709551616\r\n\r\n", "400");
    REFUSES(POST "Content-Length: 18446744073709551615\r\n\r\n", "413");
    REFUSES(POST "Content-Length: 52428801\r\n\r\n", "413");
}

static void codings(void)
{
    REFUSES(POST "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", "400");
    REFUSES(POST "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n", "400");
    REFUSES(POST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", "400");
    REFUSES(POST "Transfer-Encoding: chunked, chunked\r\n\r\n", "400");
    REFUSES(POST "Transfer-Encoding: chunked, identity\r\n\r\n", "400");
    REFUSES(POST "Transfer-Encoding: gzip, chunked\r\n\r\n", "501");
    REFUSES(POST "Transfer-Encoding: gzip ,\tdeflate,chunked\r\n\r\n", "501");
    REFUSES(POST "Transfer-Encoding: gzip, chunked,\r\n\r\n", "400");
    REFUSES(POST "Transfer-Encoding: , chunked\r\n\r\n", "400");
    REFUSES(POST "Transfer-Encoding: chunked, gzip\r\n\r\n", "400");
    REFUSES(POST "Transfer-Encoding: gzip, chunked, chunked\r\n\r\n", "400");
    REFUSES(POST "Transfer-Encoding: g zip, chunked\r\n\r\n", "400");
    REFUSES(POST "Transfer-Encoding: chunked;a=b\r\n\r\n", "400");
    REFUSES(POST "Transfer-Encoding: \"chunked\"\r\n\r\n", "400");
    REFUSES(POST "Transfer-Encoding: \x0b"
                 "chunked\r\n\r\n",
            "400");
    REFUSES(POST "Transfer-Encoding:\r\n\r\n", "400");
    REFUSES(POST "Transfer-Encoding: gzip\r\n\r\n", "501");
    REFUSES(POST "Transfer-Encoding: identity\r\n\r\n", "501");
    REFUSES(POST "Transfer-Encoding: xchunked\r\n\r\n", "501");
    REFUSES("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "400");
    REFUSES(POST "Expect: 200-ok\r\nContent-Length: 1\r\n\r\n", "417");
}

static void chunks(void)
{
    REFUSES_BODY("\r\nx\r\n0\r\n\r\n", "!400 ");
    REFUSES_BODY("x\r\n", "!400 ");
    REFUSES_BODY("+1\r\nx\r\n0\r\n\r\n", "!400 ");
    REFUSES_BODY("0x1\r\nx\r\n0\r\n\r\n", "!400 ");
    REFUSES_BODY("1_0\r\nx\r\n0\r\n\r\n", "!400 ");
    REFUSES_BODY(" 1\r\nx\r\n0\r\n\r\n", "!400 ");
    REFUSES_BODY("1 \r\nx\r\n0\r\n\r\n", "!400 ");
    REFUSES_BODY("1\nx\r\n0\r\n\r\n", "!400 ");
    REFUSES_BODY("1\r\r\nx\r\n0\r\n\r\n", "!400 ");
    REFUSES_BODY("00000000000000001\r\nx\r\n0\r\n\r\n", "!400 ");
    REFUSES_BODY("1;\n=b\r\nx\r\n0\r\n\r\n", "!400 ");
    REFUSES_BODY("1;a=\x01\r\nx\r\n0\r\n\r\n", "!400 ");
    REFUSES_BODY("1;a\0\r\nx\r\n0\r\n\r\n", "!400 ");
    REFUSES_BODY("1;a=\"b\r\nx\r\n0\r\n\r\n", "!400 ");
    REFUSES_BODY("1\r\nxy\r\n0\r\n\r\n", "{x!400 ");
    REFUSES_BODY("1\r\nx\n0\r\n\r\n", "{x!400 ");
    REFUSES_BODY("1\r\nx\r0\r\n\r\n", "{x!400 ");
    REFUSES_BODY("1\r\nx0\r\n\r\n", "{x!400 ");
    REFUSES_BODY("ffffffffffffffff\r\nx", "!413 ");
    REFUSES_BODY("3200001\r\nx", "!413 ");
}

static void trailers(void)
{
    REFUSES_BODY("0\r\nA: b\n\r\n", "!400 ");
    REFUSES_BODY("0\r\nA : b\r\n\r\n", "!400 ");
    REFUSES_BODY("0\r\nA: b\r\n c\r\n\r\n", "!400 ");
    REFUSES_BODY("0\r\nA: \0\r\n\r\n", "!400 ");
    REFUSES_BODY("0\r\nHost: h\r\n\r\n", "!400 ");
    REFUSES_BODY("0\r\nContent-Length: 1\r\n\r\n", "!400 ");
    REFUSES_BODY("0\r\nTransfer-Encoding: chunked\r\n\r\n", "!400 ");
    REFUSES_BODY("0\r\nA-B: 1\r\nA_B: 2\r\n\r\n", "!400 ");
    REFUSES_BODY("0\r\nX", "~");
}

/* Limits, to the byte. Each text is some front, a byte repeated, and an end. */

static void check_filled(const char *front, char fill, size_t count, const char *end,
                         const char *expected)
{
    const struct raffia_parser_limits limits = {.request_line = 40,
                                                .head = 100,
                                                .fields = 3,
                                                .name = 20,
                                                .extensions = 10,
                                                .trailers = 30,
                                                .body = 5};
    size_t size = strlen(front) + count + strlen(end);
    char *text = malloc(size + 1);
    strcpy(text, front);
    memset(text + strlen(front), fill, count);
    strcpy(text + strlen(front) + count, end);
    http1_check(text, size, &limits, expected);
    free(text);
}

static void limits_of_heads(void)
{
    check_filled("GET /", 'a', 26, " HTTP/1.0\r\n\r\n",
                 "[GET /aaaaaaaaaaaaaaaaaaaaaaaaaa? 1.0 :].");
    check_filled("GET /", 'a', 27, " HTTP/1.0\r\n\r\n", "!414 ");
    check_filled("GET /", 'a', 200, "", "!414 ");
    check_filled(
        "GET / HTTP/1.0\r\nA: ", 'b', 77, "\r\n\r\n",
        "[GET /? 1.0 : "
        "A=bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb].");
    check_filled("GET / HTTP/1.0\r\nA: ", 'b', 78, "\r\n\r\n", "!431 ");
    check_filled("GET / HTTP/1.0\r\nA: ", 'b', 200, "", "!431 ");
    check_filled("GET / HTTP/1.0\r\n", 'n', 20, ":\r\n\r\n",
                 "[GET /? 1.0 : nnnnnnnnnnnnnnnnnnnn=].");
    check_filled("GET / HTTP/1.0\r\n", 'n', 21, ":\r\n\r\n", "!431 ");
    check_filled("GET / HTTP/1.0\r\n", 'n', 21, "(", "!400 ");
    check_filled("GET / HTTP/1.0\r\nA:1\r\nB:2\r\nC:3\r\n", '-', 0, "\r\n",
                 "[GET /? 1.0 : A=1 B=2 C=3].");
    check_filled("GET / HTTP/1.0\r\nA:1\r\nB:2\r\nC:3\r\nD:4\r\n", '-', 0, "\r\n", "!431 ");
}

#define SMALL "POST / HTTP/1.1\r\nHost:h\r\nTransfer-Encoding:chunked\r\n\r\n"
#define READ  "[POST /? 1.1 h: keep Host=h Transfer-Encoding=chunked]"

static void limits_of_bodies(void)
{
    check_filled("POST / HTTP/1.0\r\nContent-Length: 5\r\n\r\n", 'x', 5, "",
                 "[POST /? 1.0 : Content-Length=5]{xxxxx}.");
    check_filled("POST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n", 'x', 6, "", "!413 ");
    check_filled(SMALL "5\r\n", 'x', 5, "\r\n0\r\n\r\n", READ "{xxxxx}.");
    check_filled(SMALL "6\r\n", 'x', 6, "\r\n0\r\n\r\n", READ "!413 ");
    check_filled(SMALL "1\r\nx\r\n5\r\n", 'x', 5, "\r\n0\r\n\r\n", READ "{x!413 ");
    check_filled(SMALL "1;", 'a', 9, "\r\nx\r\n0\r\n\r\n", READ "{x}.");
    check_filled(SMALL "1;", 'a', 10, "\r\nx\r\n0\r\n\r\n", READ "!400 ");
    check_filled(SMALL "1;", 'a', 100, "", READ "!400 ");
    check_filled(SMALL "1;aaaa\r\nx\r\n0;", 'a', 4, "\r\n\r\n", READ "{x}.");
    check_filled(SMALL "1;aaaa\r\nx\r\n0;", 'a', 5, "\r\n\r\n", READ "{x!400 ");
    check_filled(SMALL "0\r\nA:", 'b', 24, "\r\n\r\n", READ "( A=bbbbbbbbbbbbbbbbbbbbbbbb).");
    check_filled(SMALL "0\r\nA:", 'b', 25, "\r\n\r\n", READ "!431 ");
    check_filled(SMALL "0\r\nA:", 'b', 100, "", READ "!431 ");
    check_filled(SMALL "0\r\nA:\r\nB:\r\nC:\r\nD:\r\n", '-', 0, "\r\n", READ "!431 ");
}

static void reasons(void)
{
    static const char big[] = "GET / HTTP/1.1\r\nHost: h\r\nX: ";
    char *text = http1_transcript(
        big, sizeof(big) - 1, &(struct raffia_parser_limits){.request_line = 99, .head = 20}, 9, 9);
    CHECK(strcmp(text, "!431 the head is too large") == 0);
    free(text);
    text = http1_transcript("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: br\r\n\r\n", 51,
                            &raffia_parser_defaults, 51, 1);
    CHECK(strcmp(text, "!501 the transfer coding is not known") == 0);
    free(text);
}

int main(void)
{
    static const struct check_test tests[] = {
        TEST(lines),   TEST(fields),   TEST(underscores),     TEST(request_lines),
        TEST(targets), TEST(hosts),    TEST(lengths),         TEST(codings),
        TEST(chunks),  TEST(trailers), TEST(limits_of_heads), TEST(limits_of_bodies),
        TEST(reasons),
    };
    return check_run("http1 refuses", tests, COUNT(tests));
}

#else

int main(void)
{
    return 0;
}

#endif
