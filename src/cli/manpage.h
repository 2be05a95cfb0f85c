#ifndef WEIR_CLI_MANPAGE_H
#define WEIR_CLI_MANPAGE_H

#include "base/buf.h"

/* weir.1 from the tables of commands and options: `weir help man >man/weir.1`. Pure. */
void manpage(struct buf *out);

#endif
