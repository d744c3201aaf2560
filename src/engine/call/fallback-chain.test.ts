import { describe, expect, test } from 'bun:test';
import { Failure } from '../../domain/failure/failure.ts';
import { sampleAccount, sampleCredential } from '../ports/testing/samples.ts';
import { DEFAULT_ROUTING } from '../settings/settings.ts';
import * as answers from './testing/sample-answers.ts';
import { expectOver, gateway, told } from './testing/sample-gateway.ts';
import { channelOf, directoryOf, MODEL } from './testing/sample-routes.ts';

const FALLBACKS = 'x-switchyard-fallback-models';

const channels = [
  channelOf('first', 'chatting'),
  channelOf('second', 'chatting', { models: { second: 'second-up' } }),
  channelOf('third', 'messaging', { models: { third: 'third-up' } }),
];
const others = [{ id: 'second' }, { id: 'third' }];

function made(
  model: Parameters<typeof directoryOf>[1] = {},
  overrides: Parameters<typeof gateway>[0] = {},
  declared: Parameters<typeof directoryOf>[2] = others,
) {
  const directory = directoryOf(channels, model, declared);
  return gateway({ directory: () => directory, ...overrides });
}

const refused = (status: number, code: string) => ({
  status,
  headers: { 'content-type': 'application/json' },
  pieces: [JSON.stringify({ error: { message: 'No.', code, type: 'invalid_request_error' } })],
});

describe('a request whose model cannot answer', () => {
  test('gets the answer of the fallback: reserved, charged, recorded and told as itself', async () => {
    const gate = made({ fallbacks: ['second'] });
    gate.upstream.script('first', answers.refusal(500), answers.refusal(500), answers.refusal(500));
    gate.upstream.script('second', answers.chatAnswer('Hello'));
    const outbound = await gate.ask();
    const steps = [{ kind: 'fallback', from: MODEL, to: 'second', reason: 'upstream_error' }];
    const answer = JSON.parse(await told(outbound));
    expect(answer).toMatchObject({ model: 'second', _routing: { channel: { id: 'second' }, retryCount: 3 } });
    expect(answer._routing).toMatchObject({ requestedModel: MODEL, modelSteps: steps });
    expect(JSON.parse(outbound.headers['x-routing'] ?? '')).toMatchObject({ modelSteps: steps });
    expect(gate.records).toMatchObject([{ modelId: 'second', requestedModel: MODEL, modelSteps: steps, status: 200 }]);
    expect(gate.billing.requests.map(({ modelId }) => modelId)).toEqual([MODEL, 'second']);
    expect(gate.billing.reservations.map(({ releases, settled }) => [releases, settled.length])).toEqual([
      [1, 0],
      [0, 1],
    ]);
    expect(JSON.parse(gate.upstream.sent.at(-1)?.text ?? '')).toMatchObject({ model: 'second-up' });
    await expectOver(gate, null);
  });

  test('is translated for the fallback, whose losses are named', async () => {
    const gate = made();
    gate.upstream.script('first', ...Array(3).fill(answers.refusal(500)));
    gate.upstream.script('third', answers.messagesAnswer('Hello'));
    const outbound = await gate.ask({ models: [MODEL, 'third'], route: 'fallback', seed: 1 });
    expect(JSON.parse(await told(outbound))).toMatchObject({ model: 'third' });
    expect(outbound.headers['x-switchyard-losses']).toContain('seed');
    const texts = gate.upstream.sent.map(({ text }) => text);
    expect(texts.filter((text) => text.includes('"models"') || text.includes('"route"'))).toEqual([]);
    await expectOver(gate, null);
  });

  test('streams the answer of the fallback', async () => {
    const gate = made({ fallbacks: ['second'] });
    gate.upstream.script('first', ...Array(3).fill(answers.refusal(503)));
    gate.upstream.script(
      'second',
      answers.sse(answers.chatText('Hello'), answers.chatText('', 'stop') + answers.CHAT_USAGE, answers.CHAT_DONE),
    );
    const text = await told(await gate.ask({ stream: true }));
    expect(text).toContain('"model":"second"');
    expect(text).toContain('"modelSteps"');
    await expectOver(gate, null);
  });

  test('of a body without `model` has the first of its list', async () => {
    const gate = made();
    gate.upstream.script('second', answers.chatAnswer('Hello'));
    const bytes = new TextEncoder().encode('{"messages":[{"role":"user","content":"Hi"}],"models":["second","third"]}');
    expect(JSON.parse(await told(await gate.ask({}, { bytes })))).toMatchObject({ model: 'second' });
    expect(JSON.parse(gate.upstream.sent[0]?.text ?? '')).toEqual({
      messages: [{ role: 'user', content: 'Hi' }],
      model: 'second-up',
    });
    await expectOver(gate, null);
  });

  test('prefers its own list to that of the account, and this to that of the model', async () => {
    const account = sampleAccount({ fallbacks: ['third'] });
    const principals = { find: () => ({ account, credential: sampleCredential() }) };
    const gate = made({ fallbacks: ['second'] }, { principals });
    gate.upstream.script('first', ...Array(9).fill(answers.refusal(401)));
    gate.upstream.script('third', answers.messagesAnswer('Hello')).script('second', answers.chatAnswer('Hello'));
    expect(JSON.parse(await told(await gate.ask()))).toMatchObject({ model: 'third' });
    const headers = { [FALLBACKS]: ' second , ' };
    expect(JSON.parse(await told(await gate.ask({}, { headers })))).toMatchObject({ model: 'second' });
    expect(await gate.ask({}, { headers: { [FALLBACKS]: '' } })).toMatchObject({ status: 502 });
  });

  test('of a virtual model has the fallbacks of this one before those of the model that its rules choose', async () => {
    const modelRules = { choose: () => ({ modelId: MODEL, reason: 'all' }) };
    const gate = made({ fallbacks: ['third'] }, { modelRules }, [...others, { id: 'auto', fallbacks: ['second'] }]);
    gate.upstream.script('first', answers.refusal(401)).script('second', answers.chatAnswer('Hello'));
    expect(JSON.parse(await told(await gate.ask({ model: 'auto' })))).toMatchObject({ model: 'second' });
    expect(gate.records[0]?.modelSteps).toMatchObject([
      { kind: 'rule' },
      { kind: 'fallback', from: MODEL, to: 'second' },
    ]);
  });

  test('of a model on hold gets the fallback that its operator has declared, which may be hidden', async () => {
    const gate = made({ status: 'hold', fallbacks: ['second'] }, {}, [{ id: 'second', status: 'hidden' }]);
    gate.upstream.script('second', answers.chatAnswer('Hello'));
    expect(JSON.parse(await told(await gate.ask()))).toMatchObject({ model: 'second' });
    expect(gate.records).toMatchObject([{ modelSteps: [{ reason: 'model_not_found', to: 'second' }] }]);
    expect(await gate.ask({ model: 'second' })).toMatchObject({ status: 404 });
  });
});

