/* Requests that are understood, in all forms and however they were split. */
#include "check.h"

#ifdef HAVE_LLHTTP

#include <string.h>
#include "http1.h"

#define READS(input, expected)                                                                     \
    http1_check(input, sizeof(input) - 1, &raffia_parser_defaults, expected)

static void heads(void)
{
    READS("", "");
    READS("GET / HTTP/1.1\r\nHost: h\r\n\r\n", "[GET /? 1.1 h: keep Host=h].");
    READS("\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", "[GET /? 1.1 h: keep Host=h].");
    READS("\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", "[GET /? 1.1 h: keep Host=h].");
    READS("\r\n\r\n", "");
    READS("GET / HTTP/1.1\r\nHost: h\r\n", "~");
    READS("G", "~");
    READS("GET /a/b?c=d?e&f HTTP/1.1\r\nHost: h\r\n\r\n", "[GET /a/b?c=d?e&f 1.1 h: keep Host=h].");
    READS("GET //x HTTP/1.1\r\nHost: h\r\n\r\n", "[GET //x? 1.1 h: keep Host=h].");
    READS("GET /? HTTP/1.1\r\nHost: h\r\n\r\n", "[GET /? 1.1 h: keep Host=h].");
    READS("M-SEARCH * HTTP/1.1\r\nHost: h\r\n\r\n", "!400 the target is no path");
    READS("QUERY /%C3%A4 HTTP/1.1\r\nHost: h\r\n\r\n", "[QUERY /%C3%A4? 1.1 h: keep Host=h].");
}

static void fields(void)
{
    READS("GET / HTTP/1.1\r\nHost:h\r\nA:  b c\t \r\nD:\r\nE: \t \r\n\r\n",
          "[GET /? 1.1 h: keep Host=h A=b c D= E=].");
    READS("GET / HTTP/1.1\r\nhOST: h\r\nX: 1\r\nx: 2\r\n\r\n",
          "[GET /? 1.1 h: keep hOST=h X=1 x=2].");
    READS("GET / HTTP/1.1\r\nHost: h\r\nX: \xc3\xa4\tb\r\n\r\n",
          "[GET /? 1.1 h: keep Host=h X=\xc3\xa4\tb].");
    READS("GET / HTTP/1.1\r\nHost: h\r\n!#$%&'*+-.^`|~: 1\r\n\r\n",
          "[GET /? 1.1 h: keep Host=h !#$%&'*+-.^`|~=1].");
    READS("GET / HTTP/1.1\r\nHost: h\r\nX_Y: 1\r\nX-Z: 2\r\n\r\n",
          "[GET /? 1.1 h: keep Host=h X_Y=1 X-Z=2].");
    READS("GET / HTTP/1.1\r\nHost: h\r\nX_Y: 1\r\nx_y: 2\r\n\r\n",
          "[GET /? 1.1 h: keep Host=h X_Y=1 x_y=2].");
}

static void hosts(void)
{
    READS("GET / HTTP/1.1\r\nHost: a.b-c:80\r\n\r\n", "[GET /? 1.1 a.b-c:80 keep Host=a.b-c:80].");
    READS("GET / HTTP/1.1\r\nHost: a:\r\n\r\n", "[GET /? 1.1 a: keep Host=a:].");
    READS("GET / HTTP/1.1\r\nHost: a_b%41\r\n\r\n", "[GET /? 1.1 a_b%41: keep Host=a_b%41].");
    READS("GET / HTTP/1.1\r\nHost: [::1]\r\n\r\n", "[GET /? 1.1 [::1]: keep Host=[::1]].");
    READS("GET / HTTP/1.1\r\nHost: [::ffff:1.2.3.4]:65535\r\n\r\n",
          "[GET /? 1.1 [::ffff:1.2.3.4]:65535 keep Host=[::ffff:1.2.3.4]:65535].");
    READS("GET / HTTP/1.0\r\n\r\n", "[GET /? 1.0 :].");
    READS("GET / HTTP/1.0\r\nHost: h\r\n\r\n", "[GET /? 1.0 h: Host=h].");
}

