/* Fields of a line that is split at delimiters, compared with texts of other lengths; a count that
 * comes from the input; a function without a model that reads the input. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    char *line = NULL, *rest, *field, word[8] = "";
    size_t room = 0;
    unsigned char n;
    char body[16];
    if (getdelim(&line, &room, '\n', stdin) <= 0)
        return 2;
    rest = line;
    while ((field = strsep(&rest, ",;\n")))
        if (!strcmp(field, "longer"))
            return 3;
    if (fread(&n, 1, 1, stdin) == 1 && n < sizeof body && fread(body, 1, n, stdin) == n && n == 7)
        return 4;
    if (argc > 1 && scanf("%7s", word) == 1)
        return word[0];
    return 0;
}
