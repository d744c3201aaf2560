import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Failure } from '../../domain/failure/failure.ts';
import type { UpstreamFormat } from '../format.ts';
import { upstreamFormats } from '../index.ts';
import { textOf } from '../shared/json-writer.ts';
import { fields } from './fields.ts';
import { openaiCompletions } from './index.ts';
import { decoded, parse } from './testing/support.ts';

const chats = [...upstreamFormats.values()].filter(({ relayOnly }) => relayOnly !== true);

/** What is lost on the way to a format, as `field: verdict`; the encoders name the client's own fields. */
function lossesOf(body: Readonly<Record<string, unknown>>, upstream: UpstreamFormat): readonly string[] {
  const { carries } = upstream;
  const to = { upstreamModel: 'up-1', stream: false, provider: 'p', channel: 'c', quirks: [], carries };
  const encoded = upstream.encodeRequest(decoded(body), to);
  if (encoded instanceof Failure) throw encoded;
  return encoded.losses.map(({ field, verdict }) => `${field}: ${verdict}`).toSorted();
}

const chat = upstreamFormats.get('openai-chat') ?? expect.unreachable();

test('as a chat the prompt is what the user says, and every knob has its place', () => {
  const body = {
    ...{ prompt: ['Say hi'], max_tokens: 9, temperature: 0, top_p: 0.5, n: 2, best_of: 2, seed: 3, stop: ['a', 'b'] },
    ...{ presence_penalty: 1, frequency_penalty: -1, logit_bias: { 50256: -100 }, logprobs: 3, user: 'u' },
  };
  const to = { upstreamModel: 'up-1', stream: true, provider: 'p', channel: 'c', quirks: [], carries: chat.carries };
  const encoded = chat.encodeRequest(decoded(body), to);
  if (encoded instanceof Failure) throw encoded;
  expect(JSON.parse(textOf(encoded.body))).toEqual({
    ...{ model: 'up-1', messages: [{ role: 'user', content: 'Say hi' }], stream: true, n: 2, seed: 3, user: 'u' },
    ...{ stream_options: { include_usage: true }, max_tokens: 9, temperature: 0, top_p: 0.5, stop: ['a', 'b'] },
    ...{ presence_penalty: 1, frequency_penalty: -1, logit_bias: { 50256: -100 }, logprobs: true, top_logprobs: 3 },
  });
  expect(encoded.losses).toEqual([]);
});

test.each([
  [{}, null],
  [{ max_tokens: 0 }, 0],
  [{ max_tokens: 7 }, 7],
  [{ max_tokens: -1 }, null],
])('the bound of %j is %p: a chat knows when its answer is over', (body, bound) => {
  expect(decoded(body).maxOutputTokens).toBe(bound);
});

test.each([
  [{ prompt: ['a', 'b'] }, 'prompt: refused'],
  [{ prompt: [1, 2] }, 'prompt: refused'],
  [{ prompt: [[1, 2]] }, 'prompt: refused'],
  [{ prompt: '' }, 'prompt: refused'],
  [{ prompt: [''] }, 'prompt: refused'],
  [{ prompt: null }, 'prompt: refused'],
  [{ suffix: 'end' }, 'suffix: refused'],
  [{ best_of: 3 }, 'best_of: refused'],
  [{ best_of: 1, n: 2 }, 'best_of: refused'],
  [{ max_tokens: 0 }, 'max_tokens: refused'],
  [{ echo: true, logprobs: 0 }, 'echo: refused'],
  [{ echo: true, prompt: 'x'.repeat(200_000), n: 128 }, 'echo: refused'],
  [{ response_format: { type: 'json_object' } }, 'response_format: refused'],
  [{ messages: [] }, 'messages: refused'],
  [{ min_p: 0.1 }, 'min_p: dropped'],
  [{ invented: 1 }, 'invented: dropped'],
  [{ stream_options: { include_obfuscation: true } }, 'stream_options.include_obfuscation: dropped'],
])('%.80j cannot be a chat, and is named', (body, loss) => expect(lossesOf(body, chat)).toEqual([loss]));

test.each([
  [{ suffix: '' }],
  [{ suffix: null }],
  [{ best_of: 1 }],
  [{ best_of: 2, n: 2 }],
  [{ echo: false, logprobs: 1 }],
  [{ echo: true }],
  [{ logprobs: false, echo: true }],
  [{ stream_options: { include_usage: true } }],
])('%j loses nothing', (body) => expect(lossesOf(body, chat)).toEqual([]));

