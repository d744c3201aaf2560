import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Failure } from '../../../domain/failure/failure.ts';
import { applyEdits } from '../../../formats/shared/json/json-patch.ts';
import { LARGE_BODY_BYTES } from '../../../formats/shared/json/large-json.ts';
import { BodyScan } from '../../../formats/shared/request/body-scan.ts';
import type { BytesRequest } from '../../call/lane.ts';
import { fakePorts } from '../../call/testing/fake-ports.ts';
import { type Asked, laneTo, preparedBy } from '../../call/testing/sample-lanes.ts';
import { parsed } from '../../call/testing/sample-requests.ts';
import { channelOf, targetOf } from '../../call/testing/sample-routes.ts';
import type { TextTarget } from '../../directory/target.ts';
import { bodyEdits, namesIn, readyFor, type WrittenRequest } from './written-request.ts';

const utf8 = new TextEncoder();
const NAMES = { hasOddNames: false, duplicates: [] };

const targetWith = (body: TextTarget['body']) => ({
  ...targetOf(channelOf('a', 'messaging'), 'anthropic-messages'),
  body,
});

function sent(ready: unknown): BytesRequest {
  if (ready instanceof Failure || ready instanceof Promise) throw new Error('it is not ready');
  return ready as BytesRequest;
}

const textOf = (bytes: Uint8Array | null) => new TextDecoder().decode(bytes ?? new Uint8Array(0));

function written(text: string, fields: Partial<WrittenRequest> = {}): WrittenRequest {
  return { body: utf8.encode(text), value: JSON.parse(text), names: NAMES, headers: null, losses: [], ...fields };
}

describe('an encoded request', () => {
  const patch = { remove: ['user'], add: { extra: '1' } };

  test('is sent as it is if its provider changes nothing', () => {
    const request = written('{"model":"up"}', { headers: { 'x-one': '1' } });
    const { body, headers, losses } = request;
    expect(readyFor(targetWith(null), request, null)).toEqual({ body, headers, losses, extras: null });
    const ready = readyFor(targetWith(null), request, null);
    expect(sent(ready).body).toBe(body);
  });

  test('gets the provider’s changes; its losses and surcharges stay', async () => {
    const losses = [{ field: 'seed', verdict: 'dropped', why: 'It has none.' }] as const;
    const refusal = new Failure('unsupported_parameter', { message: 'Not here.' });
    const request = written('{"model":"up","user":"u","a":[1, 2]}', { losses, headers: { 'x-one': '1' } });
    const ready = sent(await readyFor(targetWith(patch), request, refusal));
    expect(JSON.parse(textOf(ready.body))).toEqual({ extra: 1, model: 'up', a: [1, 2] });
    expect(textOf(ready.body)).toContain('"a":[1, 2]');
    expect(ready).toMatchObject({ losses, headers: { 'x-one': '1' } });
    expect(ready.extras).toBe(refusal);
  });

  test('gets them in slices if it is large', async () => {
    const request = written(JSON.stringify({ user: 'u', text: 'word '.repeat(LARGE_BODY_BYTES / 4) }));
    const ready = readyFor(targetWith(patch), request, null);
    expect(ready).toBeInstanceOf(Promise);
    expect(JSON.parse(textOf(sent(await ready).body))).toEqual({ extra: 1, text: request.value.text });
  });
});

test.each([
  ['relayed', 'messaging'],
  ['translated', 'chatting'],
])('a %s request is sent with the provider’s changes', async (_, provider) => {
  const target: TextTarget = {
    ...targetOf(channelOf('a', provider), 'anthropic-messages'),
    body: { remove: ['model'], add: { anthropic_version: '"v"' } },
  };
  const { body } = await preparedBy(laneTo(fakePorts().ports, target, { format: 'anthropic-messages' }));
  const sent = JSON.parse(textOf(body));
  expect(sent).toMatchObject({ anthropic_version: 'v', messages: [{ role: 'user' }] });
  expect(sent.model).toBeUndefined();
});