static void targets(void)
{
    READS("GET http://h HTTP/1.1\r\nHost: h\r\n\r\n", "[GET ? 1.1 h: keep Host=h].");
    READS("GET http://h/ HTTP/1.1\r\nHost: H\r\n\r\n", "[GET /? 1.1 H: keep Host=H].");
    READS("GET HTTPS://h:1/a?b=/c HTTP/1.1\r\nHost: h:1\r\n\r\n",
          "[GET /a?b=/c 1.1 h:1 keep Host=h:1].");
    READS("GET http://h?a=/b HTTP/1.1\r\nHost: h\r\n\r\n", "[GET ?a=/b 1.1 h: keep Host=h].");
    READS("GET http://h/a HTTP/1.0\r\n\r\n", "[GET /a? 1.0 h:].");
    READS("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", "[OPTIONS *? 1.1 h: keep Host=h].");
    READS("OPTIONS /a HTTP/1.1\r\nHost: h\r\n\r\n", "[OPTIONS /a? 1.1 h: keep Host=h].");
    READS("CONNECT h:443 HTTP/1.1\r\nHost: h:443\r\n\r\n",
          "[CONNECT h:443? 1.1 h:443 keep upgrades Host=h:443].");
    READS("CONNECT [::1]:443 HTTP/1.0\r\n\r\n", "[CONNECT [::1]:443? 1.0 [::1]:443 upgrades].");
}

static void connections(void)
{
    READS("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
          "[GET /? 1.1 h: Host=h Connection=close].");
    READS("GET / HTTP/1.1\r\nHost: h\r\nConnection: te, Close\r\n\r\n",
          "[GET /? 1.1 h: Host=h Connection=te, Close].");
    READS("GET / HTTP/1.1\r\nHost: h\r\nConnection: ,close\t,\r\n\r\n",
          "[GET /? 1.1 h: Host=h Connection=,close\t,].");
    READS("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\t\r\n\r\n",
          "[GET /? 1.1 h: Host=h Connection=close].");
    READS("GET / HTTP/1.1\r\nHost: h\r\nConnection: a\r\nConnection: close\r\n\r\n",
          "[GET /? 1.1 h: Host=h Connection=a Connection=close].");
    READS("GET / HTTP/1.1\r\nHost: h\r\nConnection: closed, not close\r\n\r\n",
          "[GET /? 1.1 h: keep Host=h Connection=closed, not close].");
    READS("GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n",
          "[GET /? 1.0 : Connection=keep-alive, close].");
    READS("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n",
          "[GET /? 1.0 : keep Connection=Keep-Alive].");
    READS("GET / HTTP/1.1\r\nHost: h\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
          "[GET /? 1.1 h: keep upgrades Host=h Connection=upgrade Upgrade=websocket].");
    READS("GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\n\r\n",
          "[GET /? 1.1 h: keep Host=h Upgrade=websocket].");
    READS("GET / HTTP/1.0\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
          "[GET /? 1.0 : Connection=upgrade Upgrade=websocket].");
}

#define POST      "POST / HTTP/1.1\r\nHost: h\r\n"
#define POSTED    "[POST /? 1.1 h: keep Host=h"
#define CHUNKED   POST "Transfer-Encoding: chunked\r\n\r\n"
#define IN_CHUNKS POSTED " Transfer-Encoding=chunked]"

static void counted_bodies(void)
{
    READS(POST "Content-Length: 5\r\n\r\nhello", POSTED " Content-Length=5]{hello}.");
    READS(POST "Content-Length: 005\r\n\r\nhello", POSTED " Content-Length=005]{hello}.");
    READS(POST "Content-Length: 0\r\n\r\n", POSTED " Content-Length=0].");
    READS(POST "Content-Length: 5\r\n\r\nhell", POSTED " Content-Length=5]{hell~");
    READS("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\n\r",
          "[GET /? 1.1 h: keep Host=h Content-Length=1]{\r}.");
    READS(POST "\r\n", POSTED "].");
}

