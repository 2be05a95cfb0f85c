#ifndef WEIR_BASE_ATTR_H
#define WEIR_BASE_ATTR_H

/* Compiler attributes, named once. Nothing else in weir writes __attribute__. */

#define MUST_USE                        __attribute__((warn_unused_result))
#define NORETURN                        __attribute__((noreturn))
#define PRINTF_LIKE(format_at, args_at) __attribute__((format(printf, format_at, args_at)))
#define UNUSED                          __attribute__((unused))
#define RETURNS_NONNULL                 __attribute__((returns_nonnull))

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#endif
