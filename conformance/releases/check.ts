import { expect } from 'bun:test';
import { Browser } from '../management/browser.ts';
import { chatBody } from '../shared/answer.ts';
import type { Serving } from '../shared/serving.ts';
import type { Workspace } from '../shared/workspace.ts';
import { ACCOUNT, CONFIGURATION, type Known, type Reader, readerOf } from './known.ts';
import { PROVIDER, startProvider } from './provider.ts';

/** When the gateway starts, after the earlier version has stopped. Nothing has expired by then. */
const LATER_MS = 60_000;

/**
 * Starts this version on the data of an earlier one, and checks that everything is as the earlier one told it, and that it works: the key,
 * the channel's key, the charge, the person's password. A second start changes nothing.
 *
 * @param env where the data is, if it is not in the data folder
 */
export async function checkRelease(space: Workspace, known: Known, env: Record<string, string> = {}): Promise<void> {
  const { provider, env: proxied } = startProvider();
  const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', CONFIGURATION);
  const startsAtMs = Date.parse(known.stoppedAt) + LATER_MS;
  const beganAtMs = performance.now();
  const clock = {
    nowMs: () => startsAtMs + Math.round(performance.now() - beganAtMs),
    monotonicMs: () => performance.now(),
  };
  const options = { env: { ...proxied, ...env, SWITCHYARD_SECRET: known.secret, SWITCHYARD_CONFIG }, clock };
  const run = (...args: string[]) => space.run(args, options);
  const verified = async () => JSON.parse((await run('ledger', 'verify', '--json')).stdout);
  try {
    let gateway = await space.serve(options);
    expect(gateway.firstKey).toBeNull();
    await expectKnown(readerOf(gateway, known), known);
    expect(await verified()).toMatchObject(known.ledger);
    expect((await run('migrate', '--check')).exitCode).toBe(0);
    await gateway.stop();

    gateway = await space.serve(options);
    const read = readerOf(gateway, known);
    await expectKnown(read, known);
    const balance = await balanceIn(read);
    await expectGrantKnown(gateway, known);
    const answer = await gateway.chat(known.credentials.key, chatBody(PROVIDER.model));
    expect([answer.status, provider.requests.map(({ headers }) => headers.get('authorization'))]).toEqual([
      200,
      [`Bearer ${PROVIDER.key}`],
    ]);
    expect(await balanceIn(read)).toBeCloseTo(balance - PROVIDER.costUsd, 9);
    const browser = new Browser([gateway]);
    expect((await browser.ask(0, 'POST /auth/sign-in/email', known.person)).status).toBe(200);
    expect((await browser.ask(0, 'GET /me')).json.email).toBe(known.person.email);
    expect(await run('ledger', 'verify')).toMatchObject({ exitCode: 0 });
    await gateway.stop();
  } finally {
    await provider.stop();
  }
}

async function expectKnown(read: Reader, { answers }: Known): Promise<void> {
  for (const { as, path, answer } of answers) {
    expect({ path, answer: await read(as, path) }).toMatchObject({ path, answer: answer as object });
  }
}

/** Repeats a grant with its idempotency key: the answer is the stored one, and nothing is granted again. */
async function expectGrantKnown(gateway: Serving, { credentials, grant }: Known): Promise<void> {
  const answer = await fetch(`${gateway.origin}/v1/management/balance/grants?account_id=${ACCOUNT}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${credentials.operator}`,
      'content-type': 'application/json',
      'idempotency-key': grant.idempotencyKey,
    },
    body: JSON.stringify(grant.body),
  });
  expect([answer.status < 300, answer.headers.get('idempotent-replayed')]).toEqual([true, 'true']);
}

async function balanceIn(read: Reader): Promise<number> {
  const answer = await read('operator', `/v1/management/balance?account_id=${ACCOUNT}`);
  return Number((answer as { readonly balance_usd: string }).balance_usd);
}
