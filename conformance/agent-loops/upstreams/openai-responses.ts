import { asArray, asObject, type JsonObject } from '../../shared/json.ts';
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

/** OpenAI ("Reasoning models", keeping reasoning items in context; "Encrypted reasoning items"). */
export const openaiResponsesUpstream: ScriptedUpstream = {
  takesToolImages: true,
  isStream: (_path, body) => body.stream === true,
  answer,
  read,
  problemOf,
  problemWith,
  refusal: (message) => ({ error: { message, type: 'invalid_request_error', param: 'input', code: null } }),
};

/** Each call has its own reasoning before it, as models write it that reason between calls. */
function answer(
  { thought, text, calls }: Step,
  random: Random,
  body: JsonObject,
  turns: readonly IssuedTurn[],
): ScriptedAnswer {
  const isEncrypted = wantsEncrypted(body);
  const secrets: string[] = [];
  const reasoning = (summary: string): JsonObject => {
    const encrypted = `gAAAAAB${random.base64(517).replaceAll('+', '-').replaceAll('/', '_')}`;
    const id = `rs_${random.hex(50)}`;
    // No other organisation has seen the encrypted content or the id.
    secrets.push(encrypted, id);
    const texts = summary === '' ? [] : summary.split('\n\n');
    return {
      id,
      type: 'reasoning',
      summary: texts.map((one) => ({ type: 'summary_text', text: one })),
      ...(isEncrypted ? { encrypted_content: encrypted } : {}),
    };
  };
  const call = ({ name, args }: Step['calls'][number]): JsonObject => ({
    id: `fc_${random.hex(50)}`,
    type: 'function_call',
    status: 'completed',
    call_id: `call_${random.letters(24)}`,
    name,
    // Spaced unlike `JSON.stringify` output: the text is the model's own.
    arguments: JSON.stringify(args).replace(':', ': '),
  });
  const message: JsonObject = {
    id: `msg_${random.hex(50)}`,
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text: text ?? '', annotations: [], logprobs: [] }],
  };
  const native = [
    reasoning(thought),
    ...(text === null ? [] : [message]),
    ...calls.flatMap((one, index) => (index === 0 ? [call(one)] : [reasoning(''), call(one)])),
  ];
  const id = `resp_${random.hex(50)}`;
  const response: JsonObject = { ...RESPONSE, id };
  const usage = { ...USAGE };
  const completed = { ...response, status: 'completed', output: native, usage };
  const data = [
    { type: 'response.created', response },
    { type: 'response.in_progress', response },
    ...native.flatMap((item, index) => itemEvents(item, index, random)),
    { type: 'response.completed', response: completed },
  ].map((one, sequence_number): JsonObject => ({ ...one, sequence_number }));
  return {
    turn: {
      native,
      secrets,
      stored: body.store === false ? null : { id, items: [...known(body, turns), ...native] },
      argsTexts: native.flatMap((item) => (item.type === 'function_call' ? String(item.arguments) : [])),
    },
    whole: completed,
    events: data.map((one) => ({ event: String(one.type), data: one })),
  };
}

function wantsEncrypted({ include }: JsonObject): boolean {
  return asArray(include).includes('reasoning.encrypted_content');
}

const USAGE = {
  input_tokens: 50,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 40,
  output_tokens_details: { reasoning_tokens: 20 },
  total_tokens: 90,
};
const RESPONSE: JsonObject = {
  ...{ object: 'response', created_at: 1_770_000_000, status: 'in_progress', model: 'gpt', output: [], usage: null },
  ...{ error: null, incomplete_details: null, instructions: null, metadata: {}, parallel_tool_calls: true },
  ...{ temperature: 1, tool_choice: 'auto', tools: [], top_p: 1, text: { format: { type: 'text' } } },
  ...{ reasoning: { effort: 'medium', summary: 'auto' }, store: false, truncation: 'disabled' },
};

function itemEvents(item: JsonObject, output_index: number, random: Random): JsonObject[] {
  const place = { item_id: item.id ?? '', output_index };
  const added = (one: JsonObject) => ({ type: 'response.output_item.added', output_index, item: one });
  const done = { type: 'response.output_item.done', output_index, item };
  if (item.type === 'reasoning') {
    const summaries = objects(item.summary).flatMap(({ text }, summary_index) => {
      const at = { ...place, summary_index };
      const part = (one: string) => ({ type: 'summary_text', text: one });
      return [
        { type: 'response.reasoning_summary_part.added', ...at, part: part('') },
        ...pieces(String(text)).map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...at, delta })),
        { type: 'response.reasoning_summary_text.done', ...at, text: String(text) },
        { type: 'response.reasoning_summary_part.done', ...at, part: part(String(text)) },
      ];
    });
    // Until the reasoning is finished, the item has other encrypted content, which is of no use.
    const other = item.encrypted_content === undefined ? {} : { encrypted_content: random.base64(90) };
    return [added({ ...item, summary: [], ...other }), ...summaries, done];
  }
  if (item.type === 'function_call') {
    const text = String(item.arguments);
    return [
      added({ ...item, arguments: '', status: 'in_progress' }),
      ...pieces(text).map((delta) => ({ type: 'response.function_call_arguments.delta', ...place, delta })),
      { type: 'response.function_call_arguments.done', ...place, arguments: text },
      done,
    ];
  }
  const [part] = objects(item.content);
  const text = String(part?.text);
  const at = { ...place, content_index: 0 };
  return [
    added({ ...item, content: [], status: 'in_progress' }),
    { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
    ...pieces(text).map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...at, text, logprobs: [] },
    { type: 'response.content_part.done', ...at, part: { ...part } },
    done,
  ];
}

