import { afterEach, describe, expect, test } from 'bun:test';
import { partsOfResponse } from '../src/domain/exchange/response-parts.ts';
import { Failure } from '../src/domain/failure/failure.ts';
import { TranslatedStream } from '../src/engine/operations/text/translated-stream.ts';
import { clientFormats, upstreamFormats } from '../src/formats/index.ts';
import type { AnswerContext } from '../src/formats/text/client-request.ts';
import type { ClientFormat } from '../src/formats/text/format.ts';
import { changesOf, NAMES, withMember } from './inherited-names/changes.ts';
import { testInheritedNamesInRequests } from './inherited-names/in-requests.ts';
import { sampledLeaves } from './leaves/sampled-leaves.ts';
import { ANSWERS, ERRORS, STREAMS } from './shared/made-answers.ts';

/*
 * Names that every JavaScript object inherits, used wherever a client or an upstream may write a name. They must work like any other name, and
 * reading them must never reach the inherited value.
 */

const SOURCE = { provider: 'p', channel: 'c', quirks: [] };
const PATCH = { publicModel: 'public', routing: { json: '{}' }, created: 1, newId: String };
const utf8 = new TextEncoder();

const INHERITED = Reflect.ownKeys(Object.prototype).map((key) => [key, Reflect.get(Object.prototype, key)] as const);

afterEach(() => {
  expect(Reflect.ownKeys(Object.prototype).map((key) => [key, Reflect.get(Object.prototype, key)])).toEqual(
    INHERITED.map(([key, value]) => [key, value]),
  );
  expect(Reflect.get({}, 'mark')).toBeUndefined();
});

const HELLO: Readonly<Record<string, object>> = {
  'openai-chat': { model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] },
  'openai-responses': { model: 'm', stream: true, input: 'Hi' },
  'anthropic-messages': { model: 'm', stream: true, max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
  gemini: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
  'openai-completions': { model: 'm', stream: true, prompt: 'Hi', echo: true },
};

function contextOf(format: ClientFormat): AnswerContext {
  const call = { purpose: 'generate', model: 'm', stream: true, framing: 'sse' } as const;
  const parsed = format.parseRequest(utf8.encode(JSON.stringify(HELLO[format.name])), call);
  if (parsed instanceof Failure) throw new Error(parsed.message);
  const request = format.decodeRequest(parsed);
  if (request instanceof Failure) throw new Error(request.message);
  return { ...PATCH, parsed, request, created: 1, estimatedPromptTokens: () => 8, newId: (prefix) => `${prefix}1` };
}

const contexts = [...clientFormats.values()].map((format) => [format, contextOf(format)] as const);

/** Adds a member with this name to each event of a stream. */
function changedStream(text: string, name: string): string {
  return text.replace(
    /^data: (\{.*\})$/gm,
    (_, json: string) => `data: ${JSON.stringify(withMember(JSON.parse(json), name))}`,
  );
}

describe('in requests', () => testInheritedNamesInRequests(sampledLeaves));

describe.each([...upstreamFormats.values()].map((upstream) => [upstream.name, upstream] as const))(
  '%s',
  (_, upstream) => {
    const own = clientFormats.get(upstream.name);

    test('whole answers', () => {
      for (const make of Object.values(ANSWERS[upstream.name] ?? {})) {
        for (const name of NAMES) {
          for (const changed of changesOf(make(2), name)) {
            const bytes = utf8.encode(JSON.stringify(changed));
            own?.relayAnswer(bytes, PATCH);
            const response = upstream.decodeAnswer(bytes, SOURCE);
            if (response instanceof Failure) continue;
            for (const [format, context] of contexts) {
              JSON.parse(format.encodeAnswer(response, context));
              for (const part of partsOfResponse(response)) if (part.type === 'error') throw new Error('no error');
            }
          }
        }
      }
    });

    test('streams', () => {
      for (const make of Object.values(STREAMS[upstream.name] ?? {})) {
        for (const name of NAMES) {
          const bytes = utf8.encode(changedStream(make(2), name));
          for (const [format, context] of contexts) {
            const relay = new TranslatedStream(upstream.decodeStream(SOURCE), format.encodeStream(context), null);
            relay.push(bytes);
            relay.end();
          }
          if (own !== undefined) {
            const [, context] = contexts.find(([format]) => format === own) ?? [];
            const relay = context && own.relayStream(context.parsed, PATCH);
            relay?.push(bytes);
            relay?.end();
          }
        }
      }
    });

    test('errors', () => {
      for (const make of Object.values(ERRORS)) {
        for (const name of NAMES) {
          for (const changed of changesOf(make(2), name)) {
            const failure = upstream.decodeFailure(400, new Headers(), utf8.encode(JSON.stringify(changed)));
            for (const [format] of contexts) JSON.parse(format.encodeFailure(failure).body);
          }
        }
      }
    });
  },
);
