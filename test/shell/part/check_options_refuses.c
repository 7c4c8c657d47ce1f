/* Refuses to overwrite the file that is its argument, as many compressors do. With two arguments it
 * removes the file, and fails if there is none. Without arguments it fails in every run. */
#include <fcntl.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    if (argc > 2)
        return unlink(argv[1]) != 0;
    return argc < 2 ? 3 : open(argv[1], O_WRONLY | O_CREAT | O_EXCL, 0600) < 0;
}
