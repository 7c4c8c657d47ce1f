/* Loads from tables of the program, with an index from the input. */
#include <stdio.h>
#include <string.h>

static const unsigned char kinds[64] = {['a' & 63] = 3, ['b' & 63] = 3, ['z' & 63] = 9};
static signed char digits[256]; /* filled at run time */
static struct {
    int low, high;
} ranges[16];
static int slots[8];

int main(int argc, char **argv)
{
    const unsigned char *s = (const unsigned char *)(argc > 1 ? argv[1] : "");
    memset(digits, -1, sizeof digits);
    for (int i = 0; i < 10; i++)
        digits['0' + i] = (signed char)i;
    for (int i = 0; i < 16; i++)
        ranges[i].high = i * i;
    if (strlen((const char *)s) != 4)
        return 1;
    if (kinds[s[0] & 63] == 9)
        puts("kind");
    if (digits[s[1]] == 7)
        puts("digit");
    if (ranges[s[2] % 16].high == 121)
        puts("range");
    slots[s[3] & 7] = s[0]; /* from here on, this table depends on the input */
    if (slots[s[1] & 7] == 'q')
        puts("slot");
    return 0;
}