describe('no other model is asked', () => {
  test('if the request is wrong or refused for its content', async () => {
    const gate = made({ fallbacks: ['second'] });
    gate.upstream.script('first', refused(400, 'invalid_value'), refused(400, 'content_policy_violation'));
    expect(await gate.ask()).toMatchObject({ status: 400 });
    expect(await gate.ask()).toMatchObject({ status: 400 });
    expect(gate.upstream.asked).toEqual(['first', 'first']);
    expect(gate.billing.isEven).toBe(true);
  });

  test('after the first byte of a stream', async () => {
    const gate = made({ fallbacks: ['second'] });
    gate.upstream.script(
      'first',
      answers.sse(answers.chatText('Hel'), new Failure('upstream_error', { message: 'Cut.', kind: 'reset' })),
    );
    const text = await told(await gate.ask({ stream: true }));
    expect(text).toContain('Hel');
    expect(gate.upstream.asked).toEqual(['first']);
    await expectOver(gate, 'reset');
  });

  test('if the attempts of the request are used up, of which each fallback keeps one', async () => {
    const gate = made({ fallbacks: ['second', 'third'] }, { routing: { ...DEFAULT_ROUTING, maxAttempts: 3 } });
    gate.upstream.script('first', answers.refusal(500)).script('second', answers.refusal(500));
    gate.upstream.script('third', answers.refusal(500));
    const outbound = await gate.ask();
    expect(outbound).toMatchObject({ status: 502 });
    expect(await told(outbound)).toContain('The fallback models `second`, `third` could not answer either.');
    expect(gate.upstream.asked).toEqual(['first', 'second', 'third']);
    expect(gate.records).toMatchObject([{ modelId: 'third', modelSteps: [{ to: 'second' }, { to: 'third' }] }]);
    expect(gate.billing.isEven).toBe(true);
  });

  test('if the client has left', async () => {
    const leaving = new AbortController();
    const gate = made({ fallbacks: ['second'] });
    gate.upstream.script('first', () => {
      leaving.abort();
      return answers.refusal(401);
    });
    await gate.ask({}, { signal: leaving.signal });
    expect(gate.upstream.asked).toEqual(['first']);
    expect(gate.billing.isEven).toBe(true);
  });
});

