import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { channelTo, chatAnswer, type ReceivedRequest, refusal, USAGE } from '../first-light/upstream.ts';
import { TestClock } from '../shared/test-clock.ts';
import { until } from '../shared/until.ts';
import { BETA, type RoutingBed, startRoutingBed } from './bed.ts';
import { inParallel } from './client.ts';
import { upstreamsNamed } from './upstreams.ts';

/* An upstream that knows its keys: it refuses one, limits another, and one has no credit. */

const upstreams = upstreamsNamed('keyed', 'other');
const { keyed, other } = upstreams;
const clock = new TestClock();
let bed: RoutingBed;
/** The keys of the requests at the keyed upstream, in their order. */
let used: string[] = [];

const secretOf = (name: string) => `upstream-secret-${name}`;
const key = (name: string, fields: object = {}) => ({ name, key: secretOf(name), ...fields });
const keys = (...names: string[]) => names.map((name) => key(name));

/** One request costs 11 × 0.001 + 7 × 0.002 USD = 0.025 USD at the model's price. */
const PRICING = { input_per_1m: '1000', output_per_1m: '2000' };
const COST_NANO_USD = 25_000_000n;

function answer(request: ReceivedRequest): Response {
  const name = request.headers.get('authorization')?.replace(/^Bearer upstream-secret-/, '') ?? '';
  used.push(name);
  if (name.startsWith('revoked'))
    return refusal(401, `Incorrect API key provided: ${secretOf(name)} of others ${secretOf('sound')}.`);
  if (name.startsWith('limited')) return refusal(429, 'Rate limit reached.', { 'retry-after': '30' });
  if (name.startsWith('broke')) {
    return Response.json(
      { error: { message: 'You exceeded your current quota.', code: 'insufficient_quota' } },
      { status: 429 },
    );
  }
  if (name.startsWith('liar')) {
    return Response.json({
      ...{ id: 'c-1', object: 'chat.completion', created: 1, model: request.model },
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 11, completion_tokens: 900_000_000, total_tokens: 900_000_011 },
    });
  }
  return chatAnswer(request);
}

beforeAll(async () => {
  keyed.answer = answer;
  const cap = (usd: string, per: string) => ({ spend_cap: { usd, per } });
  bed = await startRoutingBed(
    {
      channels: [
        channelTo(keyed, {
          ...{ id: 'shares', models: ['shared'], weight: 1, api_key: null },
          api_keys: [key('three', { weight: 3 }), key('one'), key('off', { enabled: false })],
        }),
        channelTo(other, { id: 'other', models: ['shared'], weight: 1 }),
        channelTo(keyed, {
          id: 'faulty',
          models: ['m'],
          api_key: null,
          api_keys: keys('revoked', 'limited', 'broke', 'sound'),
        }),
        channelTo(keyed, { id: 'chats', models: ['chat'], api_key: null, api_keys: keys('left', 'right') }),
        channelTo(keyed, {
          ...{ id: 'capped', models: ['dear'], api_key: null },
          api_keys: [key('daily', cap('0.05', 'day')), key('total', cap('0.0251', 'total'))],
        }),
        channelTo(keyed, {
          ...{
            id: 'lying',
            models: ['lied'],
            api_key: null,
            costs: { lied: { input_per_1m: '1', output_per_1m: '2' } },
          },
          api_keys: [key('liar', cap('1000', 'total'))],
        }),
      ],
      models: [
        { id: 'dear', pricing: PRICING },
        { id: 'lied', pricing: PRICING },
      ],
    },
    clock,
  );
});

afterAll(async () => {
  await bed?.stop();
  for (const upstream of Object.values(upstreams)) await upstream.stop();
});

interface ShownKey {
  readonly name: string;
  readonly state: string;
  readonly spent_usd: string;
  readonly resets_at: string | null;
  readonly block: { readonly reason: string } | null;
}

async function keysOf(id: string): Promise<readonly ShownKey[]> {
  const { stdout } = await bed.space.run(['channels', 'list', id, '--json']);
  expect(stdout).not.toContain('upstream-secret');
  const [channel] = JSON.parse(stdout) as [{ api_keys: ShownKey[] }];
  return channel.api_keys;
}

const statesOf = async (id: string) => (await keysOf(id)).map(({ name, state }) => `${name} ${state}`);
const countOf = (name: string) => used.filter((one) => one === name).length;

