// A column of a matrix against a row of it.
// want: race matrix at COLUMN ROW
#include "turns.h"

double matrix[50][50];
volatile int n = 50;

void first(void)
{
    for (int i = 0; i < n; i++)
        matrix[i][7] = i; /* COLUMN */
}

void second(void)
{
    for (int i = 0; i < n; i++)
        matrix[31][i] = i; /* ROW */
}
