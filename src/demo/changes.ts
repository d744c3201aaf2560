import { formatNanoUsd } from '../domain/money/nano-usd.ts';
import { archiveAccount, changeAccount } from '../engine/admin/accounts/change-accounts.ts';
import { blockChannel, changeChannel, setChannelEnabled } from '../engine/admin/channels/change-channels.ts';
import { revokeOneKey, rotateKey } from '../engine/admin/keys/change-keys.ts';
import { changeBalance } from '../engine/admin/ledger/change-ledger.ts';
import { changeModel } from '../engine/admin/models/change-models.ts';
import { changeSettings } from '../engine/admin/settings/settings.ts';
import { SERVING_ONLY } from '../engine/ports/directory-store.ts';
import { CUSTOMERS } from './customers.ts';
import {
  clockAt,
  type DemoActor,
  type DemoContext,
  type DemoStep,
  GATEWAY,
  originOf,
  storeAt,
} from './demo-context.ts';
import { DAY_MS, HOUR_MS } from './demo-time.ts';
import { Incidents } from './incidents.ts';
import { demoKey } from './scene.ts';
import type { PlannedGrant, Spending } from './spending.ts';

export interface ChangesOptions {
  readonly operator: DemoActor;
  readonly people: ReadonlyMap<string, DemoActor>;
  readonly spending: Spending;
  /** The grants except opening balances. */
  readonly grants: readonly PlannedGrant[];
}

/** Returns people's actions during the demo's time, in order. */
export function changesOf(context: DemoContext, options: ChangesOptions): readonly DemoStep[] {
  return [
    ...keySteps(context, options),
    ...moneySteps(context, options),
    ...channelSteps(context, options),
    ...otherSteps(context, options),
  ].sort((one, other) => one.atMs - other.atMs);
}

function keySteps(context: DemoContext, { operator, people, spending }: ChangesOptions): DemoStep[] {
  const { time } = context;
  const mara = people.get('mara@halyard.example') ?? operator;
  return CUSTOMERS.flatMap((customer) =>
    customer.keys.flatMap((key): DemoStep[] => {
      const by = customer.id === 'halyard' ? mara : operator;
      const place = { accountId: customer.id, kind: 'inference' as const, id: key.id };
      const directory = (atMs: number) => storeAt(context, atMs, originOf(context, by)).directory;
      const steps: DemoStep[] = [];
      const at = (part: number | undefined, run: DemoStep['run']) => {
        if (part !== undefined) steps.push({ atMs: time.at(part), run });
      };
      at(key.madeAt, (atMs) => demoKey(context, { customer, operator: by, spending }, key, atMs));
      at(key.rotatedAt, (atMs) => rotateKey(directory(atMs), clockAt(atMs), place, { grace_seconds: 86_400 }));
      at(key.revokedAt, (atMs) => revokeOneKey(directory(atMs), clockAt(atMs), place));
      return steps;
    }),
  );
}

/** The total of halyard's corrections, which its grants must cover. */
export const CORRECTION_NANO_USD = 12_500_000_000n;

function moneySteps(context: DemoContext, { operator, grants }: ChangesOptions): DemoStep[] {
  const { time, store } = context;
  const { outage } = new Incidents(time);
  const change = (atMs: number, kind: 'grant' | 'adjustment', accountId: string, usd: string, note: string) =>
    changeBalance(storeAt(context, atMs, originOf(context, operator)), clockAt(atMs), {
      kind,
      accountId,
      usd,
      note,
    });
  const payments = grants.map(({ accountId, atMs, amountNanoUsd }, index): DemoStep => {
    const note = `Payment received, invoice D-${String(1_041 + index)}`;
    return { atMs, run: () => change(atMs, 'grant', accountId, formatNanoUsd(amountNanoUsd), note) };
  });
  const refund = {
    idempotencyKey: 'operator:demo-refund-outage',
    ...{ accountId: 'halyard', keyId: null, kind: 'refund' as const, requestId: null },
    note: 'Goodwill for the hour without OpenAI',
  };
  return [
    ...payments,
    {
      atMs: time.at(0.35),
      run: (atMs) =>
        change(
          atMs,
          'adjustment',
          'halyard',
          `-${formatNanoUsd(CORRECTION_NANO_USD)}`,
          'Invoice D-1040 was entered 12.50 too high',
        ),
    },
    {
      atMs: outage.toMs + 20 * HOUR_MS < time.nowMs ? outage.toMs + 20 * HOUR_MS : outage.toMs,
      run: (atMs) => store.ledger.append({ ...refund, atMs, amountNanoUsd: 7_500_000_000n }),
    },
    {
      atMs: time.at(0.8),
      run: (atMs) => change(atMs, 'adjustment', 'lighthouse', '5', 'Discount for charities, this quarter'),
    },
  ];
}

