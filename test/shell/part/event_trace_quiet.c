int *quiet(int *p) { return p + 1; }
int opaque(int *p) { int v; __asm__("movl (%1), %0" : "=r"(v) : "r"(p)); return v; }
