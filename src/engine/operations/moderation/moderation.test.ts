import { describe, expect, test } from 'bun:test';
import type { Credential } from '../../../domain/access/api-key.ts';
import type { Channel } from '../../../domain/catalog/channel.ts';
import type { DeclaredModel } from '../../../domain/catalog/model.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { ONE_REQUEST } from '../../../domain/money/quantity.ts';
import type { Scripted } from '../../call/testing/fake-upstream.ts';
import * as answers from '../../call/testing/sample-answers.ts';
import { expectOver, gateway, told } from '../../call/testing/sample-gateway.ts';
import { channelOf, directoryOf } from '../../call/testing/sample-routes.ts';
import { sampleAccount, sampleCredential } from '../../ports/testing/samples.ts';
import { ModerationOperation } from './moderation.ts';

const DEFAULT = 'omni-moderation-latest';
const ofInput = (amount: number) => ({
  quantities: [{ unit: 'input_token', amount } as const, ONE_REQUEST],
});
const utf8 = new TextEncoder();

const judge = (id: string, fields: Partial<Channel> = {}) =>
  channelOf(id, 'moderating', { models: { [DEFAULT]: 'omni-up' }, ...fields });
const judging = (id: string): Partial<DeclaredModel> => ({ id, status: 'public', operations: ['moderations'] });

interface Setting {
  readonly models?: readonly Partial<DeclaredModel>[];
  readonly credential?: Partial<Credential>;
}

/** Sends moderation requests to a gateway with these channels. */
function moderating(channels: readonly Channel[], { models = [judging(DEFAULT)], credential = {} }: Setting = {}) {
  const directory = directoryOf(channels, { status: 'public' }, models);
  const principal = { account: sampleAccount(), credential: sampleCredential(credential) };
  const made = gateway({ directory: () => directory, principals: { find: () => principal } });
  const moderate = async (body: unknown) => {
    const bytes = body instanceof Failure ? body : utf8.encode(typeof body === 'string' ? body : JSON.stringify(body));
    const outbound = await made.run(new ModerationOperation(), {}, { bytes });
    return { outbound, text: await told(outbound) };
  };
  const health = (id: string) => {
    const targets = directory.waysFor('moderations', DEFAULT, 'acme')?.targets ?? [];
    return targets.find(({ channel }) => channel.id === id)!.health;
  };
  return { made, moderate, health };
}

const verdict = (fields: Readonly<Record<string, unknown>> = {}): Scripted => ({
  headers: { 'content-type': 'application/json' },
  pieces: [`{"id":"modr-1", "model":"omni-up","results":[{"flagged":false,"score":1.50}]${moreOf(fields)}}`],
});