describe('several keys of a channel', () => {
  test('share the traffic of the channel by their weights', async () => {
    used = [];
    other.forget();
    await inParallel(80, 1, () => bed.ask({ model: 'shared', turns: ['one of many'] }));
    // A rotation begins at a random place, so each count may differ by one.
    const found = [countOf('three'), countOf('one'), other.count];
    for (const [index, expected] of [30, 10, 40].entries()) {
      expect(Math.abs((found[index] ?? 0) - expected), found.join()).toBeLessThanOrEqual(1);
    }
    expect(countOf('off')).toBe(0);
  });

  test('rest and are blocked one by one, and none of it fails a request', async () => {
    used = [];
    const answers = await inParallel(24, 1, (index) =>
      bed.ask({ model: 'm', ...(index % 2 === 0 && { key: BETA }), turns: [`turn ${index}`] }),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.map(({ text }) => text).join('')).not.toContain('upstream-secret');
    await until('the refused key is blocked', async () => (await statesOf('faulty'))[0] === 'revoked blocked');
    await until(
      'the others rest',
      async () => (await statesOf('faulty')).join() === 'revoked blocked,limited resting,broke resting,sound ready',
    );
    const [revoked] = await keysOf('faulty');
    expect(revoked?.block?.reason).not.toContain('upstream-secret');
    const before = used.length;
    await bed.ask({ model: 'm', turns: ['at last'] });
    expect(used.slice(before)).toEqual(['sound']);
  });

  test('keep a conversation at the key that began it', async () => {
    used = [];
    for (const name of ['left', 'right', 'left', 'right']) {
      const turns = [`Question ${used.length} of ${name}. ${'A long prompt that a provider caches. '.repeat(150)}`];
      await bed.ask({ model: 'chat', turns });
      const first = used.at(-1);
      for (let turn = 0; turn < 3; turn++) {
        turns.push('An answer of the upstream.', `And turn ${turn}?`);
        await bed.ask({ model: 'chat', turns });
        expect(used.at(-1)).toBe(first!);
      }
    }
    expect(new Set(used)).toEqual(new Set(['left', 'right']));
  });
});

describe('a spend cap of a key', () => {
  const asked = (index: number) => bed.ask({ model: 'dear', turns: [`dear question ${index}`] });

  test('stops the key once as much was spent, to the nano-dollar, and the next key takes over', async () => {
    used = [];
    const answers = await inParallel(4, 1, asked);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect([countOf('daily'), countOf('total')]).toEqual([2, 2]);
    await until(
      'both keys are past their caps',
      async () => (await statesOf('capped')).join() === 'daily capped,total capped',
    );
    expect((await keysOf('capped')).map(({ spent_usd }) => spent_usd)).toEqual(['0.05', '0.05']);
    expect(COST_NANO_USD * 2n).toBe(50_000_000n);
    expect(USAGE.prompt_tokens).toBe(11);
  });

  test('tells the time of the first key to be back when all are past their caps', async () => {
    const { status, headers, text } = await asked(9);
    expect([status, /all_channels_failed/.test(text)]).toEqual([503, true]);
    const [daily] = await keysOf('capped');
    const seconds = (Date.parse(daily!.resets_at!) - clock.nowMs()) / 1_000;
    expect(Math.abs(Number(headers.get('retry-after')) - seconds)).toBeLessThan(2);
    clock.advance(seconds * 1_000 + 1_000);
    used = [];
    expect((await asked(10)).status).toBe(200);
    expect(used).toEqual(['daily']);
  });

  test('is reset by an operator', async () => {
    const { stdout } = await bed.space.run(['channels', 'reset', 'capped', '--key', 'total', '--spending']);
    expect(stdout).toContain('clears its failures and its spending');
    await until('the key is ready', async () => (await statesOf('capped'))[1] === 'total ready');
  });

  test('does not count usage that no request can have', async () => {
    expect((await bed.ask({ model: 'lied', turns: ['Tell a lie.'] })).status).toBe(200);
    await until('the spending is stored', async () => (await keysOf('lying'))[0]!.spent_usd !== '0');
    const [liar] = await keysOf('lying');
    // The stated usage would have cost 1,800 USD.
    expect(Number(liar!.spent_usd)).toBeLessThan(1);
    expect(liar!.state).toBe('ready');
  });
});

test('a test of the channel has a line for each key', async () => {
  const { stdout, exitCode } = await bed.space.run(['channels', 'test', 'faulty']);
  expect(stdout.split('\n').map((line) => line.split(/\s+/, 2).join(' '))).toEqual([
    'revoked failed:',
    'limited failed:',
    'broke failed:',
    'sound ok:',
    '',
  ]);
  expect([exitCode, stdout.includes('upstream-secret')]).toEqual([1, false]);
  expect((await bed.space.run(['channels', 'test', 'faulty', '--key', 'sound'])).stdout).toContain('ok: HTTP 200');
});