/** Returns the whole conversation. The part before a response that this upstream has stored is taken from there. */
function itemsOf(body: JsonObject, turns: readonly IssuedTurn[]): readonly JsonObject[] | string {
  const previous = body.previous_response_id ?? null;
  if (previous === null) return objects(body.input);
  const stored = turns.find((turn) => turn.stored?.id === previous)?.stored;
  if (!stored) return `Previous response with id '${String(previous)}' not found.`;
  return [...stored.items, ...objects(body.input)];
}

function known(body: JsonObject, turns: readonly IssuedTurn[]): readonly JsonObject[] {
  const items = itemsOf(body, turns);
  return typeof items === 'string' ? [] : items;
}

const OF_ASSISTANT: readonly unknown[] = ['reasoning', 'function_call'];

function read(body: JsonObject, issued: readonly IssuedTurn[]): readonly ReadTurn[] | string {
  const items = itemsOf(body, issued);
  if (typeof items === 'string') return items;
  const turns: { native: JsonObject[]; results: ReadResult[] }[] = [];
  for (const item of items) {
    const isAssistant = OF_ASSISTANT.includes(item.type) || item.role === 'assistant';
    const last = turns.at(-1);
    if (item.type === 'function_call_output') last?.results.push(readResult(item));
    if (!isAssistant) continue;
    if (last === undefined || last.results.length > 0) turns.push({ native: [item], results: [] });
    else last.native.push(item);
  }
  return turns.map(({ native, results }) => ({
    native,
    results,
    calls: native
      .filter(({ type }) => type === 'function_call')
      .map(({ call_id, name, arguments: text }) => ({ id: String(call_id), name, args: parsed(text), argsText: text })),
  }));
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return text;
  }
}

function readResult({ call_id, output }: JsonObject): ReadResult {
  const parts = typeof output === 'string' ? [{ type: 'input_text', text: output }] : objects(output);
  return {
    id: String(call_id),
    text: parts.flatMap((part) => (typeof part.text === 'string' ? part.text : [])).join('\n'),
    images: parts.flatMap((part) => asObject(part).image_url ?? []).map((url) => String(url).replace(/^.*base64,/, '')),
  };
}

function problemOf({ native }: ReadTurn, issued: IssuedTurn): string | null {
  const isMessage = (item: JsonObject) => item.type === 'message' || item.role === 'assistant';
  const compared = (item: JsonObject) => {
    if (item.type === 'function_call') {
      const { call_id, name } = item;
      return { type: 'function_call', call_id, name };
    }
    const { id, type, summary, encrypted_content } = item;
    return { id, type, summary, encrypted_content };
  };
  const without = (items: readonly JsonObject[]) => items.filter((item) => !isMessage(item)).map(compared);
  const isThought = ({ type }: JsonObject) => type === 'reasoning';
  // Reasoning that only the provider stores cannot be sent in full; the API accepts calls without it.
  const isLost = !native.some(isThought) && !issued.native.some((item) => item.encrypted_content !== undefined);
  const wanted = isLost ? issued.native.filter((item) => !isThought(item)) : issued.native;
  const textOf = (items: readonly JsonObject[]) => items.filter(isMessage).map(textOfMessage).join('');
  const said = textOf(native);
  return (
    different('reasoning items and function calls', without(native), without(wanted)) ??
    (said === '' ? null : different('text', said, textOf(issued.native)))
  );
}

function textOfMessage({ content }: JsonObject): string {
  if (typeof content === 'string') return content;
  return objects(content)
    .map(({ text }) => String(text ?? ''))
    .join('');
}

function problemWith(body: JsonObject, turns: readonly IssuedTurn[]): string | null {
  const items = itemsOf(body, turns);
  if (typeof items === 'string') return items;
  const stored = body.store !== false;
  if (!stored && !wantsEncrypted(body)) {
    return 'encrypted reasoning was not asked for, so the next turn would lose it';
  }
  const own = new Map(turns.flatMap(({ native }) => native.map((item) => [String(item.id), item] as const)));
  const ids = new Set(items.map(({ id }) => String(id)));
  for (const [index, item] of items.entries()) {
    if (item.type === 'reasoning') {
      const issued = own.get(String(item.id));
      const same = issued !== undefined && issued.encrypted_content === item.encrypted_content;
      if (!same) return `The encrypted content for item ${String(item.id)} could not be verified.`;
      const next = items[index + 1];
      if (next === undefined || !(next.type === 'function_call' || next.role === 'assistant')) {
        return `Item '${String(item.id)}' of type 'reasoning' was provided without its required following item.`;
      }
    } else if (item.type === 'function_call' && item.id !== undefined) {
      if (!/^fc_/.test(String(item.id))) return `Invalid 'input[${index}].id': expected an ID that begins with 'fc'.`;
      const reasoning = reasoningBefore(item, turns);
      if (reasoning !== null && !ids.has(reasoning)) {
        return `Item '${String(item.id)}' of type 'function_call' was provided without its required 'reasoning' item: '${reasoning}'.`;
      }
    }
  }
  return null;
}

/** Returns the id of the reasoning before a call that this upstream issued; `null` for unknown ids, which it ignores. */
function reasoningBefore(call: JsonObject, turns: readonly IssuedTurn[]): string | null {
  for (const { native } of turns) {
    const at = native.findIndex(({ id }) => id === call.id);
    if (at >= 0) return String(native.slice(0, at).findLast(({ type }) => type === 'reasoning')?.id);
  }
  return null;
}