describe('the flags of Anthropic’s header', () => {
  const asked: Asked = { format: 'anthropic-messages', headers: { 'anthropic-beta': 'one,two' } };
  const sentWith = async (changes: Partial<TextTarget> = {}) => {
    const target = { ...targetOf(channelOf('a', 'messaging'), 'anthropic-messages'), ...changes };
    return await preparedBy(laneTo(fakePorts().ports, target, asked));
  };

  test('are sent in the header', async () => {
    expect((await sentWith()).headers).toEqual({ 'anthropic-beta': 'one,two' });
    const { headers, body } = await sentWith({ body: { remove: [], add: { extra: '1' } } });
    expect(headers).toEqual({ 'anthropic-beta': 'one,two' });
    expect(JSON.parse(textOf(body))).toMatchObject({ extra: 1 });
  });

  test('are sent in the body only for a provider that reads them there', async () => {
    const { headers, body } = await sentWith({ body: { remove: [], add: {}, betaMember: 'anthropic_beta' } });
    expect(headers?.['anthropic-beta']).toBeUndefined();
    expect(JSON.parse(textOf(body))).toMatchObject({ anthropic_beta: ['one', 'two'] });
  });
});

describe('the known names in a request', () => {
  const request = parsed('openai-chat', { seed: 1 });

  test('are those of the first scan of its bytes', () => {
    const scan = new BodyScan(request.bytes, 0, null);
    scan.run(request.bytes.length);
    expect(namesIn({ ...request, scan })).toBe(scan);
  });

  test('are unknown without a scan or after re-encoding, except for duplicates', () => {
    const twice = utf8.encode('{"seed":1,"seed":2}');
    const scan = new BodyScan(twice, 0, null);
    scan.run(twice.length);
    const { scan: _, ...unseen } = request;
    expect(namesIn(unseen)).toEqual({ hasOddNames: true, duplicates: [] });
    expect(namesIn({ ...request, scan })).toEqual({ hasOddNames: true, duplicates: scan.duplicates });
    expect(scan.duplicates).toHaveLength(1);
  });
});

const bytes = (text: string) => new TextEncoder().encode(text);
const patched = (text: string, betas?: string) =>
  new TextDecoder().decode(
    applyEdits(
      bytes(text),
      bodyEdits(
        bytes(text),
        { remove: ['model', 'stream'], add: { anthropic_version: '"v"' }, betaMember: 'anthropic_beta' },
        betas,
      ),
    ),
  );

describe('a body for Bedrock', () => {
  const rows: [string, string][] = [
    ['{"model":"m","max_tokens":1}', '{"anthropic_version":"v","max_tokens":1}'],
    ['{"max_tokens":1,"model":"m"}', '{"anthropic_version":"v","max_tokens":1}'],
    ['{"model":"m","stream":true}', '{"anthropic_version":"v"}'],
    ['{ "stream" : true , "model":"m", "a": [1, 2] }', '{"anthropic_version":"v"  , "a": [1, 2] }'],
    ['{}', '{"anthropic_version":"v"}'],
    ['{"anthropic_version":"old","a":1}', '{"anthropic_version":"v","a":1}'],
  ];
  for (const [before, after] of rows) {
    test(before, () => expect(JSON.parse(patched(before))).toEqual(JSON.parse(after)));
  }

  test('contains the beta header', () => {
    expect(JSON.parse(patched('{"model":"m","a":1}', 'one, two'))).toEqual({
      anthropic_version: 'v',
      anthropic_beta: ['one', 'two'],
      a: 1,
    });
  });
});

test('named members are removed, and the others stay byte for byte, in any order', () => {
  const members = fc.uniqueArray(
    fc.tuple(fc.constantFrom('model', 'stream', 'a', 'b', 'ü "x', 'messages'), fc.json({ maxDepth: 2 })),
    { selector: ([name]) => name },
  );
  fc.assert(
    fc.property(members, fc.constantFrom('', ' ', '\n  '), (list, space) => {
      const text = `{${space}${list.map(([name, json]) => `${JSON.stringify(name)}${space}:${space}${json}`).join(`${space},${space}`)}${space}}`;
      const out = patched(text);
      const kept = list.filter(([name]) => name !== 'model' && name !== 'stream');
      expect(JSON.parse(out)).toEqual({
        anthropic_version: 'v',
        ...Object.fromEntries(kept.map(([name, json]) => [name, JSON.parse(json)])),
      });
      for (const [, json] of kept) expect(out).toContain(json);
    }),
  );
});
