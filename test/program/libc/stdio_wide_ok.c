// Wide characters through a pipe.
// want: none
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include <wchar.h>

int character, text, number, fds[2];
static void *work(void *arg)
{
    FILE *f = fdopen(fds[1], "w");
    setvbuf(f, NULL, _IONBF, 0);
    character = 1;
    fputwc(L'a', f);
    text = 1;
    fputws(L"bc\n", f);
    number = 1;
    fwprintf(f, L"%d\n", 42);
    return f;
}
int main(void)
{
    pthread_t t;
    void *out;
    wchar_t line[8];
    int n = 0;
    assert(pipe(fds) == 0);
    FILE *in = fdopen(fds[0], "r");
    setvbuf(in, NULL, _IONBF, 0);
    pthread_create(&t, NULL, work, NULL);
    assert(fgetwc(in) == L'a');
    character++;
    assert(fgetws(line, 8, in) && line[1] == L'c');
    text++;
    assert(fwscanf(in, L"%d", &n) == 1 && n == 42);
    number++;
    pthread_join(t, &out);
    fclose(out);
    fclose(in);
    return character + text + number != 6;
}
