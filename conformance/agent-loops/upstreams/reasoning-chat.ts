import { asObject, isObject, type JsonObject } from '../../shared/json.ts';
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

/**
 * Chat completions of reasoning models: DeepSeek ("Thinking Mode": `reasoning_content` must come back if the turn called tools) and OpenRouter
 * ("Preserving reasoning": `reasoning_details` come back unchanged).
 */
export function reasoningChatUpstream(style: 'deepseek' | 'openrouter'): ScriptedUpstream {
  return {
    takesToolImages: style === 'openrouter',
    isStream: (_path, body) => body.stream === true,
    answer: (step, random) => answer(step, random, style),
    read,
    problemOf: style === 'deepseek' ? deepseekProblem : openrouterProblem,
    refusal: (message) => ({
      error: { message, type: 'invalid_request_error', param: null, code: 'invalid_request_error' },
    }),
  };
}

function answer(step: Step, random: Random, style: 'deepseek' | 'openrouter'): ScriptedAnswer {
  const { thought, text, calls } = step;
  const [signature, data] = [random.base64(402), random.base64(233)];
  const details: readonly JsonObject[] = [
    { type: 'reasoning.text', text: thought, signature, format: 'anthropic-claude-v1', index: 0 },
    ...(text === null
      ? [{ type: 'reasoning.encrypted', data, id: `rs_${random.hex(20)}`, format: 'unknown', index: 1 }]
      : []),
  ];
  const tool_calls = calls.map(({ name, args }, index): JsonObject => {
    const id = style === 'deepseek' ? `call_00_${random.letters(24)}` : `toolu_01${random.letters(22)}`;
    return { index, id, type: 'function', function: { name, arguments: JSON.stringify(args).replace(',', ', ') } };
  });
  const message: JsonObject = {
    role: 'assistant',
    content: text ?? '',
    ...(style === 'deepseek' ? { reasoning_content: thought } : { reasoning: thought, reasoning_details: details }),
    ...(calls.length > 0 ? { tool_calls } : {}),
  };
  const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop';
  const head = { id: `gen-${random.letters(20)}`, created: 1_770_000_000, model: 'thinker' };
  const usage = { prompt_tokens: 50, completion_tokens: 40, total_tokens: 90 };
  const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
  });
  const deltas = [
    { role: 'assistant', content: '' },
    ...(style === 'deepseek'
      ? pieces(thought).map((reasoning_content) => ({ reasoning_content }))
      : details.flatMap(detailDeltas)),
    ...pieces(text ?? '').map((content) => ({ content })),
    ...tool_calls.flatMap(callDeltas),
  ];
  const events = [...deltas.map((delta) => chunk(delta)), chunk({ content: '' }, finish_reason)];
  return {
    turn: {
      native: [message],
      secrets: style === 'deepseek' ? [] : [signature, data],
      stored: null,
      argsTexts: tool_calls.map(textOfCall),
    },
    whole: {
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, logprobs: null, finish_reason }],
      usage,
    },
    events: [
      ...events.map((one) => ({ data: one })),
      { data: { ...head, object: 'chat.completion.chunk', choices: [], usage } },
      { data: '[DONE]' as const },
    ],
  };
}

/** OpenRouter's deltas: texts of one index, then its signature. */
function detailDeltas(detail: JsonObject): JsonObject[] {
  if (detail.type !== 'reasoning.text') return [{ content: '', reasoning_details: [detail] }];
  const { signature = null, text, ...place } = detail;
  return [
    ...pieces(String(text)).map((piece) => ({
      content: '',
      reasoning: piece,
      reasoning_details: [{ ...place, text: piece }],
    })),
    { content: '', reasoning_details: [{ ...place, signature }] },
  ];
}

function callDeltas(call: JsonObject): JsonObject[] {
  const { index = 0, function: made } = call;
  const { name, arguments: text } = asObject(made);
  return [
    { tool_calls: [{ ...call, function: { name: String(name), arguments: '' } }] },
    ...pieces(String(text)).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ];
}

function read(body: JsonObject): readonly ReadTurn[] | string {
  const turns: { native: JsonObject[]; calls: ReadTurn['calls']; results: ReadResult[] }[] = [];
  for (const message of objects(body.messages)) {
    const last = turns.at(-1);
    if (message.role === 'assistant') {
      const calls = objects(message.tool_calls).map(({ id, function: made }) => {
        const { name, arguments: text } = asObject(made);
        return { id: String(id), name, args: JSON.parse(String(text)) as unknown, argsText: text };
      });
      turns.push({ native: [message], calls, results: [] });
    } else if (message.role === 'tool') {
      if (last === undefined)
        return "Messages with role 'tool' must be a response to a preceding message with 'tool_calls'";
      last.results.push({ id: String(message.tool_call_id), text: textOf(message.content), images: [] });
    } else if (message.role === 'user' && last !== undefined) addImages(message, last.results);
  }
  return turns;
}

function textOf(content: unknown): string {
  return typeof content === 'string'
    ? content
    : objects(content)
        .flatMap(({ text }) => text ?? [])
        .join('\n');
}

/** Pictures of a tool follow in a user message, which must say which call they belong to. */
function addImages({ content }: JsonObject, results: ReadResult[]): void {
  let at = -1;
  for (const part of objects(content)) {
    if (typeof part.text === 'string')
      at = results.findIndex(({ id }) => id !== null && String(part.text).includes(id));
    const { url } = asObject(part.image_url);
    const result = results[at];
    if (typeof url !== 'string' || result === undefined) continue;
    results[at] = { ...result, images: [...result.images, url.replace(/^.*base64,/, '')] };
  }
}

function idsOf(message: JsonObject) {
  return objects(message.tool_calls).map(({ id, type }) => ({ id, type }));
}

function textOfCall(call: JsonObject): string {
  return String(asObject(call.function).arguments);
}

function deepseekProblem({ native: [message = {}] }: ReadTurn, { native: [issued = {}] }: IssuedTurn): string | null {
  return (
    different(
      'Missing `reasoning_content` field in the assistant message',
      message.reasoning_content,
      issued.reasoning_content,
    ) ?? different('ids', idsOf(message), idsOf(issued))
  );
}

function openrouterProblem({ native: [message = {}] }: ReadTurn, { native: [issued = {}] }: IssuedTurn): string | null {
  return (
    different('`reasoning_details`', merged(message.reasoning_details), merged(issued.reasoning_details)) ??
    different('ids', idsOf(message), idsOf(issued))
  );
}

/** Deltas of one index are one detail, whether or not the client has joined them. */
function merged(details: unknown): unknown {
  const out: Record<string, unknown>[] = [];
  for (const detail of objects(details)) {
    const last = out.at(-1);
    if (last === undefined || last.index !== detail.index || last.type !== detail.type) {
      out.push({ ...detail });
      continue;
    }
    const text = `${String(last.text ?? '')}${String(detail.text ?? '')}`;
    Object.assign(last, detail, isObject(detail) && 'text' in last ? { text } : {});
  }
  return out.map(({ text, ...others }) => ({ ...others, ...(text === undefined ? {} : { text }) }));
}
