// The buffers of fputws and fgetws.
// want: race out at CHANGE SEND
// want: race in at FILL USE
#include "turns.h"
#include <stdio.h>
#include <wchar.h>

wchar_t out[8] = L"abc", in[8];
static FILE *f, *g;
static _Thread_local volatile long sink;
void before(void)
{
    f = tmpfile();
    g = tmpfile();
    fputws(L"xyz\n", g);
    rewind(g);
}
void first(void)
{
    out[2] = L'x';                  /* CHANGE */
    sink = fgetws(in, 8, g) != NULL; /* FILL */
}
void second(void)
{
    sink = fputws(out, f); /* SEND */
    sink = in[1];          /* USE */
}