static void chunked_bodies(void)
{
    READS(CHUNKED "0\r\n\r\n", IN_CHUNKS ".");
    READS(CHUNKED "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", IN_CHUNKS "{hello world}.");
    READS(CHUNKED "A\r\n0123456789\r\n0000\r\n\r\n", IN_CHUNKS "{0123456789}.");
    READS(CHUNKED "0000000000000001\r\nx\r\n0\r\n\r\n", IN_CHUNKS "{x}.");
    READS(CHUNKED "1;a;b=c;d=\"e f\"\r\nx\r\n0;g\r\n\r\n", IN_CHUNKS "{x}.");
    READS(CHUNKED "2\r\n\r\n\r\n0\r\n\r\n", IN_CHUNKS "{\r\n}.");
    READS(CHUNKED "5\r\nhel", IN_CHUNKS "{hel~");
    READS(POST "transfer-encoding: Chunked \r\n\r\n0\r\n\r\n",
          POSTED " transfer-encoding=Chunked].");
}

static void trailers(void)
{
    READS(CHUNKED "1\r\nx\r\n0\r\nA: b\r\nC:\r\n\r\n", IN_CHUNKS "{x}( A=b C=).");
    READS(CHUNKED "0\r\nA: b\r\n\r\n", IN_CHUNKS "( A=b).");
    READS(CHUNKED "0\r\nA: b\r\n", IN_CHUNKS "~");
}

static void expectations(void)
{
    READS(POST "Expect: 100-Continue\r\nContent-Length: 1\r\n\r\nx",
          "[POST /? 1.1 h: keep expects Host=h Expect=100-Continue Content-Length=1]{x}.");
    READS(POST "Expect: 100-continue\r\n\r\n", POSTED " Expect=100-continue].");
    READS("POST / HTTP/1.0\r\nExpect: anything\r\nContent-Length: 1\r\n\r\nx",
          "[POST /? 1.0 : Expect=anything Content-Length=1]{x}.");
}

static void pipelines(void)
{
    READS("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n",
          "[GET /1? 1.1 h: keep Host=h].[GET /2? 1.1 h: keep Host=h].");
    READS(POST "Content-Length: 1\r\n\r\nx\r\n" CHUNKED
               "1\r\ny\r\n0\r\nA: b\r\n\r\nGET / HTTP/1.0\r\n\r\n",
          POSTED " Content-Length=1]{x}." IN_CHUNKS "{y}( A=b).[GET /? 1.0 :].");
    READS(POST
          "Connection: upgrade\r\nUpgrade: x\r\nContent-Length: 1\r\n\r\nxGET / HTTP/1.0\r\n\r\n",
          "[POST /? 1.1 h: keep upgrades Host=h Connection=upgrade Upgrade=x "
          "Content-Length=1]{x}.[GET /? "
          "1.0 :].");
    READS(POST "Connection: upgrade\r\nUpgrade: x\r\nTransfer-Encoding: "
               "chunked\r\n\r\n1\r\nx\r\n0\r\n\r\nGET / HTTP/1.0\r\n\r\n",
          "[POST /? 1.1 h: keep upgrades Host=h Connection=upgrade Upgrade=x "
          "Transfer-Encoding=chunked]{x}.[GET /? 1.0 :].");
}

int main(void)
{
    static const struct check_test tests[] = {
        TEST(heads),        TEST(fields),         TEST(hosts),          TEST(targets),
        TEST(connections),  TEST(counted_bodies), TEST(chunked_bodies), TEST(trailers),
        TEST(expectations), TEST(pipelines),
    };
    return check_run("http1", tests, COUNT(tests));
}

#else

int main(void)
{
    return 0;
}

#endif
