import { describe, expect, test } from 'bun:test';
import { endingInText } from '../../../domain/exchange/foundation.ts';
import type { OpaqueState } from '../../../domain/exchange/opaque-state.ts';
import type { Message, Part } from '../../../domain/exchange/part.ts';
import { type ExchangeRequest, emptyRequest } from '../../../domain/exchange/request.ts';
import type { ExchangeResponse } from '../../../domain/exchange/response.ts';
import { partsOfResponse } from '../../../domain/exchange/response-parts.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { clientFormats, upstreamFormats } from '../../../formats/index.ts';
import { textOf } from '../../../formats/shared/json/json-writer.ts';
import type { AnswerContext, ParsedRequest } from '../../../formats/text/client-request.ts';
import type { ClientFormat } from '../../../formats/text/format.ts';
import { FakeConversationState } from '../../call/testing/fake-conversation-state.ts';
import { StateMemory } from './state-memory.ts';

/*
 * Models reason between their calls and texts. The model must get its answer back in the original order, although clients of chat
 * completions send the text before all calls, and others show no reasoning.
 */

type Kind = 'T' | 'U' | 'X';

/** Yields every order of up to `length` thoughts, calls and texts; only calls may repeat in a row. */
function* orders(length: number, before: readonly Kind[] = []): Generator<readonly Kind[]> {
  if (before.length > 0) yield before;
  if (before.length === length) return;
  for (const kind of ['T', 'U', 'X'] as const) {
    if (kind !== 'U' && before.at(-1) === kind) continue;
    yield* orders(length, [...before, kind]);
  }
}

/** An answer without a thought has no state to restore. */
const ORDERS = [...orders(5)].filter((order) => order.includes('T') && order.some((kind) => kind !== 'T'));

function partsOf(
  order: readonly Kind[],
  { family, provider }: Pick<OpaqueState, 'family' | 'provider'> = { family: 'anthropic', provider: 'anthropic' },
): Part[] {
  return order.map((kind, index): Part => {
    if (kind === 'T') {
      const state = { family, data: `s${index}`, provider, channel: 'c' };
      return { type: 'reasoning', text: `thought ${index}`, state };
    }
    if (kind === 'X') return { type: 'text', text: `Text number ${index}. ` };
    return { type: 'tool-call', id: `toolu_0a1b2c3d4e${index}`, name: 'f', arguments: '{}' };
  });
}

/** Describes the order of parts, one word each; neighbouring texts are merged. */
function shown(parts: readonly Part[]): string {
  const words: string[] = [];
  let text = '';
  const flush = () => {
    if (text !== '') words.push(text.trim());
    text = '';
  };
  for (const part of parts) {
    if (part.type === 'text') text += part.text;
    else {
      flush();
      if (part.type === 'reasoning') words.push(`${part.state?.data}`);
      else if (part.type === 'tool-call') words.push(part.id);
    }
  }
  flush();
  return words.join(' | ');
}

const ASK = { role: 'user', content: 'Hello' };

/** The client's next messages: the answer as it got it, results of its calls, and a question. */
const NEXT: Readonly<Record<string, (answer: never, calls: readonly string[]) => object>> = {
  'openai-chat': ({ choices: [{ message }] }: { choices: [{ message: object }] }, calls) => ({
    model: 'm',
    messages: [ASK, message, ...calls.map((id) => ({ role: 'tool', tool_call_id: id, content: 'ok' })), ASK],
  }),
  'openai-responses': ({ output }: { output: object[] }, calls) => ({
    model: 'm',
    input: [ASK, ...output, ...calls.map((call_id) => ({ type: 'function_call_output', call_id, output: 'ok' })), ASK],
  }),
  'anthropic-messages': ({ content }: { content: object[] }, calls) => ({
    ...{ model: 'm', max_tokens: 9 },
    messages: [
      ASK,
      { role: 'assistant', content },
      {
        role: 'user',
        content: [
          ...calls.map((tool_use_id) => ({ type: 'tool_result', tool_use_id, content: 'ok' })),
          { type: 'text', text: 'Go on' },
        ],
      },
    ],
  }),
  gemini: ({ candidates: [{ content }] }: { candidates: [{ content: object }] }, calls) => ({
    contents: [
      { role: 'user', parts: [{ text: 'Hello' }] },
      content,
      ...(calls.length === 0
        ? []
        : [{ role: 'user', parts: calls.map((id) => ({ functionResponse: { id, name: 'f', response: {} } })) }]),
      { role: 'user', parts: [{ text: 'Go on' }] },
    ],
  }),
};

const FIRST: Readonly<Record<string, object>> = {
  'openai-chat': { model: 'm', messages: [ASK] },
  'openai-responses': { model: 'm', input: [ASK] },
  'anthropic-messages': { model: 'm', max_tokens: 9, messages: [ASK] },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
};

