#ifndef WEIR_TEST_H
#define WEIR_TEST_H

/* What every unit test includes: cmocka with the headers it wants. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