const moreOf = (fields: Readonly<Record<string, unknown>>) =>
  Object.entries(fields)
    .map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`)
    .join('');

describe('a moderation', () => {
  test('is relayed unchanged to a channel that supports it, and so is the verdict', async () => {
    const { made, moderate } = moderating([judge('a')]);
    made.upstream.script('a', verdict());
    const { outbound, text } = await moderate('{ "model":"omni-moderation-latest", "input":["Hi"], "x":1.50 }');
    expect(made.upstream.sent[0]?.request).toMatchObject({ url: 'http://a.example/v1/moderations', method: 'POST' });
    expect(made.upstream.sent[0]?.text).toBe('{ "model":"omni-up", "input":["Hi"], "x":1.50 }');
    expect(text).toStartWith(
      '{"id":"modr-1", "model":"omni-moderation-latest","results":[{"flagged":false,"score":1.50}]',
    );
    expect(JSON.parse(text)._routing).toMatchObject({ channel: { id: 'a' }, retryCount: 0 });
    expect(outbound).toMatchObject({ kind: 'whole', status: 200, headers: { 'content-type': 'application/json' } });
    expect(outbound.headers['x-routing']).toContain('"a"');
  });

  test('is reserved for, and charged by the tokens that the provider reports', async () => {
    const { made, moderate } = moderating([judge('a')]);
    made.upstream.script('a', verdict({ usage: { prompt_tokens: 3, total_tokens: 3 } }));
    await moderate({ input: 'Hello' });
    expect(made.steps).toEqual(['key used', 'admit', 'read body', 'reserve', 'ask a', 'charge', 'record']);
    const bounds = made.billing.requests[0]?.bounds;
    expect(bounds?.certain()).toEqual({ inputTokens: '{"input":"Hello"}'.length, outputTokens: 0 });
    expect(bounds?.isPlausible({ ...ofInput(18), source: 'reported' }, 0)).toBe(false);
    expect(made.billing.requests).toMatchObject([{ modelId: DEFAULT, mayUsePlatform: true, mayUseOwn: false }]);
    expect(made.records).toMatchObject([
      { modelId: DEFAULT, billable: { ...ofInput(3), source: 'reported' }, costNanoUsd: 42n, stream: false },
    ]);
    expect(made.limits.ended).toEqual([{ ...ofInput(3), source: 'reported' }]);
    await expectOver(made, null);
  });

  test('without a usage report is charged by its size', async () => {
    const { made, moderate } = moderating([judge('a')]);
    made.upstream.script('a', verdict());
    await moderate({ input: 'x'.repeat(100) });
    expect(made.records).toMatchObject([{ billable: { ...ofInput(28), source: 'estimated' }, costNanoUsd: 42n }]);
    await expectOver(made, null);
  });

  test('without enough balance is not dispatched', async () => {
    const { made, moderate } = moderating([judge('a')]);
    made.billing.refusal = new Failure('insufficient_balance', { message: 'There is not enough money.' });
    expect((await moderate({ input: 'Hello' })).outbound).toMatchObject({ status: 402 });
    expect(made.upstream.asked).toEqual([]);
  });

  test('that cannot be charged is not sent to the client', async () => {
    const { made, moderate } = moderating([judge('a')]);
    made.billing.cost = () => Promise.reject(new Error('the disk is full'));
    made.upstream.script('a', verdict());
    const { outbound, text } = await moderate({ input: 'Hello' });
    expect(outbound).toMatchObject({ status: 500 });
    expect(text).not.toContain('flagged');
    await expectOver(made, 'not_charged');
  });
});

describe('the channel of a moderation', () => {
  test('is replaced by the next in priority if the first fails', async () => {
    const { made, moderate, health } = moderating([judge('b', { priority: 1 }), judge('a')]);
    made.upstream.script('a', answers.refusal(503)).script('b', verdict());
    const { text } = await moderate({ input: 'Hello' });
    expect(JSON.parse(text)._routing).toMatchObject({ channel: { id: 'b' }, retryCount: 1 });
    expect(made.upstream.asked).toEqual(['a', 'b']);
    expect(made.records).toMatchObject([{ channelId: 'b', failedAttempts: [{ channelId: 'a', kind: 'http_503' }] }]);
    expect(health('a').failures).toBe(1);
    await expectOver(made, null);
  });

  test('is replaced if the first response is unusable', async () => {
    const { made, moderate } = moderating([judge('a'), judge('b', { priority: 1 })]);
    made.upstream.script('a', answers.json({ ok: true })).script('b', verdict());
    expect((await moderate({ input: 'Hello' })).outbound).toMatchObject({ status: 200 });
    expect(made.attempts).toMatchObject([{ outcome: 'failed', kind: 'garbage' }, { outcome: 'answered' }]);
  });

  test('is not replaced after a client error', async () => {
    const { made, moderate } = moderating([judge('a'), judge('b', { priority: 1 })]);
    made.upstream.script('a', answers.refusal(400, 'The picture is no picture.'));
    const { outbound, text } = await moderate({ input: 'Hello' });
    expect([outbound.kind === 'whole' && outbound.status, text]).toEqual([400, expect.stringContaining('no picture')]);
    expect(made.upstream.asked).toEqual(['a']);
    expect(made.records).toMatchObject([{ failedAttempts: [] }]);
  });

  test('is never a blocked one', async () => {
    const { made, moderate, health } = moderating([judge('a'), judge('b', { priority: 1 })]);
    health('a').channel.block = { atMs: 0, reason: 'The key is wrong.' };
    made.upstream.script('b', verdict());
    await moderate({ input: 'Hello' });
    expect(made.upstream.asked).toEqual(['b']);
    health('b').channel.block = { atMs: 0, reason: 'The key is wrong.' };
    expect((await moderate({ input: 'Hello' })).outbound).toMatchObject({ status: 503 });
  });

  test('is the account’s own before shared ones', async () => {
    const { made, moderate } = moderating([judge('a'), judge('own', { owner: 'acme', priority: 9 })]);
    made.upstream.script('own', verdict());
    await moderate({ input: 'Hello' });
    expect(made.records).toMatchObject([{ channelId: 'own', isPrivate: true }]);
  });
});

describe('the model of a moderation', () => {
  const OTHER = 'other-moderation';
  const other = () => judge('o', { models: { [OTHER]: 'other-up' } });

  test('is OpenAI’s default if none is named', async () => {
    const { made, moderate } = moderating([other(), judge('a')], { models: [judging(DEFAULT), judging(OTHER)] });
    made.upstream.script('a', verdict());
    const { text } = await moderate({ input: 'Hello' });
    expect(JSON.parse(made.upstream.sent[0]?.text ?? '')).toEqual({ input: 'Hello', model: 'omni-up' });
    expect(JSON.parse(text).model).toBe(DEFAULT);
  });

  test.each([
    ['the key may not use the default', [other(), judge('a')], { models: [OTHER] }],
    ['no channel has the default', [other()], {}],
  ])('is the first that the key may use if %s', async (_, channels, credential) => {
    const { made, moderate } = moderating(channels, { models: [judging(DEFAULT), judging(OTHER)], credential });
    made.upstream.script('o', verdict());
    expect(JSON.parse((await moderate({ input: 'Hello' })).text).model).toBe(OTHER);
    expect(made.records).toMatchObject([{ modelId: OTHER, upstreamModel: 'other-up' }]);
  });

  test.each([
    ['does not exist', { model: 'unknown' }, {}, 404, 'model_not_found'],
    ['is not allowed for the key', { model: DEFAULT }, { models: ['public-model'] }, 403, 'model_not_allowed'],
    ['chats', { model: 'public-model' }, {}, 400, 'wrong_endpoint'],
    ['has no channel with moderations', { model: 'declared' }, {}, 400, 'wrong_endpoint'],
  ])('that %s is refused', async (_, fields, credential, status, kind) => {
    const chat = channelOf('c', 'chatting', { models: { 'public-model': 'up', declared: 'up' } });
    const setting = { models: [judging(DEFAULT), judging('declared')], credential };
    const { made, moderate } = moderating([judge('a'), chat], setting);
    const { outbound, text } = await moderate({ input: 'Hello', ...fields });
    expect(outbound).toMatchObject({ status });
    expect(JSON.parse(text).error).toMatchObject({ param: 'model' });
    expect(made.steps).toEqual(['key used', 'admit', 'read body', 'record']);
    await expectOver(made, kind);
  });
});

test.each([
  ['', 'empty_body'],
  ['{', 'invalid_json'],
  ['[]', 'invalid_type'],
  [{}, 'missing_required_parameter'],
  [{ input: 1 }, 'invalid_type'],
  [{ input: 'Hello', model: 1 }, 'invalid_type'],
  ['{"input":"Hello","model":"a","model":"b"}', 'invalid_value'],
  [new Failure('payload_too_large', { message: 'No.' }), 'payload_too_large'],
])('an invalid body is refused without an upstream call: %j', async (body, code) => {
  const { made, moderate } = moderating([judge('a')]);
  await moderate(body);
  expect(made.records).toMatchObject([{ errorCode: code, modelId: null, billable: null }]);
  expect(made.steps).toEqual(['key used', 'admit', 'read body', 'record']);
});
