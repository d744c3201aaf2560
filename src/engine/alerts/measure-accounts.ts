import type { Account } from '../../domain/access/account.ts';
import type { Credential } from '../../domain/access/api-key.ts';
import { type AlertCondition, type AlertRule, accountsOf } from '../../domain/alerts/alert-rule.ts';
import { balanceVerdict, percentSpent, spentVerdict } from '../../domain/alerts/thresholds.ts';
import { type Budget, budgetWindow } from '../../domain/money/budget.ts';
import { budgetInForce } from '../../domain/money/budget-in-force.ts';
import { formatNanoUsd } from '../../domain/money/nano-usd.ts';
import type { BudgetPool } from '../ports/ledger.ts';
import type { Measured } from './alert-event.ts';
import type { ReadingPorts } from './alert-ports.ts';

type Of<Kind extends AlertCondition['kind']> = Extract<AlertCondition, { readonly kind: Kind }>;
export type Sink = (rule: AlertRule, measured: Measured) => void;

/** Returns whether a rule applies to the account. */
export function isAbout(rule: AlertRule, accountId: string): boolean {
  return accountsOf(rule)?.includes(accountId) ?? true;
}

/**
 * Measures these accounts for rules about balances, budgets and limits, with one read for each kind of value regardless of the number of
 * rules and accounts. Archived accounts are skipped.
 */
export async function measureAccounts(
  ports: ReadingPorts,
  rules: readonly AlertRule[],
  accountIds: readonly string[],
  nowMs: number,
  sink: Sink,
): Promise<void> {
  const kinds = new Set(rules.map(({ condition }) => condition.kind));
  if (!['balance_below', 'budget_spent', 'key_limit_spent'].some((kind) => kinds.has(kind as AlertCondition['kind']))) {
    return;
  }
  const needKeys = rules.some(({ condition }) => isAboutKeys(condition));
  const rows = await ports.directory.read({
    accounts: accountIds,
    ...(needKeys && { credentialsOf: accountIds }),
    serving: false,
  });
  const accounts = rows.accounts.filter(({ id, archivedAtMs }) => archivedAtMs === null && accountIds.includes(id));
  const keys = rows.credentials.filter(({ kind, revokedAtMs }) => kind === 'inference' && revokedAtMs === null);
  const each = pairs(rules);
  await measureBalances(ports, each('balance_below'), accounts, sink);
  await measureBudgets(ports, each('budget_spent'), { accounts, keys, nowMs }, sink);
  await measureLimits(ports, each('key_limit_spent'), accounts, keys, sink);
}

function isAboutKeys(condition: AlertCondition): boolean {
  return condition.kind === 'key_limit_spent' || (condition.kind === 'budget_spent' && condition.of === 'key');
}

interface RuleOf<Kind extends AlertCondition['kind']> {
  readonly rule: AlertRule;
  readonly condition: Of<Kind>;
}

function pairs(rules: readonly AlertRule[]) {
  return <Kind extends AlertCondition['kind']>(kind: Kind): readonly RuleOf<Kind>[] =>
    rules.flatMap((rule) => {
      const { condition } = rule;
      return condition.kind === kind ? [{ rule, condition: condition as Of<Kind> }] : [];
    });
}

/** Measures prepaid accounts only, since no other account is refused because of its balance. */
async function measureBalances(
  { ledger }: ReadingPorts,
  rules: readonly RuleOf<'balance_below'>[],
  accounts: readonly Account[],
  sink: Sink,
): Promise<void> {
  const prepaid = accounts.filter(
    ({ id, billing }) => billing === 'prepaid' && rules.some(({ rule }) => isAbout(rule, id)),
  );
  if (prepaid.length === 0) return;
  const balances = await ledger.balances(prepaid.map(({ id }) => id));
  const byAccount = new Map(balances.map(({ accountId, balanceNanoUsd }) => [accountId, balanceNanoUsd]));
  for (const { rule, condition } of rules) {
    const threshold = formatNanoUsd(condition.thresholdNanoUsd);
    for (const { id } of prepaid) {
      if (!isAbout(rule, id)) continue;
      const balance = byAccount.get(id) ?? 0n;
      const value = formatNanoUsd(balance);
      sink(rule, {
        subject: { kind: 'account', id, accountId: id },
        reading: { verdict: balanceVerdict(balance, condition.thresholdNanoUsd), periodStartMs: null },
        ...{ holdMs: 0, value, threshold, unit: 'usd' },
        detail: `Account ${id} has a balance of ${value} USD (threshold ${threshold} USD).`,
      });
    }
  }
}

