#!/usr/bin/python3
"""What bench_streams measures, by a plain Python client: aiohttp, lines as they come, time taken
when the program sees them. The same streams, the same window, the same line of JSON.

    plain_client.py URL STREAMS GAP_MS TOKENS
"""
import asyncio
import json
import resource
import ssl
import sys
import time

import aiohttp


def cpu_now():
    use = resource.getrusage(resource.RUSAGE_SELF)
    return use.ru_utime + use.ru_stime


def rss_now():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


class Bench:
    def __init__(self, base, count, gap_ms, tokens):
        self.url = base + "/v1/chat/completions"
        self.count, self.gap, self.tokens = count, gap_ms / 1e3, tokens
        self.errors, self.measuring, self.over, self.complete = [], False, False, 0

    async def stream(self, session):
        body = {"model": "weir-sim", "stream": True, "max_tokens": self.tokens,
                "messages": [{"role": "user", "content": "go"}]}
        async with session.post(self.url, json=body) as response:
            async for line in response.content:
                now = time.monotonic_ns()
                if not line.startswith(b"data: "):
                    continue
                if line.startswith(b"data: [DONE]"):
                    self.complete += 1
                    continue
                event = json.loads(line[6:])
                if self.measuring:
                    self.errors.append(now - event["sent_ns"])
        if not self.over:
            self.window_end()

    def window_start(self):
        if not self.over:
            self.measuring = True
            self.rss_open, self.window_from, self.cpu_from = rss_now(), time.monotonic(), cpu_now()

    def window_end(self):
        self.cpu_to, self.window_to = cpu_now(), time.monotonic()
        self.measuring, self.over = False, True

    async def run(self):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connector = aiohttp.TCPConnector(limit=0, ssl=context)
        timeout = aiohttp.ClientTimeout(total=None)
        async with aiohttp.ClientSession(connector=connector, timeout=timeout) as session:
            self.rss_before = rss_now()
            loop, tasks = asyncio.get_running_loop(), []
            begin = loop.time()
            for i in range(self.count):
                await asyncio.sleep(begin + i * self.gap * (0.05 + 1 / 618.034) - loop.time())
                tasks.append(asyncio.create_task(self.stream(session)))
            loop.call_later(1, self.window_start)
            await asyncio.gather(*tasks)

    def report(self):
        about = {"client": "python", "tls": self.url.startswith("https"), "streams": self.count,
                 "complete": self.complete}
        if not self.errors:  # too busy: the first stream was over before the last had begun
            return about | {"events": 0}
        errors, seconds = sorted(self.errors), self.window_to - self.window_from
        cpu = self.cpu_to - self.cpu_from

        def at(q):
            return round(errors[int(q * (len(errors) - 1))] / 1e3, 1)

        return about | {
            "events": len(errors), "events_per_s": round(len(errors) / seconds),
            "p50_us": at(0.5), "p99_us": at(0.99), "p999_us": at(0.999), "max_us": at(1),
            "early": sum(error < 0 for error in errors),
            "cpu_us": round(cpu / len(errors) * 1e6, 2), "core": round(cpu / seconds, 2),
            "kib": round((self.rss_open - self.rss_before) / 1024 / self.count, 1)}


bench = Bench(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
asyncio.run(bench.run())
print(json.dumps(bench.report(), separators=(",", ":")))
sys.exit(0 if bench.complete == bench.count else 5)
