import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { chatBody } from '../shared/answer.ts';
import { asArray, asObject, parseJson } from '../shared/json.ts';
import type { Serving } from '../shared/serving.ts';
import { until } from '../shared/until.ts';
import { Workspace } from '../shared/workspace.ts';
import { accountWith, channelTo, clientKey, keyNamed, startUpstream } from './upstream.ts';

/* The upstream reports 11 prompt tokens and 7 completion tokens: at a cent each, a request costs 0.18 USD. */

const PRICES = { input_per_1m: '10000', output_per_1m: '10000' };
const COST_USD = '0.18';
const RESERVED_OUTPUT = 20;

/** A command is a separate process, and some tests run several. */
setDefaultTimeout(600_000);

describe('balances, changed by commands beside a running gateway', () => {
  const upstream = startUpstream();
  let space: Workspace;
  let serving: Serving;

  const start = async () => {
    const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
      channels: [channelTo(upstream, { models: ['alpha', 'free-one', 'unpriced'] })],
      models: [
        { id: 'alpha', pricing: PRICES },
        { id: 'free-one', pricing: 'free' },
      ],
      accounts: [
        accountWith(
          'acme',
          [
            keyNamed('main'),
            keyNamed('limited', { limit_usd: '0.9' }),
            keyNamed('past', { expires_at: '2020-01-01T00:00:00Z' }),
          ],
          { billing: 'prepaid' },
        ),
        accountWith('opened', [keyNamed('opened')], { billing: 'prepaid', balance_usd: '2.5' }),
      ],
    });
    return space.serve({ env: { SWITCHYARD_CONFIG } });
  };

  beforeAll(async () => {
    space = await Workspace.create();
    serving = await start();
  });

  afterAll(async () => {
    await space.remove();
    await upstream.stop();
  });

  const ask = (key: string, model = 'alpha') =>
    serving.chat(clientKey(key), { ...chatBody(model), max_tokens: RESERVED_OUTPUT });
  const run = async (...args: string[]) => {
    const { exitCode, stdout, stderr } = await space.run(args);
    expect([args.join(' '), exitCode, stderr], stdout).toEqual([args.join(' '), 0, '']);
    return stdout;
  };
  const balanceOf = async (id: string) =>
    asObject(parseJson(await run('accounts', 'balance', id, '--json'))).balance_usd;

  test('without balance: 402 with the balance and the estimate, and no upstream request', async () => {
    const before = upstream.requests.length;
    const { status, error } = await ask('main');
    expect(status).toBe(402);
    expect(error).toMatchObject({ type: 'insufficient_balance', code: 'insufficient_balance', balance_usd: 0 });
    expect(error.estimated_cost_usd).toBeGreaterThan(Number(COST_USD));
    expect(upstream.requests.length).toBe(before);
    expect((await ask('main', 'free-one')).status).toBe(200);
    expect((await ask('main', 'unpriced')).status).toBe(403);
  });

  test('a grant takes effect at once, and the request is charged its cost', async () => {
    await run('accounts', 'grant', 'acme', '5', '--note', 'invoice 1', '--idempotency-key', 'invoice-1');
    await run('accounts', 'grant', 'acme', '5', '--note', 'invoice 1', '--idempotency-key', 'invoice-1');
    expect((await ask('main')).status).toBe(200);
    expect(await balanceOf('acme')).toBe('4.82');
    const entries = asArray(parseJson(await run('ledger', 'list', 'acme', '--json')));
    expect(entries).toMatchObject([
      { kind: 'charge', amount_usd: `-${COST_USD}`, key: 'main' },
      { kind: 'grant', amount_usd: '5', note: 'invoice 1' },
    ]);
  });

  test('a key stops at its limit although the account has balance', async () => {
    const answers: number[] = [];
    for (let count = 0; count < 8; count++) answers.push((await ask('limited')).status);
    const served = answers.filter((status) => status === 200).length;
    expect(served).toBeGreaterThan(0);
    expect(answers).toEqual([...Array(served).fill(200), ...Array(8 - served).fill(402)]);
    expect((await ask('limited')).error).toMatchObject({ type: 'quota_exceeded', code: 'quota_exceeded' });
    const keys = asArray(parseJson(await run('keys', 'list', '--account', 'acme', '--json'))).map(asObject);
    const spent = Number(keys.find(({ id }) => id === 'limited')?.spent_usd);
    expect(spent).toBeCloseTo(served * Number(COST_USD), 9);
    expect(spent).toBeLessThanOrEqual(0.9);
  });

  test('an expired key is refused with 401', async () => {
    expect(await ask('past')).toMatchObject({
      status: 401,
      error: { code: 'expired_api_key', type: 'expired_api_key' },
    });
    expect(await run('keys', 'list')).toMatch(/^past .* expired /m);
  });

  test('an adjustment can take the available balance once the gateway has released its lease', async () => {
    const adjust = () => space.run(['accounts', 'adjust', 'acme', '-1', '--note', 'test']);
    await until('the adjustment', async () => (await adjust()).exitCode === 0);
  });

  test('the ledger is consistent while the gateway runs and after a restart', async () => {
    expect(await run('ledger', 'verify')).toMatch(/^ledger verified \(accounts 2, /);
    const before = [await balanceOf('acme'), await balanceOf('opened')];
    expect(before[1]).toBe('2.5');
    await serving.stop();
    serving = await start();
    expect([await balanceOf('acme'), await balanceOf('opened')]).toEqual(before);
    expect((await ask('opened')).status).toBe(200);
    expect(await balanceOf('opened')).toBe('2.32');
    expect(await run('ledger', 'verify')).toMatch(/^ledger verified \(accounts 2, /);
  });
});
