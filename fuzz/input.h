/* An input is a program: commands and their numbers, taken from its front until nothing is left. */
#ifndef RAFFIA_FUZZ_INPUT_H
#define RAFFIA_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct input {
    const uint8_t *bytes;
    size_t left;
};

/* Aborts unless the condition holds; libFuzzer keeps the input of a program that aborts. */
#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) abort();                                                                 \
    } while (0)

/* `size` bytes as a number; 0 for those that are missing. */
static inline uint64_t take(struct input *input, size_t size)
{
    uint64_t number = 0;
    if (size > input->left) size = input->left;
    memcpy(&number, input->bytes, size);
    input->bytes += size;
    input->left -= size;
    return number;
}

#endif
