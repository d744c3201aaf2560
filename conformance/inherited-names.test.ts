import { afterEach, describe, expect, test } from 'bun:test';
import { ANSWERS, ERRORS, STREAMS } from '../acceptance/growth/answers.ts';
import { partsOfResponse } from '../src/domain/exchange/response-parts.ts';
import { Failure } from '../src/domain/failure/failure.ts';
import { TranslatedStream } from '../src/engine/operations/text/translated-stream.ts';
import type { AnswerContext, ClientFormat } from '../src/formats/format.ts';
import { clientFormats, upstreamFormats } from '../src/formats/index.ts';
import { applyEdits } from '../src/formats/shared/json-patch.ts';
import { documentsMissing, FORMATS } from './judges/index.ts';
import { checkLeafRequest, describeLeafProblem } from './leaves/check-leaf.ts';
import { parse } from './leaves/in-process.ts';
import { type LeafRequest, leafRequests } from './leaves/leaf-requests.ts';

/*
 * Names that every JavaScript object inherits something by, wherever a client or an upstream may write them: they are names
 * like any other, and what they lead to is nobody's.
 */

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];
const MARK = 'a mark';
const SOURCE = { provider: 'p', channel: 'c', quirks: [] };
const PATCH = { publicModel: 'public', routing: { json: '{}' } };
const utf8 = new TextEncoder();

const INHERITED = Reflect.ownKeys(Object.prototype).map((key) => [key, Reflect.get(Object.prototype, key)] as const);

afterEach(() => {
  expect(Reflect.ownKeys(Object.prototype).map((key) => [key, Reflect.get(Object.prototype, key)])).toEqual(
    INHERITED.map(([key, value]) => [key, value]),
  );
  expect(Reflect.get({}, 'mark')).toBeUndefined();
});

/** Members keep their names here: an assignment would make no member of `__proto__`. */
function objectOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(entries);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Every object gets the member too, with what would change a prototype. */
function withMember(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((one) => withMember(one, name));
  if (!isObject(value)) return value;
  const inner = Object.entries(value).map(([key, member]) => [key, withMember(member, name)] as const);
  return objectOf([...inner, [name, { mark: MARK }]]);
}

/** The text at one place becomes the name; `null` past the last one. */
function withText(value: unknown, name: string, place: number): unknown {
  let at = -1;
  const walk = (one: unknown): unknown => {
    if (typeof one === 'string') return ++at === place ? name : one;
    if (Array.isArray(one)) return one.map(walk);
    return isObject(one) ? objectOf(Object.entries(one).map(([key, member]) => [key, walk(member)])) : one;
  };
  const changed = walk(value);
  return at >= place ? changed : null;
}

/** What a body becomes with the name in it: beside every member, and as each of its texts. */
function* changesOf(body: unknown, name: string): Generator<unknown> {
  yield withMember(body, name);
  for (let place = 0; ; place++) {
    const changed = withText(body, name, place);
    if (changed === null) return;
    yield changed;
  }
}

/** So many leaves of each format's document are tried here, from all over it; the name goes round. */
const LEAVES = 16;
/** A name that inherits nothing, in the place of the others. */
const PLAIN = 'plainName';

describe.skipIf(documentsMissing() !== undefined)('in requests', () => {
  test.each(FORMATS)(
    'of %s they fare as any other name does',
    async (format) => {
      const problems: string[] = [];
      let tried = 0;
      const leaves = leafRequests(format);
      const every = Math.ceil(leaves.length / LEAVES);
      for (const [index, leaf] of leaves.filter((_, place) => place % every === 0).entries()) {
        const name = NAMES[index % NAMES.length] ?? '';
        for (const [place, changed] of [...changesOf(leaf.body, name)].entries()) {
          tried++;
          const found = await problemsOf(leaf, changed);
          // What a document says in words of its own may not be another word, whatever that is.
          const asPlain = found.length === 0 ? [] : await problemsOf(leaf, [...changesOf(leaf.body, PLAIN)][place]);
          const expected = asPlain.map((one) => one.replaceAll(PLAIN, name));
          problems.push(...found.filter((one) => !expected.includes(one)));
        }
      }
      expect(tried).toBeGreaterThan(20);
      expect(problems).toEqual([]);
    },
    120_000,
  );
});

async function problemsOf({ format, about }: LeafRequest, body: unknown): Promise<readonly string[]> {
  if (!isObject(body)) throw new Error('a request is an object');
  const parsed = parse(format, body);
  if ('kind' in parsed && parsed.kind === 'refused' && parsed.message.includes('is a name that no format has'))
    return [];
  if ('kind' in parsed) return [`${about}: ${JSON.stringify(parsed)}`];
  const relayed = applyEdits(parsed.bytes, clientFormats.get(format)?.relayEdits(parsed, 'other') ?? []);
  JSON.parse(new TextDecoder().decode(relayed));
  return (await checkLeafRequest({ format, about, body })).map(describeLeafProblem);
}

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
  return { ...PATCH, parsed, request, created: 1, newId: (prefix) => `${prefix}1` };
}

const contexts = [...clientFormats.values()].map((format) => [format, contextOf(format)] as const);

/** The members of an event of a stream with the name beside them. */
function changedStream(text: string, name: string): string {
  return text.replace(
    /^data: (\{.*\})$/gm,
    (_, json: string) => `data: ${JSON.stringify(withMember(JSON.parse(json), name))}`,
  );
}

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
