// Holds what weir says of a real engine against what the engine's server wrote down.
//   node engine_check.mjs same LOG JSONL     weir's requests against the server's, in order
//   node engine_check.mjs slope JSONL…       Theil–Sen slope of ttft over prompt tokens
// Prints a line "NAME<tab>ok" or "NAME<tab>what is wrong" for each check.
import { readFileSync } from "node:fs";

const lines = (path) => readFileSync(path, "utf8").trim().split("\n").map((line) => JSON.parse(line));
const requestsOf = (path) => lines(path).filter((line) => line.kind === "request");
const tell = (name, wrong) => console.log(`${name}\t${wrong || "ok"}`);
const differ = (expected, actual) => {
    const e = JSON.stringify(expected), a = JSON.stringify(actual);
    return e === a ? "" : `expected ${e.slice(0, 300)}, got ${a?.slice(0, 300)}`;
};

function same(logPath, jsonlPath) {
    const log = lines(logPath);
    const answers = log.filter((line) => line.kind === "answer");
    const requests = requestsOf(jsonlPath);
    tell("as many requests as answers", differ(answers.length, requests.length));
    requests.forEach((request, i) => {
        const answer = answers[i], of = `request ${i + 1}: `;
        const chunks = log.filter((line) => line.kind === "chunk" && line.request === answer.request);
        const outputs = request.events.filter((event) => event.kind.includes("answer"));
        tell(of + "complete", differ("complete", request.outcome));
        tell(of + "an output event for each chunk", differ(chunks.length, outputs.length));
        tell(of + "output_events", differ(chunks.length, request.output_events));
        tell(of + "bytes of each event", differ(chunks.map((c) => c.bytes), outputs.map((e) => e.bytes)));
        tell(of + "characters", differ(answer.text.length, request.output_chars));
        tell(of + "last event is the terminator", differ("terminator", request.events.at(-1).kind));
        const start = BigInt(request.start_monotonic_ns);
        const early = chunks.filter((c, k) => start + BigInt(outputs[k]?.at_ns ?? 0) < BigInt(c.at_ns));
        tell(of + "no event before it was written", early.length ? `${early.length} of ${chunks.length}` : "");
        if (request.token_source === "usage") {
            tell(of + "tokens are the engine's count", differ(answer.completion_tokens, request.tokens));
            tell(of + "prompt tokens", differ(answer.prompt_tokens, request.usage.prompt_tokens));
            tell(of + "cached tokens", differ(answer.cached_tokens, request.usage.cached_tokens));
        } else {
            tell(of + "token_source", differ("chunks", request.token_source));
            tell(of + "tokens are the chunks", differ(chunks.length, request.tokens));
        }
    });
}

// Slope and its 95 % interval by Kendall's tau, ties included (Sen 1968, Hollander and Wolfe 9.3).
function theilSen(points) {
    const slopes = [];
    for (let i = 0; i < points.length; i++)
        for (let k = i + 1; k < points.length; k++)
            if (points[i].x !== points[k].x)
                slopes.push((points[k].y - points[i].y) / (points[k].x - points[i].x));
    slopes.sort((a, b) => a - b);
    const n = points.length, each = (size) => size * (size - 1) * (2 * size + 5);
    const sizes = new Map();
    points.forEach(({ x }) => sizes.set(x, (sizes.get(x) ?? 0) + 1));
    const ties = [...sizes.values()].reduce((sum, size) => sum + each(size), 0);
    const width = 1.959964 * Math.sqrt((each(n) - ties) / 18);
    const low = Math.floor((slopes.length - width) / 2), high = Math.ceil((slopes.length + width) / 2);
    return { slope: slopes[slopes.length >> 1], low: slopes[Math.max(low - 1, 0)],
             high: slopes[Math.min(high, slopes.length - 1)] };
}

function slope(paths) {
    const points = paths.flatMap(requestsOf).filter((request) => !request.warmup)
        .map((request) => ({ x: request.usage.prompt_tokens, y: request.ttft_ms }));
    const sizes = new Set(paths.map((path) => Math.round(requestsOf(path).at(-1).usage.prompt_tokens / 20)));
    tell("five prompt lengths", differ(5, sizes.size));
    const { slope, low, high } = theilSen(points);
    const words = `${slope.toFixed(4)} ms a token, 95 % interval ${low.toFixed(4)} .. ${high.toFixed(4)}`;
    tell("ttft grows with the prompt", slope > 0 && low > 0 ? "" : words);
    console.error(`     ${words}, over ${points.length} requests`);
}

const [what, ...paths] = process.argv.slice(2);
if (what === "same")
    same(...paths);
else
    slope(paths);
