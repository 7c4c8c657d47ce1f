/* A service that reads a file of settings with sections: [NAME], KEY = VALUE, comments, spaces. Its
 * two workers reuse one buffer without a lock if section [pool] has reuse = yes and a limit above
 * 100. */
// args: service.conf
// file: service.conf=# settings of the service
// file: service.conf=[log]
// file: service.conf=level = 3
// file: service.conf=file = out.txt
// file: service.conf=[pool]
// file: service.conf=reuse = no
// file: service.conf=limit = 20
// race: FIRST FIRST
#include "../hunt/hunt.h"
#include <ctype.h>
#include <strings.h>

struct settings {
    int level, reuse;
    long limit;
    char file[32];
};

static struct settings settings;
static int buffer[8];

static char *trim(char *s)
{
    char *end = s + strlen(s);
    while (isspace((unsigned char)*s))
        s++;
    while (end > s && isspace((unsigned char)end[-1]))
        *--end = 0;
    return s;
}

static int set(const char *section, const char *key, const char *value)
{
    if (!strcmp(section, "log")) {
        if (!strcmp(key, "level"))
            settings.level = atoi(value);
        else if (!strcmp(key, "file"))
            snprintf(settings.file, sizeof settings.file, "%s", value);
        else
            return 0;
        return 1;
    }
    if (!strcmp(section, "pool")) {
        if (!strcmp(key, "reuse"))
            settings.reuse = !strcasecmp(value, "yes");
        else if (!strcmp(key, "limit"))
            settings.limit = strtol(value, NULL, 10);
        else
            return 0;
        return 1;
    }
    return 0;
}

static int load(const char *path)
{
    char line[128], section[32] = "";
    int number = 0;
    FILE *f = fopen(path, "r");
    if (!f) {
        perror(path);
        return 0;
    }
    while (fgets(line, sizeof line, f)) {
        char *s = trim(line), *equals;
        number++;
        if (!*s || *s == '#')
            continue;
        if (*s == '[') {
            char *close = strchr(s, ']');
            if (!close || close - s > 31) {
                fprintf(stderr, "%s:%d: bad section\n", path, number);
                fclose(f);
                return 0;
            }
            *close = 0;
            strcpy(section, s + 1);
            continue;
        }
        equals = strchr(s, '=');
        if (!equals) {
            fprintf(stderr, "%s:%d: '=' expected\n", path, number);
            fclose(f);
            return 0;
        }
        *equals = 0;
        if (!set(section, trim(s), trim(equals + 1)))
            fprintf(stderr, "%s:%d: unknown key\n", path, number);
    }
    fclose(f);
    return 1;
}

static void *work(void *arg)
{
    int own[8] = {0}, *data = own;
    if (settings.reuse && settings.limit > 100)
        data = buffer;
    GUARD();
    data[0]++; /* FIRST */
    UNGUARD();
    (void)arg;
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 2 || !load(argv[1]))
        return 1;
    run_two(work, work, NULL);
    printf("level %d, first %d\n", settings.level, buffer[0]);
    return 0;
}
