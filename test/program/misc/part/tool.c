void tool_write(int *where, int v) { *where = v; /* TOOL */ }
