#include "net/control.h"

#include <curl/curl.h>

#include "base/mem.h"

static size_t take_body(char *bytes, size_t size, size_t count, void *arg)
{
    return buf_add(arg, bytes, size * count) ? size * count : 0;
}

static struct curl_slist *add_header(struct curl_slist *list, struct str name, struct str value)
{
    struct buf line = {0};
    buf_add_str(&line, name);
    buf_add_text(&line, value.len ? ": " : ";"); /* libcurl's way to send an empty one */
    buf_add_str(&line, value);
    list = curl_slist_append(list, buf_text(&line));
    mem_wipe(line.ptr, line.len);
    buf_done(&line);
    return list;
}

static struct curl_slist *headers_of(const struct control_get *get)
{
    struct curl_slist *list = add_header(NULL, STR("Accept"), STR("application/json"));
    for (size_t i = 0; i < get->header_count; i++)
        list = add_header(list, get->headers[i].name, get->headers[i].value);
    if (get->key.len) {
        struct buf bearer = {0};
        buf_add_text(&bearer, "Bearer ");
        buf_add_str(&bearer, get->key);
        list = add_header(list, STR("Authorization"), buf_str(&bearer));
        mem_wipe(bearer.ptr, bearer.len);
        buf_done(&bearer);
    }
    return list;
}

static long ms_of(int64_t ns)
{
    const int64_t day_ms = 86400000;
    return ns / 1000000 < day_ms ? (long)(ns / 1000000) : (long)day_ms;
}

bool control_get(const struct control_get *get, int *status, struct buf *body, char detail[256])
{
    CURL *c = curl_easy_init();
    struct curl_slist *headers = headers_of(get);
    struct buf read = {.max = get->body_max};
    char words[CURL_ERROR_SIZE] = "";
    long code = 0;
    detail[0] = '\0';
    curl_easy_setopt(c, CURLOPT_URL, get->url);
    curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(c, CURLOPT_PROXY, "");
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, ms_of(get->connect_ns));
    curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, ms_of(get->total_ns));
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER, get->insecure ? 0L : 1L);
    curl_easy_setopt(c, CURLOPT_SSL_VERIFYHOST, get->insecure ? 0L : 2L);
    if (get->ca_file)
        curl_easy_setopt(c, CURLOPT_CAINFO, get->ca_file);
    curl_easy_setopt(c, CURLOPT_USERAGENT, "weir/" WEIR_VERSION);
    curl_easy_setopt(c, CURLOPT_ERRORBUFFER, words);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, &read);
    bool ok = c && curl_easy_perform(c) == CURLE_OK &&
              curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &code) == CURLE_OK;
    if (ok) {
        *status = (int)code;
        buf_add_str(body, buf_str(&read));
    } else {
        str_copy(detail, 256, str_of(words));
    }
    curl_easy_cleanup(c);
    curl_slist_free_all(headers);
    buf_done(&read);
    return ok;
}