interface Holder {
  readonly rule: RuleOf<'budget_spent'>;
  readonly budget: Budget;
  readonly pool: BudgetPool;
}

async function measureBudgets(
  { ledger }: ReadingPorts,
  rules: readonly RuleOf<'budget_spent'>[],
  rows: { readonly accounts: readonly Account[]; readonly keys: readonly Credential[]; readonly nowMs: number },
  sink: Sink,
): Promise<void> {
  const inUse = new Set(rows.accounts.map(({ id }) => id));
  const holders = rules.flatMap((rule): Holder[] => {
    const { of, keyId } = rule.condition;
    const candidates =
      of === 'account'
        ? rows.accounts.map((account) => ({ accountId: account.id, keyId: null, holder: account }))
        : rows.keys
            .filter(({ id, accountId }) => inUse.has(accountId) && (keyId === null || id === keyId))
            .map((key) => ({ accountId: key.accountId, keyId: key.id, holder: key }));
    return candidates.flatMap(({ accountId, keyId: key, holder }) => {
      const budget = budgetInForce(holder, rows.nowMs);
      if (budget === null || !isAbout(rule.rule, accountId)) return [];
      return [{ rule, budget, pool: { accountId, keyId: key, window: budgetWindow(budget, rows.nowMs) } }];
    });
  });
  if (holders.length === 0) return;
  const spendings = await ledger.budgetSpending(holders.map(({ pool }) => pool));
  for (const [index, { rule, budget, pool }] of holders.entries()) {
    const spent = spendings[index]?.spentNanoUsd ?? 0n;
    const { percent } = rule.condition;
    const { accountId, keyId, window } = pool;
    const value = percentSpent(spent, budget.amountNanoUsd);
    const whose = keyId === null ? `Account ${accountId}` : `Key ${keyId} of account ${accountId}`;
    const amounts = `${formatNanoUsd(spent)} of ${formatNanoUsd(budget.amountNanoUsd)} USD`;
    sink(rule.rule, {
      subject: keyId === null ? { kind: 'account', id: accountId, accountId } : { kind: 'key', id: keyId, accountId },
      reading: { verdict: spentVerdict(spent, budget.amountNanoUsd, percent), periodStartMs: window.startsAtMs },
      ...{ holdMs: 0, value, threshold: percent, unit: 'percent' },
      detail: `${whose} has used ${value}% of its budget per ${budget.per} (${amounts}; threshold ${percent}%).`,
    });
  }
}

async function measureLimits(
  { ledger }: ReadingPorts,
  rules: readonly RuleOf<'key_limit_spent'>[],
  accounts: readonly Account[],
  keys: readonly Credential[],
  sink: Sink,
): Promise<void> {
  const inUse = new Set(accounts.map(({ id }) => id));
  const watched = rules.flatMap(({ rule, condition }) =>
    keys.flatMap(({ id, accountId, limitNanoUsd }) => {
      const isMeant = condition.keyId === null || condition.keyId === id;
      if (limitNanoUsd === null || !isMeant || !inUse.has(accountId) || !isAbout(rule, accountId)) return [];
      return [{ rule, percent: condition.percent, place: { accountId, keyId: id }, limitNanoUsd }];
    }),
  );
  if (watched.length === 0) return;
  const places = new Map(watched.map(({ place }) => [JSON.stringify([place.accountId, place.keyId]), place]));
  const spending = await ledger.spending([...places.values()]);
  const spentOf = new Map(spending.map((one) => [JSON.stringify([one.accountId, one.keyId]), one.spentNanoUsd]));
  for (const { rule, percent, place, limitNanoUsd } of watched) {
    const { accountId, keyId } = place;
    const spent = spentOf.get(JSON.stringify([accountId, keyId])) ?? 0n;
    const value = percentSpent(spent, limitNanoUsd);
    const amounts = `${formatNanoUsd(spent)} of ${formatNanoUsd(limitNanoUsd)} USD`;
    sink(rule, {
      subject: { kind: 'key', id: keyId, accountId },
      reading: { verdict: spentVerdict(spent, limitNanoUsd, percent), periodStartMs: null },
      ...{ holdMs: 0, value, threshold: percent, unit: 'percent' },
      detail: `Key ${keyId} of account ${accountId} has used ${value}% of its lifetime limit (${amounts}; threshold ${percent}%).`,
    });
  }
}
