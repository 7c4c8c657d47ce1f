/* A library with a function that writes to its argument. */
void tool_write(int *where, int v) { *where = v; /* TOOL */ }
