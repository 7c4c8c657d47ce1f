/* Refuses to overwrite the file that is its argument, as many compressors do. Without an argument
 * it fails in every run. */
#include <fcntl.h>

int main(int argc, char **argv)
{
    return argc < 2 ? 3 : open(argv[1], O_WRONLY | O_CREAT | O_EXCL, 0600) < 0;
}