test.each([
  [{ prompt: undefined }, 'prompt', 'missing_required_parameter'],
  [{ prompt: 7 }, 'prompt', 'invalid_type'],
  [{ prompt: [] }, 'prompt', 'invalid_type'],
  [{ prompt: ['a', 1] }, 'prompt', 'invalid_type'],
  [{ prompt: [1, 'a'] }, 'prompt', 'invalid_type'],
  [{ prompt: [[]] }, 'prompt', 'invalid_type'],
  [{ prompt: [1.5] }, 'prompt', 'invalid_type'],
  [{ prompt: [-1] }, 'prompt', 'invalid_type'],
  [{ prompt: { __proto__: 'a' } }, 'prompt', 'invalid_type'],
  [{ max_tokens: -2 }, 'max_tokens', 'invalid_value'],
  [{ n: 0 }, 'n', 'invalid_value'],
  [{ logprobs: 'yes' }, 'logprobs', 'invalid_type'],
  [{ echo: 'yes' }, 'echo', 'invalid_type'],
  [{ temperature: 3 }, 'temperature', 'invalid_value'],
  [{ stop: [1] }, 'stop[0]', 'invalid_type'],
  [{ Prompt: 'a' }, 'Prompt', 'invalid_value'],
])('%j is refused by name', (body, param, code) => {
  const failure = parse(body);
  expect(failure instanceof Failure && [failure.details.param, failure.code]).toEqual([param, code]);
});

const FILE = path.join(
  process.env.SWITCHYARD_SHARED ?? path.join(import.meta.dir, '..', '..', '..', '..', 'shared'),
  'specs/openai.openapi.json',
);

interface Member {
  readonly name: string;
  readonly value: unknown;
}

/** A few values of each field of the published document: its default, its bounds, and one of each of its types. */
function documentedMembers(): readonly Member[] {
  const { components } = JSON.parse(readFileSync(FILE, 'utf8'));
  const resolved = (schema: any): any =>
    schema.$ref === undefined ? schema : resolved(components.schemas[schema.$ref.split('/').at(-1)]);
  const valuesOf = (one: any): unknown[] => {
    const schema = resolved(one);
    const branches = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])].flatMap(valuesOf);
    const own = [schema.example, schema.default, schema.minimum, schema.maximum, ...(schema.enum ?? [])];
    if (schema.type === 'boolean') own.push(true, false);
    if (schema.type === 'string') own.push('text');
    if (schema.type === 'integer') own.push(1);
    if (schema.type === 'array') own.push(valuesOf(schema.items).slice(0, 1));
    if (schema.type === 'object' && schema.properties) {
      for (const [name, member] of Object.entries(schema.properties)) {
        own.push(...valuesOf(member).map((value) => ({ [name]: value })));
      }
    } else if (schema.type === 'object') own.push({ '50256': -100 });
    return [...branches, ...own].filter((value) => value !== undefined && value !== null);
  };
  return Object.entries(components.schemas.CreateCompletionRequest.properties).flatMap(([name, schema]) => {
    if (name === 'model') return [];
    const distinct = new Map(valuesOf(schema).map((value) => [JSON.stringify(value), value]));
    return [...distinct.values()].map((value) => ({ name, value }));
  });
}

/** These two say something only together. */
const TOGETHER = new Set(['best_of n', 'echo logprobs']);

describe.skipIf(!existsSync(FILE))('every pair of documented fields', () => {
  const members = existsSync(FILE) ? documentedMembers() : [];

  test('there are such', () => expect(new Set(members.map(({ name }) => name)).size).toBe(17));

  test.each(chats.map((upstream) => [upstream.name, upstream] as const))(
    'loses to %s what each loses',
    (_, upstream) => {
      const alone = new Map(members.map((one) => [one, lossesOf({ [one.name]: one.value }, upstream)]));
      for (const one of members) {
        for (const other of members) {
          if (one.name >= other.name || TOGETHER.has(`${one.name} ${other.name}`)) continue;
          const lost = [...(alone.get(one) ?? []), ...(alone.get(other) ?? [])];
          const body = { [one.name]: one.value, [other.name]: other.value };
          expect(lossesOf(body, upstream), JSON.stringify(body)).toEqual([...new Set(lost)].toSorted());
        }
      }
    },
  );

  test('every field of the document that a chat does not get is named', () => {
    for (const { name, value } of members) {
      const isSaid = lossesOf({ [name]: value }, chat).some((loss) => loss.startsWith(name));
      const field = fields[name];
      if (isSaid) expect(['prompt', 'suffix', 'best_of', 'max_tokens', 'stream_options']).toContain(name);
      else if (typeof field !== 'string')
        expect([name, value]).toBeOneOf([
          ['best_of', 1],
          ['best_of', 0],
          ['suffix', ''],
        ]);
    }
  });
});

test('the test of a channel is written as a prompt', () => {
  const { carries, encodeRequest } = openaiCompletions;
  const to = { upstreamModel: 'up-1', stream: true, provider: 'p', channel: 'c', quirks: [], carries };
  const encoded = encodeRequest(decoded({ prompt: 'Reply', max_tokens: 9 }), to);
  if (encoded instanceof Failure) throw encoded;
  expect(JSON.parse(textOf(encoded.body))).toEqual({
    ...{ model: 'up-1', prompt: 'Reply', max_tokens: 9, stream: true, stream_options: { include_usage: true } },
  });
});
