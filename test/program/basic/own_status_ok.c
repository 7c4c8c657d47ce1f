// Without findings, pf run exits with the program's own status.
// want: none
// exit: 7
// args: one two
// stdin: hello
// stdout: 3 hello
#include <stdio.h>

int main(int argc, char **argv)
{
    char word[20];
    if (argv[0] == NULL || scanf("%19s", word) != 1)
        return 1;
    printf("%d %s\n", argc, word);
    return 7;
}
