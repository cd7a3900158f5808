#include "http_fields.h"

#include <stdio.h>
#include <time.h>
#include "clock.h"

const unsigned char raffia_http_token[256] = {
    ['!'] = '!', ['#'] = '#', ['$'] = '$', ['%'] = '%', ['&'] = '&', ['\''] = '\'', ['*'] = '*',
    ['+'] = '+', ['-'] = '-', ['.'] = '.', ['^'] = '^', ['_'] = '_', ['`'] = '`',   ['|'] = '|',
    ['~'] = '~', ['0'] = '0', ['1'] = '1', ['2'] = '2', ['3'] = '3', ['4'] = '4',   ['5'] = '5',
    ['6'] = '6', ['7'] = '7', ['8'] = '8', ['9'] = '9', ['a'] = 'a', ['b'] = 'b',   ['c'] = 'c',
    ['d'] = 'd', ['e'] = 'e', ['f'] = 'f', ['g'] = 'g', ['h'] = 'h', ['i'] = 'i',   ['j'] = 'j',
    ['k'] = 'k', ['l'] = 'l', ['m'] = 'm', ['n'] = 'n', ['o'] = 'o', ['p'] = 'p',   ['q'] = 'q',
    ['r'] = 'r', ['s'] = 's', ['t'] = 't', ['u'] = 'u', ['v'] = 'v', ['w'] = 'w',   ['x'] = 'x',
    ['y'] = 'y', ['z'] = 'z', ['A'] = 'a', ['B'] = 'b', ['C'] = 'c', ['D'] = 'd',   ['E'] = 'e',
    ['F'] = 'f', ['G'] = 'g', ['H'] = 'h', ['I'] = 'i', ['J'] = 'j', ['K'] = 'k',   ['L'] = 'l',
    ['M'] = 'm', ['N'] = 'n', ['O'] = 'o', ['P'] = 'p', ['Q'] = 'q', ['R'] = 'r',   ['S'] = 's',
    ['T'] = 't', ['U'] = 'u', ['V'] = 'v', ['W'] = 'w', ['X'] = 'x', ['Y'] = 'y',   ['Z'] = 'z',
};

/* A thread's responses of one second have the same date. It is no Ruby object, so Ractors do not
 * share it. */
const char *raffia_http_date(size_t *size)
{
    static _Thread_local char text[64];
    static _Thread_local time_t said;
    static _Thread_local size_t length;
    time_t now = raffia_wall_clock();
    if (now != said) {
        struct tm tm;
        gmtime_r(&now, &tm);
        static const char *days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
        static const char *months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
        length = (size_t)snprintf(text, sizeof(text), "%s, %02d %s %04d %02d:%02d:%02d GMT",
                                  days[tm.tm_wday], tm.tm_mday, months[tm.tm_mon],
                                  tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec);
        said = now;
    }
    *size = length;
    return text;
}

const char *raffia_http_digits(char space[24], int64_t length, size_t *size)
{
    char *end = space + 24, *digit = end;
    do
        *--digit = (char)('0' + length % 10);
    while ((length /= 10) > 0);
    *size = (size_t)(end - digit);
    return digit;
}
