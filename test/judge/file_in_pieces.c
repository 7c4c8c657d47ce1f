// The order decides in how many pieces the program writes a file. The bytes are the same.
// judge: whole k-witness-harmless
#include "file_text.h"

static void write_text(int fd)
{
    const char *text = "the same bytes\n";
    size_t first = whole ? strlen(text) : 4;
    put(fd, text, first);
    put(fd, text + first, strlen(text) - first);
}