function channelSteps(context: DemoContext, { operator }: ChangesOptions): DemoStep[] {
  const { time, store, providers } = context;
  const { outage, blockedFromMs } = new Incidents(time);
  const directory = (atMs: number) => storeAt(context, atMs, originOf(context, operator)).directory;
  return [
    {
      atMs: outage.fromMs + 18 * 60_000,
      run: (atMs) => changeChannel(directory(atMs), providers, 'openai', { weight: 1 }),
    },
    {
      atMs: outage.toMs + 30 * 60_000,
      run: (atMs) => changeChannel(directory(atMs), providers, 'openai', { weight: 3 }),
    },
    {
      atMs: time.at(0.5),
      run: (atMs) => setChannelEnabled(directory(atMs), clockAt(atMs), 'deepseek-trial', false),
    },
    {
      atMs: blockedFromMs,
      run: async (atMs) => {
        const { channels } = await store.directory.read(SERVING_ONLY);
        const groq = channels.find(({ id }) => id === 'groq');
        if (groq === undefined) return;
        const reason = 'The provider refused the channel’s credentials (401): the key was revoked.';
        await blockChannel(storeAt(context, atMs, GATEWAY).directory, groq, { atMs, reason });
      },
    },
  ];
}

function otherSteps(context: DemoContext, { operator }: ChangesOptions): DemoStep[] {
  const { time, store, providers } = context;
  const origin = originOf(context, operator);
  const directory = (atMs: number) => storeAt(context, atMs, origin).directory;
  const inForce = { path: null, written: {}, variables: {}, defaults: {}, stored: {}, environment: {} };
  return [
    { atMs: time.at(0.25), run: (atMs) => changeAccount(directory(atMs), 'qinghe', { max_concurrent: 32 }) },
    {
      atMs: time.at(0.33),
      run: (atMs) =>
        changeSettings(
          { store: store.settings, inForce, clock: clockAt(atMs) },
          { origin, requester: null },
          {
            billing: { assumed_output_tokens: 2_048 },
            tasks: { max_open_per_account: 2_000 },
            // The demo's customers are invented.
            usage: { end_users: 'plain' },
            seller: { name: 'Lantern Gateway Ltd', address: ['4 Harbour Street', 'Bristol BS1 4RN', 'United Kingdom'] },
          },
        ),
    },
    {
      atMs: time.at(0.58),
      run: (atMs) =>
        changeModel({ store: directory(atMs), providers, clock: clockAt(atMs) }, 'claude-opus-5-5', {
          description: 'For long and difficult tasks; try Sonnet first.',
        }),
    },
    {
      atMs: time.at(CUSTOMERS.find(({ archivedAt }) => archivedAt !== undefined)?.archivedAt ?? 1),
      run: (atMs) => archiveAccount(directory(atMs), clockAt(atMs), 'brasslamp'),
    },
    {
      atMs: Math.max(time.fromMs, time.nowMs - 2 * DAY_MS),
      run: (atMs) => changeAccount(directory(atMs), 'tidepool', { requests_per_minute: 180 }),
    },
  ];
}
