#include "base/fmt.h"

#include <assert.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define NOTHING "–"

/* glibc hands out a static object for the C locale: nothing to free, nothing to fail. */
static locale_t c_locale(void)
{
    return newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

PRINTF_LIKE(3, 4) static void print(char *to, size_t size, const char *format, ...)
{
    locale_t before = uselocale(c_locale());
    va_list args;
    va_start(args, format);
    int len = vsnprintf(to, size, format, args);
    va_end(args);
    uselocale(before);
    assert(len >= 0 && (size_t)len < size);
}

/* Adds a comma before every third digit of the whole part. */
static struct fmt with_thousands(const char *number)
{
    struct fmt f;
    size_t sign = *number == '-', whole = 0, at = 0;
    while (number[sign + whole] >= '0' && number[sign + whole] <= '9')
        whole++;
    for (size_t i = 0; number[i] && at + 2 < sizeof(f.text); i++) {
        size_t left = sign + whole > i ? sign + whole - i : 0;
        if (i > sign && left > 0 && left % 3 == 0)
            f.text[at++] = ',';
        f.text[at++] = number[i];
    }
    f.text[at] = 0;
    return f;
}

/* Drops the zeros that end a fraction, and its point if nothing is left of it. */
static void trim_zeros(char *number)
{
    char *point = strchr(number, '.');
    if (!point)
        return;
    char *end = number + strlen(number);
    while (end > point + 1 && end[-1] == '0')
        end--;
    if (end == point + 1)
        end = point;
    *end = 0;
}

struct fmt fmt_int(int64_t n)
{
    struct fmt f;
    print(f.text, sizeof(f.text), "%lld", (long long)n);
    return f;
}

struct fmt fmt_count(int64_t n)
{
    return with_thousands(fmt_int(n).text);
}

/* From 1 on exactly three digits (46.0), below 1 at most three (0.1): zeros there say nothing. */
struct fmt fmt_sig(double x)
{
    if (!isfinite(x) || fabs(x) >= 1e18)
        return (struct fmt){NOTHING};
    if (fabs(x) < 1e-9)
        return (struct fmt){"0"};
    char text[40];
    print(text, sizeof(text), "%.2e", x);
    int exponent = atoi(strchr(text, 'e') + 1);
    if (exponent >= 2) {
        double step = pow(10, exponent - 2);
        print(text, sizeof(text), "%.0f", round(strtod_l(text, NULL, c_locale()) / step) * step);
        return with_thousands(text);
    }
    print(text, sizeof(text), "%.*f", 2 - exponent, x);
    if (exponent < 0)
        trim_zeros(text);
    return with_thousands(text);
}

struct fmt fmt_fixed(double x, int decimals)
{
    assert(decimals >= 0 && decimals <= 9);
    if (!isfinite(x) || fabs(x) >= 1e15)
        return (struct fmt){NOTHING};
    struct fmt f;
    print(f.text, sizeof(f.text), "%.*f", decimals, x);
    return f;
}

struct fmt fmt_share(double share)
{
    if (!isfinite(share) || fabs(share) >= 1e9)
        return (struct fmt){NOTHING};
    struct fmt f;
    print(f.text, sizeof(f.text), "%.0f %%", share * 100);
    return f;
}

static struct fmt short_with_unit(double x, const char *unit)
{
    struct fmt number = fmt_sig(x), f;
    trim_zeros(number.text);
    print(f.text, sizeof(f.text), "%.24s %s", number.text, unit);
    return f;
}

static struct fmt two_units(int64_t n, int64_t per, char big, char small)
{
    struct fmt f;
    if (n % per)
        print(f.text, sizeof(f.text), "%lld%c %lld%c", (long long)(n / per), big,
              (long long)(n % per), small);
    else
        print(f.text, sizeof(f.text), "%lld%c", (long long)(n / per), big);
    return f;
}

/* Rounds before it chooses the unit, so that 999.7 ms is 1 s and never 1,000 ms. */
struct fmt fmt_duration(int64_t ns)
{
    if (ns < 0)
        return (struct fmt){NOTHING};
    if (ns == INT64_MAX)
        return (struct fmt){"off"};
    if (ns < 1000)
        return short_with_unit((double)ns, "ns");
    if (ns < 999500000)
        return short_with_unit((double)ns / 1e6, "ms");
    if (ns < 59950000000)
        return short_with_unit((double)ns / 1e9, "s");
    int64_t seconds = ns / 1000000000 + (ns % 1000000000 >= 500000000);
    if (seconds < 3600)
        return two_units(seconds, 60, 'm', 's');
    int64_t minutes = (seconds + 30) / 60;
    if (minutes < 24 * 60)
        return two_units(minutes, 60, 'h', 'm');
    return two_units((minutes + 30) / 60, 24, 'd', 'h');
}

struct fmt fmt_bytes(int64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    if (bytes < 0)
        return (struct fmt){NOTHING};
    double x = (double)bytes;
    size_t unit = 0;
    for (; x >= 999.5 && unit + 1 < ARRAY_LEN(units); unit++)
        x /= 1024;
    return short_with_unit(x, units[unit]);
}

bool fmt_parse_int(struct str s, int64_t least, int64_t most, int64_t *out)
{
    char text[24];
    size_t sign = s.len && s.ptr[0] == '-';
    if (s.len == sign || !str_copy(text, sizeof(text), s))
        return false;
    for (size_t i = sign; i < s.len; i++)
        if (s.ptr[i] < '0' || s.ptr[i] > '9')
            return false;
    errno = 0;
    long long n = strtoll(text, NULL, 10);
    if (errno || n < least || n > most)
        return false;
    *out = n;
    return true;
}

static size_t digits_at(struct str s, size_t from)
{
    size_t n = 0;
    while (from + n < s.len && s.ptr[from + n] >= '0' && s.ptr[from + n] <= '9')
        n++;
    return n;
}

/* [-] digits [. digits] [e [+-] digits], with a digit before or after the point; strtod alone would
 * also take blanks, hexadecimals, inf and nan. */
static bool is_decimal(struct str s)
{
    size_t at = s.len && s.ptr[0] == '-';
    size_t whole = digits_at(s, at), fraction = 0;
    at += whole;
    if (at < s.len && s.ptr[at] == '.') {
        fraction = digits_at(s, at + 1);
        at += 1 + fraction;
    }
    if (whole + fraction == 0)
        return false;
    if (at < s.len && (s.ptr[at] == 'e' || s.ptr[at] == 'E')) {
        at++;
        at += at < s.len && (s.ptr[at] == '-' || s.ptr[at] == '+');
        size_t power = digits_at(s, at);
        if (power == 0)
            return false;
        at += power;
    }
    return at == s.len;
}

bool fmt_parse_double(struct str s, double least, double most, double *out)
{
    char text[64];
    if (!is_decimal(s) || !str_copy(text, sizeof(text), s))
        return false;
    double x = strtod_l(text, NULL, c_locale());
    if (!(x >= least && x <= most))
        return false;
    *out = x;
    return true;
}

bool fmt_parse_duration(struct str s, int64_t *ns)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1},   {"us", 1e3},   {"ms", 1e6},    {"s", 1e9},
                 {"m", 60e9}, {"h", 3600e9}, {"d", 86400e9}, {"", 1e9}};
    if (str_eq(s, STR("off"))) {
        *ns = INT64_MAX;
        return true;
    }
    size_t number = 0;
    while (number < s.len && (digits_at(s, number) || s.ptr[number] == '.'))
        number++;
    for (size_t i = 0; i < ARRAY_LEN(units); i++) {
        double x;
        if (!str_eq(str_from(s, number), str_of(units[i].name)))
            continue;
        if (!fmt_parse_double(str_upto(s, number), 0, 9e18 / units[i].ns, &x))
            return false;
        *ns = llround(x * units[i].ns);
        return true;
    }
    return false;
}
