// node engine_server.mjs --model FILE.gguf --log FILE [--no-usage]
//
// A small OpenAI-compatible server around a real engine (llama.cpp by node-llama-cpp) that writes
// down what it does, so that what weir measured can be held against it. One slot, requests in order
// of arrival. Prints "listening on http://127.0.0.1:PORT" once it is ready. The log has a JSON line
//     for each chunk with output:  {"kind":"chunk","request":1,"index":0,"text":"…","bytes":n,"at_ns":"…"}
//     for each answer:             {"kind":"answer","request":1,"prompt_tokens":…,"completion_tokens":…,
//                                   "cached_tokens":…,"chunks":…,"text":"…"}
// `bytes` is the length of the chunk's data, at_ns an instant of CLOCK_MONOTONIC before the write.
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { getLlama } from "node-llama-cpp";

const argument = (name) => {
    const at = process.argv.indexOf(name);
    return at < 0 ? undefined : process.argv[at + 1];
};
const withUsage = !process.argv.includes("--no-usage");
const logFile = argument("--log");
const log = (line) => appendFileSync(logFile, JSON.stringify(line) + "\n");

const NAME = "tiny-random", CONTEXT = 4096, BODY_MAX = 1 << 20;

const llama = await getLlama({ gpu: false, build: "never", skipDownload: true, maxThreads: 1,
                               logLevel: "warn", progressLogs: false });
const model = await llama.loadModel({ modelPath: argument("--model"), gpuLayers: 0 });
const context = await model.createContext({ contextSize: CONTEXT, sequences: 1, batchSize: 512, threads: 1 });
const sequence = context.getSequence();

// Evaluates the prompt, less what the context still holds of it, and yields text as it becomes
// whole: a token that ends inside a character waits for the next one.
async function* generate(prompt, maxTokens, facts) {
    const tokens = [model.tokens.bos, ...model.tokenize(prompt)].slice(-(CONTEXT - maxTokens - 1));
    await sequence.adaptStateToTokens(tokens.slice(0, -1), false);
    facts.prompt_tokens = tokens.length;
    facts.cached_tokens = sequence.nextTokenIndex;
    const out = [];
    let shown = 0;
    const options = { temperature: 0, repeatPenalty: { penalty: 1.5, punishTokens: () => out.slice(-48) } };
    for await (const token of sequence.evaluate(tokens.slice(facts.cached_tokens), options)) {
        out.push(token);
        facts.completion_tokens = out.length;
        const text = model.detokenize(out);
        if (text.length > shown && !text.endsWith("\ufffd")) {
            yield text.slice(shown);
            shown = text.length;
        }
        if (out.length >= maxTokens)
            return;
    }
}

const usageOf = (facts) => ({
    prompt_tokens: facts.prompt_tokens,
    completion_tokens: facts.completion_tokens,
    total_tokens: facts.prompt_tokens + facts.completion_tokens,
    prompt_tokens_details: { cached_tokens: facts.cached_tokens },
});

let requests = 0;
async function complete(body, response) {
    const request = ++requests;
    const id = `chatcmpl-${request}`, created = Math.floor(Date.now() / 1000);
    const prompt = body.messages.map((message) => `${message.role}: ${message.content}\n`).join("") + "assistant:";
    const maxTokens = Math.min(body.max_tokens ?? body.max_completion_tokens ?? 128, CONTEXT / 2);
    const facts = { prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0 };
    const base = { id, created, model: NAME };
    const send = (choices, more) => {
        const data = JSON.stringify({ ...base, object: "chat.completion.chunk", choices, ...more });
        response.write(`data: ${data}\n\n`);
    };
    let chunks = 0, whole = "";
    if (body.stream) {
        response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-cache" });
        send([{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }]);
    }
    for await (const text of generate(prompt, maxTokens, facts)) {
        if (response.destroyed)
            return;
        whole += text;
        if (!body.stream)
            continue;
        const choices = [{ index: 0, delta: { content: text }, finish_reason: null }];
        const bytes = Buffer.byteLength(JSON.stringify({ ...base, object: "chat.completion.chunk", choices }));
        log({ kind: "chunk", request, index: chunks++, text, bytes, at_ns: String(process.hrtime.bigint()) });
        send(choices);
    }
    log({ kind: "answer", request, ...facts, chunks, text: whole });
    if (body.stream) {
        send([{ index: 0, delta: {}, finish_reason: "length" }]);
        if (withUsage && body.stream_options?.include_usage)
            send([], { usage: usageOf(facts) });
        response.end("data: [DONE]\n\n");
    } else {
        answer(response, 200, {
            ...base, object: "chat.completion",
            choices: [{ index: 0, message: { role: "assistant", content: whole }, finish_reason: "length" }],
            ...(withUsage ? { usage: usageOf(facts) } : {}),
        });
    }
}

function answer(response, status, value) {
    const text = JSON.stringify(value);
    response.writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) });
    response.end(text);
}
const refuse = (response, status, message) => answer(response, status, { error: { message, type: "invalid_request_error" } });

let slot = Promise.resolve();
const server = createServer(async (request, response) => {
    if (request.method === "GET" && request.url === "/v1/models")
        return answer(response, 200, { object: "list", data: [{ id: NAME, object: "model", owned_by: "weir" }] });
    if (request.method !== "POST" || request.url !== "/v1/chat/completions")
        return refuse(response, 404, "no such path");
    let text = "";
    for await (const piece of request.setEncoding("utf8"))
        if ((text += piece).length > BODY_MAX)
            return refuse(response, 413, "too long");
    let body;
    try {
        body = JSON.parse(text);
        if (!Array.isArray(body.messages) || !body.messages.length)
            throw new Error("no messages");
    } catch (error) {
        return refuse(response, 400, error.message);
    }
    slot = slot.then(() => complete(body, response)).catch((error) => {
        console.error(error);
        response.destroy();
    });
});
server.keepAliveTimeout = 75_000;
server.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${server.address().port}`));
