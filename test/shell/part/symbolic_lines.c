// A program of ../symbolic.sh: lines with zeros, texts that are or are not numbers, empty input.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void)
{
    char line[64];
    int n = 0, result = 0;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "%d", &n) == 1 && n == 77)
            result |= 2;
        if (atoi(line + 2) == 88)
            result |= 4;
    }
    if (read(0, line, sizeof line) > 0)
        result |= 8;
    return result;
}
