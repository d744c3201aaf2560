import { asArray, asObject, isObject, type JsonObject } from '../../shared/json.ts';
import type { Random } from '../random.ts';
import type { Step } from '../script.ts';
import { different, objects } from './reading.ts';
import {
  type IssuedTurn,
  pieces,
  type ReadResult,
  type ReadTurn,
  type ScriptedAnswer,
  type ScriptedUpstream,
} from './upstream.ts';

const THINKING: readonly unknown[] = ['thinking', 'redacted_thinking'];
const USAGE = { input_tokens: 50, output_tokens: 40, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

/** Claude ("Extended thinking", preserving thinking blocks). With `redacted`, a part of each thought is withheld. */
export function anthropicUpstream(redacted: boolean): ScriptedUpstream {
  return {
    takesToolImages: true,
    isStream: (_path, body) => body.stream === true,
    answer: (step, random) => answer(step, random, redacted),
    read,
    problemOf,
    problemWith,
    refusal: (message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
  };
}

function answer({ thought, text, calls }: Step, random: Random, redacted: boolean): ScriptedAnswer {
  const signature = random.base64(401);
  const data = random.base64(322);
  const native: JsonObject[] = [
    { type: 'thinking', thinking: thought, signature },
    ...(redacted ? [{ type: 'redacted_thinking', data }] : []),
    ...(text === null ? [] : [{ type: 'text', text }]),
    ...calls.map(({ name, args }) => ({ type: 'tool_use', id: `toolu_01${random.letters(22)}`, name, input: args })),
  ];
  const id = `msg_01${random.letters(22)}`;
  const stop_reason = calls.length > 0 ? 'tool_use' : 'end_turn';
  const head = { id, type: 'message', role: 'assistant', model: 'claude', stop_sequence: null };
  const message = { ...head, content: [], stop_reason: null, usage: USAGE };
  const delta = { stop_reason, stop_sequence: null };
  const data_: readonly JsonObject[] = [
    { type: 'message_start', message },
    ...native.flatMap(blockEvents),
    { type: 'message_delta', delta, usage: { output_tokens: 40 } },
    { type: 'message_stop' },
  ];
  return {
    turn: { native, secrets: redacted ? [signature, data] : [signature], stored: null, argsTexts: [] },
    whole: { ...head, content: native, stop_reason, usage: USAGE },
    events: data_.map((one) => ({ event: String(one.type), data: one })),
  };
}

function blockEvents(block: JsonObject, index: number): JsonObject[] {
  const start = (content_block: JsonObject) => ({ type: 'content_block_start', index, content_block });
  const delta = (one: JsonObject) => ({ type: 'content_block_delta', index, delta: one });
  const stop = { type: 'content_block_stop', index };
  switch (block.type) {
    case 'thinking':
      return [
        start({ type: 'thinking', thinking: '', signature: '' }),
        ...pieces(String(block.thinking)).map((thinking) => delta({ type: 'thinking_delta', thinking })),
        delta({ type: 'signature_delta', signature: block.signature ?? '' }),
        stop,
      ];
    case 'text':
      return [
        start({ type: 'text', text: '' }),
        ...pieces(String(block.text)).map((text) => delta({ type: 'text_delta', text })),
        stop,
      ];
    case 'tool_use':
      return [
        start({ ...block, input: {} }),
        delta({ type: 'input_json_delta', partial_json: '' }),
        ...pieces(JSON.stringify(block.input)).map((partial_json) => delta({ type: 'input_json_delta', partial_json })),
        stop,
      ];
    default:
      return [start(block), stop];
  }
}

function read(body: JsonObject): readonly ReadTurn[] | string {
  const turns: ReadTurn[] = [];
  let awaited: readonly unknown[] = [];
  for (const [index, message] of objects(body.messages).entries()) {
    const blocks = contentOf(message);
    if (message.role === 'assistant') {
      const uses = blocks.filter(({ type }) => type === 'tool_use');
      awaited = uses.map(({ id }) => id);
      turns.push({
        native: blocks,
        calls: uses.map(({ id, name, input }) => ({ id: String(id), name, args: input })),
        results: [],
      });
      continue;
    }
    const results = blocks.filter(({ type }) => type === 'tool_result');
    if (blocks.slice(0, results.length).some(({ type }) => type !== 'tool_result')) {
      return `messages.${index}: tool_result blocks must come first`;
    }
    if (
      results
        .map(({ tool_use_id }) => tool_use_id)
        .sort()
        .join() !== [...awaited].sort().join()
    ) {
      return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after`;
    }
    awaited = [];
    const last = turns.at(-1);
    if (last !== undefined) turns.splice(-1, 1, { ...last, results: results.map(readResult) });
  }
  return turns;
}

function readResult({ tool_use_id, content }: JsonObject): ReadResult {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : objects(content);
  return {
    id: String(tool_use_id),
    text: blocks.flatMap((block) => (typeof block.text === 'string' ? block.text : [])).join('\n'),
    images: blocks.flatMap((block) => asObject(asObject(block).source).data ?? []).map(String),
  };
}

function contentOf({ content }: JsonObject): readonly JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objects(content);
}

/** A client may lose the text in between, but thinking comes first, then the calls, both as they were issued. */
function problemOf({ native }: ReadTurn, issued: IssuedTurn): string | null {
  const isText = ({ type }: JsonObject) => type === 'text';
  if (!THINKING.includes(native[0]?.type)) {
    return `Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(native[0]?.type)}\`. A final assistant message must start with a thinking block`;
  }
  const states = native.filter((block) => !isText(block));
  const textOf = (blocks: readonly JsonObject[]) =>
    blocks
      .filter(isText)
      .map(({ text }) => text)
      .join('');
  const text = textOf(native);
  return (
    different(
      '`thinking` or `redacted_thinking` blocks cannot be modified',
      states,
      issued.native.filter((block) => !isText(block)),
    ) ?? (text === '' ? null : different('text', text, textOf(issued.native)))
  );
}

function problemWith(body: JsonObject, turns: readonly IssuedTurn[], asked: boolean): string | null {
  const known = new Set(turns.flatMap(({ secrets }) => secrets));
  const messages = objects(body.messages);
  for (const [index, message] of messages.entries()) {
    for (const [at, block] of contentOf(message).entries()) {
      if (!THINKING.includes(block.type)) continue;
      const state = block.type === 'thinking' ? block.signature : block.data;
      if (!known.has(String(state)))
        return `messages.${index}.content.${at}: Invalid \`signature\` in \`thinking\` block`;
    }
  }
  const { type } = asObject(body.thinking);
  // A turn that must continue without its thinking has thinking switched off.
  const last = messages.findLast(({ role }) => role === 'assistant');
  const first = last === undefined ? undefined : asArray(last.content)[0];
  const starts = isObject(first) && THINKING.includes(first.type);
  if (type === 'enabled' && last !== undefined && !starts) {
    return 'Expected `thinking` or `redacted_thinking`. When `thinking` is enabled, a final `assistant` message must start with a thinking block';
  }
  if (asked && type === undefined && (last === undefined || starts))
    return 'thinking was asked for, but is not switched on';
  return null;
}
