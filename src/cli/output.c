#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/utf8.h"

static bool failed(struct output *o, int error, struct err *err)
{
    o->error = error;
    return err_set(err, EXIT_WRITE, "cannot_write", TEXT_CLI_CANNOT_WRITE, o->name,
                   strerror(error));
}

bool output_open(struct output *o, const char *file, struct err *err)
{
    *o = (struct output){.fd = STDOUT_FILENO, .name = "stdout"};
    if (!file)
        return true;
    o->name = file;
    o->is_file = true;
    o->fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (o->fd >= 0)
        return true;
    failed(o, errno, err);
    err_why(err, TEXT_CLI_NOTHING_SENT);
    return false;
}

/* 0, or errno. A terminal that somebody made non-blocking is waited for. */
static int write_all(int fd, struct str text)
{
    while (text.len) {
        ssize_t n = write(fd, text.ptr, text.len);
        if (n >= 0) {
            text = str_from(text, (size_t)n);
        } else if (errno == EAGAIN) {
            struct pollfd p = {.fd = fd, .events = POLLOUT};
            if (poll(&p, 1, -1) < 0 && errno != EINTR)
                return errno;
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

bool output_write(struct output *o, const struct scrub *secrets, struct str text, struct err *err)
{
    if (o->error)
        return failed(o, o->error, err);
    struct buf clean = {.max = SIZE_MAX / 2};
    if (o->json)
        scrub_json(secrets, text, &clean);
    else
        scrub_text(secrets, text, &clean);
    int error = 0;
    if (o->is_file && !o->started && ftruncate(o->fd, 0) != 0 && errno != EINVAL) /* a device */
        error = errno;
    o->started = true;
    if (!error)
        error = write_all(o->fd, buf_str(&clean));
    buf_done(&clean);
    return !error || failed(o, error, err);
}

bool output_close(struct output *o, struct err *err)
{
    int fd = o->is_file ? o->fd : -1;
    o->is_file = false;
    if (fd < 0 || close(fd) == 0 || o->error)
        return true;
    return failed(o, errno, err);
}

void output_note(const struct scrub *secrets, struct str text)
{
    struct buf clean = {0};
    scrub_text(secrets, text, &clean);
    (void)write_all(STDERR_FILENO, buf_str(&clean));
    buf_done(&clean);
}

void output_ascii(struct str text, struct buf *out)
{
    for (size_t len; text.len; text = str_from(text, len)) {
        uint32_t code = utf8_decode(text, &len);
        if (code < 0x80)
            buf_add_byte(out, (char)code);
        else if (code == 0x2026) /* … */
            buf_add_text(out, "...");
        else
            buf_add_byte(out, code == 0x2013 || code == 0x2014 ? '-' : '?');
    }
}
