/* Computes with the bytes of its argument: ROUNDS times 64 rounds of 8 operations on labels. Prints
 * how many there were. With an argument that is not an input, nothing has a label. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define OPERATIONS 8

int main(int argc, char **argv)
{
    uint32_t rounds = argc > 2 ? (uint32_t)atoi(argv[2]) : 1, sum = 0;
    const unsigned char *s = (const unsigned char *)(argc > 1 ? argv[1] : "x");
    for (uint32_t k = 0; k < rounds; k++) {
        uint32_t x = s[0];
        for (uint32_t i = 0; i < 64; i++) {
            x = x * 31 + k; /* 2 */
            x ^= x >> 7; /* 2 */
            x += i; /* 1 */
            x ^= x << 3; /* 2 */
            x -= k; /* 1 */
        }
        sum += x & 1;
    }
    fprintf(stderr, "%u %u\n", rounds * 64 * OPERATIONS, sum);
    return 0;
}
