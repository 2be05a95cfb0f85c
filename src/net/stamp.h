#ifndef WEIR_NET_STAMP_H
#define WEIR_NET_STAMP_H

#include <stddef.h>
#include <sys/types.h>

#include "measure/observe.h"

/*
 * Receive instants from the kernel (SO_TIMESTAMPING, software): the moment the bytes came in, not
 * the moment somebody got round to reading them. The kernel stamps on CLOCK_REALTIME; a stamper
 * maps that onto CLOCK_MONOTONIC. Where there is no stamp (unix sockets, old kernels) the instant
 * is our own clock's, marked CLOCK_KIND_USER. One thread.
 */
struct stamper {
    struct clock_offset offset;
    int keep_fd; /* a socket with the option on: the kernel switches stamping on late, for all */
    int64_t reads;
};

/* Waits until the kernel does stamp, at most 50 ms. Never fails: without stamps reads are marked.
 */
void stamper_init(struct stamper *s);
void stamper_done(struct stamper *s);

/* Asks for stamps on a socket: before it is connected. */
void stamper_prepare(int fd);

/*
 * One recvmsg, non-blocking: as recv. With bytes, `*out` says when they arrived; if several
 * segments waited together it is the last one's instant. It is never later than out->read_at.
 */
ssize_t stamper_recv(struct stamper *s, int fd, void *bytes, size_t len, struct stamp *out);

#endif
