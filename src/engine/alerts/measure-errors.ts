import { type AlertCondition, type AlertRule, accountsOf } from '../../domain/alerts/alert-rule.ts';
import type { AlertSubject } from '../../domain/alerts/alert-state.ts';
import { type CountedRequests, countedAs, errorPercent, errorRateVerdict } from '../../domain/alerts/thresholds.ts';
import type { UsageDimension, UsageSum } from '../ports/usage-store.ts';
import type { ReadingPorts } from './alert-ports.ts';
import { isAbout, type Sink } from './measure-accounts.ts';

type ErrorRate = Extract<AlertCondition, { readonly kind: 'error_rate' }>;

interface ErrorRule {
  readonly rule: AlertRule;
  readonly condition: ErrorRate;
}

const MINUTE_MS = 60_000;
/** The largest number of groups in one read, which is more models, channels and statuses than a minute has. */
const MOST_GROUPS = 50_000;

const DIMENSIONS = { account: 'accountId', model: 'modelId', channel: 'channelId' } as const satisfies Record<
  ErrorRate['of'],
  UsageDimension
>;

/**
 * Measures rules about error rates, with one read for all rules with the same window and kind of subject.
 *
 * @param accountIds `null` to measure all accounts together, for the operators' rules about models and channels
 */
export async function measureErrors(
  ports: ReadingPorts,
  rules: readonly AlertRule[],
  accountIds: readonly string[] | null,
  nowMs: number,
  sink: Sink,
): Promise<void> {
  const batches = new Map<string, ErrorRule[]>();
  for (const rule of rules) {
    const { condition } = rule;
    if (condition.kind !== 'error_rate') continue;
    const key = `${condition.windowMinutes} ${condition.of}`;
    const batch = batches.get(key) ?? [];
    batch.push({ rule, condition });
    batches.set(key, batch);
  }
  for (const batch of batches.values()) await measureBatch(ports, batch, accountIds, nowMs, sink);
}

async function measureBatch(
  { usage, logger }: ReadingPorts,
  batch: readonly ErrorRule[],
  accountIds: readonly string[] | null,
  nowMs: number,
  sink: Sink,
): Promise<void> {
  const [first] = batch;
  if (first === undefined) return;
  const { windowMinutes, of } = first.condition;
  const thisMinuteMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  const span = { fromMs: thisMinuteMs - windowMinutes * MINUTE_MS, toMs: thisMinuteMs + MINUTE_MS };
  const dimensions = new Set<UsageDimension>([DIMENSIONS[of], 'status', ...(accountIds ? ['accountId' as const] : [])]);
  const sums = await usage.sum({ accountIds, spans: [span], groupBy: [...dimensions], tags: null, limit: MOST_GROUPS });
  if (sums.length > MOST_GROUPS) {
    logger.warn({ windowMinutes, dimension: of, groups: sums.length }, 'too many groups for alerts about error rates');
  }
  const counted = countsOf(sums, of, accountIds !== null);
  for (const { rule, condition } of batch) {
    for (const { subject, ...counts } of counted) {
      if (condition.id !== null && condition.id !== subject.id) continue;
      if (subject.accountId !== null && !isAbout(rule, subject.accountId)) continue;
      const value = errorPercent(counts);
      const named = subject.kind === 'account' || subject.accountId === null ? '' : ` of account ${subject.accountId}`;
      sink(rule, {
        subject,
        reading: { verdict: errorRateVerdict(counts, condition), periodStartMs: null },
        ...{ holdMs: 0, value, threshold: condition.percent, unit: 'percent' },
        detail: `${value}% of the requests for ${subject.kind} ${subject.id}${named} failed within ${windowMinutes} minutes (${counts.errors} of ${counts.requests}; threshold ${condition.percent}%).`,
      });
    }
  }
}

interface Counted extends CountedRequests {
  readonly subject: AlertSubject;
}

/** Returns the counts of each subject over all statuses. */
function countsOf(sums: readonly UsageSum[], of: ErrorRate['of'], isByAccount: boolean): readonly Counted[] {
  const counted = new Map<string, Counted>();
  for (const sum of sums) {
    const id = sum[DIMENSIONS[of]] ?? '';
    // The request was refused before it reached a model or a channel.
    if (id === '') continue;
    const accountId = isByAccount ? (sum.accountId ?? null) : null;
    const key = JSON.stringify([accountId, id]);
    const before = counted.get(key) ?? { subject: { kind: of, id, accountId }, requests: 0, errors: 0 };
    const { status = 0, requests, errors } = sum;
    const more = countedAs({ status, requests, errors });
    counted.set(key, {
      subject: before.subject,
      requests: before.requests + more.requests,
      errors: before.errors + more.errors,
    });
  }
  return [...counted.values()];
}

/** Returns whether a rule measures all accounts together instead of each one. */
export function isOverAll(rule: AlertRule): boolean {
  const { condition } = rule;
  return accountsOf(rule) === null && condition.kind === 'error_rate' && condition.of !== 'account';
}
