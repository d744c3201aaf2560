import { expect } from 'bun:test';
import { chatBody } from './answer.ts';
import type { Workspace } from './workspace.ts';

export interface OldStore {
  readonly secret: string;
  readonly key: string;
  /** A management token of the operators. */
  readonly token: string;
  readonly responseId: string;
  /** How the gateway finds the store, if it is not in the data folder. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The configuration with which the old gateways ran. */
const CONFIGURATION = {
  sandbox: true,
  models: [{ id: 'sandbox-chat', pricing: { input_per_1m: '3', output_per_1m: '15' } }],
};

/** Minutes after the old gateways ended, when the stored response has not expired. */
const BEGAN_AT_MS = Date.parse('2026-11-29T12:10:00Z');

/** Starts a gateway on a store that was made before the baseline, and checks what an account had in it. */
export async function checkImportedStore(space: Workspace, store: OldStore): Promise<void> {
  const config = await space.write('switchyard.yaml', CONFIGURATION);
  const env = { ...store.env, SWITCHYARD_SECRET: store.secret, SWITCHYARD_CONFIG: config };
  const clock = { nowMs: () => BEGAN_AT_MS + Math.round(performance.now()), monotonicMs: () => performance.now() };
  const gateway = await space.serve({ env, clock });
  const read = async (path: string, key: string) => {
    const answer = await fetch(`${gateway.origin}${path}`, { headers: { authorization: `Bearer ${key}` } });
    // The caller knows the members of the answers that it reads.
    return (await answer.json()) as Record<string, unknown>;
  };
  const managed = (path: string) => read(`/v1/management${path}`, store.token);

  expect(gateway.firstKey).toBeNull();
  expect(await managed('/balance?account_id=acme')).toMatchObject({ balance_usd: '9.997204', held_usd: '0' });
  expect(await managed('/account?account_id=acme')).toMatchObject({ name: 'Acme Corporation' });
  expect(await managed('/keys?account_id=acme')).toMatchObject({
    data: [{ name: 'laptop', limit_usd: '5', budget: { usd: '2', per: 'month' }, spent_usd: '0.002796' }],
  });
  expect(await managed('/channels?account_id=acme')).toMatchObject({ data: [{ name: 'Own channel' }] });
  expect(await managed('/alerts/rules?account_id=acme')).toMatchObject({ data: [{ name: 'Low balance' }] });
  expect(await managed('/alerts/webhooks?account_id=acme')).toMatchObject({ data: [{ name: 'Ops' }] });
  expect(await managed('/requests?account_id=acme')).toMatchObject({ data: { length: 4 } });
  expect(await managed('/settings')).toMatchObject({
    sections: { retention: { tasks_days: { value: 3, source: 'api' } } },
  });
  expect(await read(`/v1/responses/${store.responseId}`, store.key)).toMatchObject({ status: 'completed' });

  expect((await gateway.chat(store.key, chatBody('sandbox-chat'))).status).toBe(200);
  const { balance_usd: left } = await managed('/balance?account_id=acme');
  expect(Number(left)).toBeLessThan(9.997204);
  const verified = await space.run(['ledger', 'verify'], { env, clock });
  expect(verified).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/accounts 1, entries 7, charges 5/) });
  await gateway.stop();
}
