#include "config/file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/fmt.h"
#include "base/mem.h"

static bool cannot(struct err *err, const char *name, int error)
{
    return err_set(err, EXIT_USAGE, "cannot_read", TEXT_CONFIG_FILE_OPEN, name, strerror(error));
}

/* Reads one byte more than allowed, to tell a full file from one that is too large. */
static bool read_all(int fd, const char *name, size_t max, struct buf *out, struct err *err)
{
    char chunk[16 << 10];
    for (;;) {
        ssize_t n = read(fd, chunk, sizeof(chunk));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return cannot(err, name, errno);
        if (n == 0)
            return true;
        if ((size_t)n > max - out->len || !buf_add(out, chunk, (size_t)n)) {
            mem_wipe(chunk, sizeof(chunk));
            return err_set(err, EXIT_USAGE, "file_too_large", TEXT_CONFIG_FILE_LARGE, name,
                           fmt_bytes((int64_t)max).text);
        }
        mem_wipe(chunk, (size_t)n); /* it may be a key */
    }
}

bool file_read(const char *path, size_t max, struct buf *out, struct err *err)
{
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "stdin" : *path ? path : "\"\"";
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return cannot(err, name, errno);
    bool ok = read_all(fd, name, max, out, err);
    if (!is_stdin)
        close(fd);
    return ok;
}
