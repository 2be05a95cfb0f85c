// node make_gguf.mjs FILE: writes a small language model with random weights, in GGUF as llama.cpp
// reads it (llama architecture, SentencePiece-like vocabulary inside). No dependency, under a
// second, the same bytes each time. It says nothing sensible, but it is a real model: a prompt costs
// time in proportion to its length, tokens come one by one, the engine counts them.
import { closeSync, openSync, writeSync } from "node:fs";

const DIM = 256, LAYERS = 4, HEADS = 4, HIDDEN = 512, CONTEXT = 4096;
const ALIGN = 32;
const U32 = 4, I32 = 5, F32 = 6, STRING = 8, ARRAY = 9; // GGUF value types
const NORMAL = 1, UNKNOWN = 2, CONTROL = 3, BYTE = 6;   // llama.cpp token types

// Words with their leading space (U+2581), letters, and text of two to four bytes a character, so
// that answers are not ASCII alone.
const WORDS = `the of and to in is that it was for on are with as his they be at one have this from
    or had by hot but some what there we can out other were all your when up use word how said an
    each she which do their time if will way about many then them would write like so these her long
    make thing see him two has look more day could go come did my sound no most number who over know
    water than call first people may down side been now find any new work part take get place made
    live where after back little only round man year came show every good me give our under name very
    through just form much great think say help low line before turn cause same mean differ move`
    .split(/\s+/).map((word) => "\u2581" + word);
const OTHERS = ["é", "ü", "ß", "ж", "你", "好", "世", "界", "字", "😀", "🚀", "…", "—", "€"];
const LETTERS = Array.from({ length: 95 }, (_, i) => i === 0 ? "\u2581" : String.fromCharCode(32 + i));

function vocabulary() {
    const tokens = [["<unk>", UNKNOWN], ["<s>", CONTROL], ["</s>", CONTROL]];
    for (let byte = 0; byte < 256; byte++)
        tokens.push([`<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`, BYTE]);
    for (const text of new Set([...WORDS, ...OTHERS, ...LETTERS]))
        tokens.push([text, NORMAL]);
    // SentencePiece merges pairs that are tokens themselves: every beginning of a word is one.
    for (const word of WORDS)
        for (let length = 2; length < word.length; length++)
            if (!tokens.some(([text]) => text === word.slice(0, length)))
                tokens.push([word.slice(0, length), NORMAL]);
    return tokens;
}

// xorshift32: the same weights on every machine.
function generator(seed) {
    let state = seed >>> 0;
    return () => {
        state ^= state << 13, state >>>= 0;
        state ^= state >>> 17;
        state ^= state << 5, state >>>= 0;
        return state / 4294967296 - 0.5;
    };
}

function tensors(tokens) {
    const random = generator(20240607);
    const list = [];
    const add = (name, shape, fill) => {
        const data = new Float32Array(shape.reduce((a, b) => a * b));
        for (let i = 0; i < data.length; i++)
            data[i] = fill ?? random() * 3.4 / Math.sqrt(shape[0]);
        list.push({ name, shape, data });
        return data;
    };
    add("token_embd.weight", [DIM, tokens.length]);
    add("output_norm.weight", [DIM], 1);
    // Nothing but words is ever the likeliest: no raw byte, no end. Answers end at max_tokens.
    const output = add("output.weight", [DIM, tokens.length]);
    // What is not ASCII speaks up twice as loud, to be seen in short answers.
    tokens.forEach(([text, type], i) => {
        const factor = type !== NORMAL ? 0 : OTHERS.includes(text) ? 2 : 1;
        for (let k = i * DIM; k < (i + 1) * DIM; k++)
            output[k] *= factor;
    });
    for (let i = 0; i < LAYERS; i++) {
        add(`blk.${i}.attn_norm.weight`, [DIM], 1);
        for (const part of ["q", "k", "v", "output"])
            add(`blk.${i}.attn_${part}.weight`, [DIM, DIM]);
        add(`blk.${i}.ffn_norm.weight`, [DIM], 1);
        add(`blk.${i}.ffn_gate.weight`, [DIM, HIDDEN]);
        add(`blk.${i}.ffn_up.weight`, [DIM, HIDDEN]);
        add(`blk.${i}.ffn_down.weight`, [HIDDEN, DIM]);
    }
    return list;
}

const u32 = (n) => { const b = Buffer.alloc(4); b.writeUInt32LE(n); return b; };
const u64 = (n) => { const b = Buffer.alloc(8); b.writeBigUInt64LE(BigInt(n)); return b; };
const f32 = (n) => { const b = Buffer.alloc(4); b.writeFloatLE(n); return b; };
const string = (text) => { const b = Buffer.from(text); return Buffer.concat([u64(b.length), b]); };
const ENCODE = { [U32]: u32, [I32]: u32, [F32]: f32, [STRING]: string };
const field = (key, type, value) => Buffer.concat([string(key), u32(type), ENCODE[type](value)]);
const array = (key, type, values) => Buffer.concat(
    [string(key), u32(ARRAY), u32(type), u64(values.length), ...values.map(ENCODE[type])]);

function metadata(tokens) {
    return [
        field("general.architecture", STRING, "llama"),
        field("general.name", STRING, "tiny-random"),
        field("llama.context_length", U32, CONTEXT),
        field("llama.embedding_length", U32, DIM),
        field("llama.block_count", U32, LAYERS),
        field("llama.feed_forward_length", U32, HIDDEN),
        field("llama.attention.head_count", U32, HEADS),
        field("llama.attention.head_count_kv", U32, HEADS),
        field("llama.attention.layer_norm_rms_epsilon", F32, 1e-5),
        field("llama.rope.dimension_count", U32, DIM / HEADS),
        field("llama.vocab_size", U32, tokens.length),
        field("tokenizer.ggml.model", STRING, "llama"),
        array("tokenizer.ggml.tokens", STRING, tokens.map(([text]) => text)),
        array("tokenizer.ggml.scores", F32, tokens.map((_, i) => -i)),
        array("tokenizer.ggml.token_type", I32, tokens.map(([, type]) => type)),
        field("tokenizer.ggml.unknown_token_id", U32, 0),
        field("tokenizer.ggml.bos_token_id", U32, 1),
        field("tokenizer.ggml.eos_token_id", U32, 2),
    ];
}

function write(path) {
    const tokens = vocabulary();
    const list = tensors(tokens);
    const fields = metadata(tokens);
    const padded = (n) => Math.ceil(n / ALIGN) * ALIGN;
    const head = [Buffer.from("GGUF"), u32(3), u64(list.length), u64(fields.length), ...fields];
    let offset = 0;
    for (const { name, shape, data } of list) {
        head.push(string(name), u32(shape.length), ...shape.map(u64), u32(0 /* F32 */), u64(offset));
        offset += padded(data.byteLength);
    }
    const start = Buffer.concat(head);
    const file = openSync(path, "w");
    writeSync(file, start);
    writeSync(file, Buffer.alloc(padded(start.length) - start.length));
    for (const { data } of list) {
        writeSync(file, Buffer.from(data.buffer));
        writeSync(file, Buffer.alloc(padded(data.byteLength) - data.byteLength));
    }
    closeSync(file);
}

write(process.argv[2]);
