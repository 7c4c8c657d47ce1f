// A program of ../symbolic.sh: the text of a number chooses its base.
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    char line[64];
    int n = 0;
    if (argc < 2 || !fgets(line, sizeof line, stdin))
        return 9;
    if (strtol(argv[1], NULL, 0) == 200)
        puts("argument is 200");
    if (strtol(line, NULL, 0) == 8)
        puts("first line is 8");
    if (fgets(line, sizeof line, stdin) && sscanf(line, "%i", &n) == 1 && n == 9)
        puts("second line is 9");
    return 0;
}
