#include <unistd.h>
int main(void) { return syscall(500, 1) == -1 ? 0 : 1; }