test('a fallback that the key may not use, or that cannot be paid, is skipped', async () => {
  const principals = {
    find: () => ({ account: sampleAccount(), credential: sampleCredential({ models: [MODEL, 'third'] }) }),
  };
  const gate = made({ fallbacks: ['second', 'third'] }, { principals });
  gate.upstream.script('first', answers.refusal(401));
  gate.upstream.script('third', answers.messagesAnswer('Hello'));
  expect(JSON.parse(await told(await gate.ask()))).toMatchObject({ model: 'third' });
  expect(gate.records[0]?.modelSteps).toEqual([
    { kind: 'fallback', from: MODEL, to: 'second', reason: 'upstream_error', skipped: 'model_not_allowed' },
    { kind: 'fallback', from: MODEL, to: 'third', reason: 'upstream_error' },
  ]);
});

test('a budget that does not cover what a channel bills on top of the prices leads to its cheaper model', async () => {
  const refusal = new Failure('quota_exceeded', { message: 'No budget.', kind: 'account_budget' });
  const budgetModels = {
    isIdle: () => false,
    choose: () => null,
    learn: async () => {},
    afterRefusal: ({ kind }: Failure) => (kind === 'account_budget' ? { modelId: 'second', reason: 'budget' } : null),
  };
  const gate = made({}, { budgetModels });
  gate.upstream.script('second', answers.chatAnswer('Hello'));
  const { reserve } = gate.billing;
  gate.billing.reserve = (request) => {
    const reservation = reserve.call(gate.billing, request);
    return request.modelId === MODEL ? Object.assign(reservation, { withExtras: () => refusal }) : reservation;
  };
  expect(JSON.parse(await told(await gate.ask()))).toMatchObject({ model: 'second' });
  expect(gate.upstream.asked).toEqual(['second']);
  expect(gate.records[0]?.modelSteps).toEqual([{ kind: 'budget', from: MODEL, to: 'second', reason: 'budget' }]);
  await expectOver(gate, null);
});

test('no attempt is kept for fallbacks that the key may not use', async () => {
  const principals = {
    find: () => ({ account: sampleAccount(), credential: sampleCredential({ models: [MODEL] }) }),
  };
  const routing = { ...DEFAULT_ROUTING, maxAttempts: 3 };
  const gate = made({ fallbacks: ['second', 'third'] }, { principals, routing });
  gate.upstream.script('first', answers.refusal(500), answers.refusal(500), answers.chatAnswer('Hello'));
  expect(JSON.parse(await told(await gate.ask()))).toMatchObject({ model: MODEL, _routing: { retryCount: 2 } });
});

test('a list of the client is checked before any model is asked', async () => {
  const principals = {
    find: () => ({ account: sampleAccount(), credential: sampleCredential({ models: [MODEL, 'third'] }) }),
  };
  const gate = made({}, { principals }, [...others, { id: 'vectors', category: 'embedding' }]);
  const failureOf = async (...asking: Parameters<typeof gate.ask>) => JSON.parse(await told(await gate.ask(...asking)));
  expect((await failureOf({ models: ['second'] })).error).toMatchObject({
    code: 'model_not_allowed',
    param: 'models[0]',
  });
  expect((await failureOf({ models: ['third', 'nobody'] })).error).toMatchObject({
    code: 'model_not_found',
    param: 'models[1]',
  });
  expect((await failureOf({ models: Array(7).fill('third') })).error).toMatchObject({ param: 'models' });
  expect((await failureOf({ models: ['third'], route: 'sort' })).error).toMatchObject({ param: 'route' });
  expect((await failureOf({ models: [''] })).error).toMatchObject({ param: 'models[0]' });
  const headers = { [FALLBACKS]: 'a,b,c,d,e,f' };
  expect((await failureOf({}, { headers })).error).toMatchObject({ code: 'invalid_value', param: FALLBACKS });
  expect(gate.upstream.asked).toEqual([]);
});
