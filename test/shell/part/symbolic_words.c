// The program of ../symbolic.sh: library functions with models.
#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    static const struct option names[] = {{"verbose", no_argument, NULL, 'v'}, {0}};
    int result = 0, option;
    while ((option = getopt_long(argc, argv, "q", names, NULL)) != -1)
        result |= option == 'v';
    for (int i = optind; i < argc; i++) {
        if (strlen(argv[i]) > 64)
            result |= 2;
        if (!strcmp(argv[i], "open sesame"))
            result |= 4;
        if (isupper((unsigned char)argv[i][0]))
            result |= 8;
    }
    char bytes[16];
    if (fread(bytes, 1, sizeof bytes, stdin) > 8 && !memcmp(bytes, "MAGICAL", 7))
        result |= 16;
    return result;
}
