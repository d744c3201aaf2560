import { expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  listStatements,
  readStatement,
  type Statement,
  spansOf,
  statementFrom,
} from '../../../engine/admin/statements/read-statements.ts';
import type { LedgerEntry } from '../../../engine/ports/ledger.ts';
import { NO_FIGURES } from '../../../engine/ports/statement-store.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { sampleCharge, sampleEntry } from '../../../engine/ports/testing/samples.ts';

const ZONES = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Pacific/Kiritimati'];
const NOW_MS = Date.parse('2026-07-15T12:00:00Z');

/** Times on both sides of month ends and clock changes in these zones. */
const time = fc
  .record({
    day: fc.constantFrom('2026-01-31', '2026-02-28', '2026-03-29', '2026-03-31', '2026-06-30', '2026-07-14'),
    minutes: fc.integer({ min: -60, max: 2_880 }),
    milliseconds: fc.constantFrom(0, 1, 59_999),
  })
  .map(({ day, minutes, milliseconds }) => Date.parse(`${day}T00:00:00Z`) + minutes * 60_000 + milliseconds)
  .filter((atMs) => atMs < NOW_MS);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('charge' as const),
      atMs: time,
      cost: fc.bigInt(0n, 9_000_000_000_001n),
      keyId: fc.constantFrom('one', 'two', null),
      modelId: fc.constantFrom('small', 'large', ''),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('grant' as const, 'refund' as const, 'adjustment' as const),
      atMs: time,
      amount: fc.bigInt(0n, 9_007_199_254_740_993_000n / 1_000n),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('roll' as const), limit: fc.integer({ min: 1, max: 9 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Compares statements of random histories with plain sums of the entries, in zones whose months differ. */
export function statementLawTests(store: () => Store, histories: number): void {
  const retention = { minuteSumsMs: NOW_MS, hourSumsMs: NOW_MS };
  const ports = () => ({
    ...{ statements: store().statements, clock: { nowMs: () => NOW_MS }, retention },
    thinning: () => store().retention.thinning(),
  });

  test(`each month closes with the opening balance of the next, and the last with the balance, in ${histories} histories`, async () => {
    let made = 0;
    const history = fc.asyncProperty(
      fc.array(step, { maxLength: 25 }),
      fc.constantFrom(...ZONES),
      async (steps, timeZone) => {
        const accountId = `statements-${++made}`;
        await take(store(), accountId, steps);
        const entries = await store().ledger.entries(accountId, 100);
        const months = await allMonths(ports(), accountId, timeZone);
        const balance = (await store().ledger.balance(accountId)).balanceNanoUsd;
        expect(months[0]?.closingNanoUsd ?? 0n).toBe(balance);
        expect(months.at(-1)?.openingNanoUsd ?? 0n).toBe(0n);
        for (const [index, month] of months.entries()) {
          check(month, entries);
          expect(month.openingNanoUsd).toBe(months[index + 1]?.closingNanoUsd ?? 0n);
          const figuresOf = await store().statements.figuresOf({
            accountIds: ['nobody', accountId],
            spans: spansOf(month.month),
          });
          expect(statementFrom(month.month, figuresOf.get(accountId) ?? NO_FIGURES, NOW_MS)).toEqual(month);
          const { name } = month.month;
          const whole = await readStatement(ports(), { accountId, timeZone, month: name });
          expect(whole).toMatchObject({ ...month });
          for (const rows of [whole.byModel.rows, whole.byKey.rows, whole.byDay, [whole.usage]]) {
            expect(rows.reduce((sum, { costNanoUsd }) => sum - costNanoUsd, 0n)).toBe(month.amounts.charge);
          }
          const costs = whole.byModel.rows.map(({ costNanoUsd }) => costNanoUsd);
          expect(costs).toEqual(costs.toSorted((a, b) => Number(b - a)));
        }
      },
    );
    await fc.assert(history, { numRuns: histories, seed: 1 });
  }, 600_000);

  test('a statement is a snapshot while requests are charged', async () => {
    const accountId = 'busy';
    const timeZone = 'UTC';
    let isOver = false;
    const reading = (async () => {
      while (!isOver) {
        const before = (await store().ledger.balance(accountId)).balanceNanoUsd;
        const { usage, byKey, amounts, closingNanoUsd } = await readStatement(ports(), {
          ...{ accountId, timeZone, month: '2026-07' },
        });
        const after = (await store().ledger.balance(accountId)).balanceNanoUsd;
        expect(byKey.rows.reduce((sum, { costNanoUsd }) => sum + costNanoUsd, 0n)).toBe(usage.costNanoUsd);
        expect(amounts.charge).toBe(closingNanoUsd);
        expect(closingNanoUsd <= before && closingNanoUsd >= after).toBe(true);
      }
    })();
    const spending = Array.from({ length: 8 }, async (_, strand) => {
      for (let index = 0; index < 25; index++) {
        const ids = { requestId: `${accountId}-${strand}-${index}`, accountId, keyId: `key-${strand}` };
        await store().ledger.charge(sampleCharge({ ...ids, atMs: NOW_MS - index * 60_000, costNanoUsd: 7n }));
        if (index % 5 === 0) await store().usage.roll(3);
      }
    });
    await Promise.all(spending);
    isOver = true;
    await reading;
    const { closingNanoUsd } = await readStatement(ports(), { accountId, timeZone, month: '2026-07' });
    expect(closingNanoUsd).toBe(-1_400n);
  }, 600_000);
}

async function take({ ledger, usage }: Store, accountId: string, steps: readonly Step[]): Promise<void> {
  for (const [index, next] of steps.entries()) {
    if (next.do === 'roll') await usage.roll(next.limit);
    else if (next.do === 'charge') {
      const { atMs, cost: costNanoUsd, keyId, modelId } = next;
      const ids = { requestId: `${accountId}:${index}`, accountId, keyId, atMs, costNanoUsd };
      await ledger.charge(
        sampleCharge({ ...ids, usage: { modelId, channelId: 'a', status: 200, tags: ['team=red'] } }),
      );
    } else {
      const { do: kind, atMs, amount: amountNanoUsd } = next;
      await ledger.append(
        sampleEntry({ idempotencyKey: `${accountId}:${index}`, accountId, kind, atMs, amountNanoUsd }),
      );
    }
  }
}

async function allMonths(ports: Parameters<typeof listStatements>[0], accountId: string, timeZone: string) {
  const months: Statement[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof listStatements>> = await listStatements(ports, {
      ...{ accountId, timeZone, after, limit: 3 },
    });
    months.push(...page.items);
    after = page.next;
  } while (after !== null);
  return months;
}

function check(
  { month, amounts, openingNanoUsd, closingNanoUsd, isFinal }: Statement,
  entries: readonly LedgerEntry[],
) {
  const within = entries.filter(({ atMs }) => atMs >= month.fromMs && atMs < month.toMs);
  for (const kind of ['grant', 'charge', 'refund', 'adjustment'] as const) {
    const of = within.filter((entry) => entry.kind === kind);
    expect([kind, amounts[kind]]).toEqual([kind, of.reduce((sum, { amountNanoUsd }) => sum + amountNanoUsd, 0n)]);
  }
  const all = within.reduce((sum, { amountNanoUsd }) => sum + amountNanoUsd, 0n);
  expect(openingNanoUsd + all).toBe(closingNanoUsd);
  expect(isFinal).toBe(month.name !== '2026-07');
}
