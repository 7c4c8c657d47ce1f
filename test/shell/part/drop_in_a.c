#include <stdio.h>
int b(void);
int main(void) { return printf("%d\n", b()) < 0; }