function decoded(format: ClientFormat, body: object): readonly [ParsedRequest, ExchangeRequest] {
  const call = { purpose: 'generate', model: 'm', stream: false, framing: 'sse' } as const;
  const parsed = format.parseRequest(new TextEncoder().encode(JSON.stringify(body)), call);
  if (parsed instanceof Failure) throw new Error(parsed.message);
  const request = format.decodeRequest(parsed);
  if (request instanceof Failure) throw new Error(request.message);
  return [parsed, request];
}

/** Returns the assistant's turn as its model gets it back. */
function returned(format: ClientFormat, parts: readonly Part[], learns: Learns): readonly Message[] {
  const memory = new StateMemory(new FakeConversationState());
  const [parsed, request] = decoded(format, FIRST[format.name] ?? {});
  const finish = { unified: 'stop', raw: null } as const;
  const response: ExchangeResponse = {
    id: null,
    created: null,
    candidates: [{ index: 0, parts, finish }],
    usage: null,
  };
  if (learns === 'from a stream') {
    const observer = memory.observer('a', request);
    for (const part of partsOfResponse(response)) observer.see(part);
  } else if (learns === 'from a response') memory.rememberAnswer('a', request, response);
  let ids = 0;
  const newId = (prefix: string) => `${prefix}x${++ids}`;
  const context: AnswerContext = {
    ...{ publicModel: 'm', routing: { json: '{}' }, parsed, request, created: 1, newId },
    estimatedPromptTokens: () => 8,
  };
  const answer = JSON.parse(format.encodeAnswer(response, context)) as never;
  const calls = parts.flatMap((part) => (part.type === 'tool-call' ? part.id : []));
  const [, next] = decoded(format, NEXT[format.name]?.(answer, calls) ?? {});
  return memory.restore('a', next).messages.filter(({ role }) => role === 'assistant');
}

/** The way in which the gateway has learned the answer; another or a restarted gateway has not learned it. */
type Learns = 'from a response' | 'from a stream' | 'not at all';

const CLIENTS = [...clientFormats.values()].filter(({ name }) => name in NEXT);

function wrongOrders(format: ClientFormat, learns: Learns, orders = ORDERS): readonly object[] {
  return orders.flatMap((order) => {
    const parts = partsOf(order);
    const got = shown(returned(format, parts, learns).flatMap((message) => message.parts));
    // Clients get a thought after the last text before it.
    const isRight = got === shown(parts) || got === shown(endingInText(parts));
    return isRight ? [] : [{ order: order.join(' '), wanted: shown(parts), got }];
  });
}

describe.each(CLIENTS.map((format) => [format.name, format] as const))('%s', (_name, format) => {
  test.each(['from a response', 'from a stream'] as const)('every order is restored, learned %s', (learns) => {
    expect(wrongOrders(format, learns).slice(0, 3)).toEqual([]);
  });
});

// Chat messages cannot preserve the order.
const ORDERED = CLIENTS.filter(({ name }) => name !== 'openai-chat');

describe.each(ORDERED.map((format) => [format.name, format] as const))('%s', (name, format) => {
  test('every order that the client kept is restored', () => {
    // A Messages client that asked for no thinking gets only the state of calls.
    const isKept = (order: readonly Kind[]) =>
      name !== 'anthropic-messages' || order.lastIndexOf('T') < order.lastIndexOf('U');
    expect(wrongOrders(format, 'not at all', ORDERS.filter(isKept)).slice(0, 3)).toEqual([]);
  });
});

describe.each(['anthropic-messages', 'bedrock-converse', 'gemini'] as const)('to %s', (name) => {
  const upstream = upstreamFormats.get(name);
  if (upstream === undefined) throw new Error(`there is no format ${name}`);
  const { stateFamily, carries } = upstream;

  test('every order is sent unchanged', () => {
    const target = { upstreamModel: 'm', stream: false, provider: 'p', channel: 'c', quirks: [], carries };
    const wrong = ORDERS.flatMap((order): object[] => {
      const parts = partsOf(order, { family: stateFamily ?? 'anthropic', provider: 'p' });
      const results = parts.flatMap((part): Part[] =>
        part.type === 'tool-call'
          ? [{ type: 'tool-result', id: part.id, content: [{ type: 'text', text: 'ok' }] }]
          : [],
      );
      const user = { role: 'user', parts: [{ type: 'text', text: 'Go on' }] } as const;
      const messages: Message[] = [user, { role: 'assistant', parts }, { role: 'tool', parts: results }, user];
      const encoded = upstream.encodeRequest({ ...emptyRequest('openai-responses', {}), messages }, target);
      if (encoded instanceof Failure) return [{ order, message: encoded.message }];
      const text = textOf(encoded.body);
      const places = parts.map((part) => text.indexOf(markOf(part)));
      return places.every((place, index) => place >= 0 && place >= (places[index - 1] ?? 0)) ? [] : [{ order, text }];
    });
    expect(wrong.slice(0, 2)).toEqual([]);
  });
});

function markOf(part: Part): string {
  if (part.type === 'reasoning') return part.text;
  return part.type === 'text' ? part.text.trim() : part.type === 'tool-call' ? part.id : '';
}
