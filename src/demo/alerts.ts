import type { AlertRule } from '../domain/alerts/alert-rule.ts';
import { type AlertState, type AlertSubject, type AlertTransition, subjectKey } from '../domain/alerts/alert-state.ts';
import { type AlertCall, createAlertRule } from '../engine/admin/alerts/alert-rules.ts';
import { createAlertTarget, type TargetCall } from '../engine/admin/alerts/alert-targets.ts';
import { alertEvent, type Measured } from '../engine/alerts/alert-event.ts';
import type { AttemptResult } from '../engine/ports/alert-store.ts';
import { clockAt, type DemoActor, type DemoContext, originOf } from './demo-context.ts';
import { DAY_MS, HOUR_MS } from './demo-time.ts';
import { Incidents } from './incidents.ts';

/** This name never has an address (RFC 6761, section 6.4), so the demo's webhooks reach nobody. */
const NOWHERE = 'https://hooks.invalid';

interface DemoRule {
  readonly accountId: string | null;
  readonly words: Readonly<Record<string, unknown>> & { readonly id: string };
}

const RULES: readonly DemoRule[] = [
  {
    accountId: null,
    words: { id: 'channels', name: 'Channel down', channel_state: { resting_seconds: 600 } },
  },
  {
    accountId: null,
    words: {
      ...{ id: 'model-errors', name: 'High error rate of a model', repeat_minutes: 60 },
      error_rate: { percent: 20, window_minutes: 10, minimum_requests: 20, of: 'model' },
    },
  },
  {
    accountId: null,
    words: { id: 'low-balances', name: 'Low account balance', balance_below: { usd: '1' } },
  },
  { accountId: 'halyard', words: { id: 'month-budget', name: 'Monthly budget', budget_spent: { percent: 80 } } },
  { accountId: 'paperkite', words: { id: 'low', name: 'Top up soon', balance_below: { usd: '1' } } },
  {
    accountId: 'qinghe',
    words: { id: 'key-limits', name: '密钥额度', enabled: false, key_limit_spent: { percent: 90 } },
  },
];

const TARGETS: readonly DemoRule[] = [
  { accountId: null, words: { id: 'on-call', name: 'On call', url: `${NOWHERE}/on-call/alerts` } },
  { accountId: null, words: { id: 'chat', name: 'Operators’ chat', url: `${NOWHERE}/hooks/operators` } },
  { accountId: 'halyard', words: { id: 'finance', name: 'Finance bot', url: `${NOWHERE}/finance` } },
  { accountId: 'paperkite', words: { id: 'team', name: 'Team channel', url: `${NOWHERE}/team` } },
];

/** Creates rules and webhooks, their events and deliveries. */
export async function demoAlerts(context: DemoContext, operator: DemoActor): Promise<void> {
  const { system, store, time } = context;
  const madeAtMs = time.fromMs - 3 * DAY_MS;
  const call: AlertCall = {
    alerts: store.alerts,
    clock: clockAt(madeAtMs),
    origin: originOf(context, operator),
    newId: system.newId,
    quotas: null,
  };
  const targetCall: TargetCall = {
    ...call,
    ...{
      sender: { problemOf: () => null, check: async () => 'unresolved' as const },
      hasMailer: false,
      people: store.people,
      isOperator: true,
    },
  };
  const rules = new Map<string, AlertRule>();
  for (const { accountId, words } of TARGETS) await createAlertTarget(targetCall, accountId, words);
  for (const { accountId, words } of RULES) rules.set(words.id, await createAlertRule(call, accountId, words));
  for (const told of [...eventsOf(context)].sort((one, other) => one.atMs - other.atMs)) {
    const rule = rules.get(told.rule);
    if (rule !== undefined) await tell(context, rule, told);
  }
}

interface Told {
  readonly rule: string;
  readonly atMs: number;
  readonly transition: AlertTransition;
  readonly subject: AlertSubject;
  readonly measured: Pick<Measured, 'value' | 'threshold' | 'unit' | 'detail'>;
  /** Whether the alert is still raised. */
  readonly lasts?: true;
}

function eventsOf({ time }: DemoContext): readonly Told[] {
  const { outage, storm, blockedFromMs } = new Incidents(time);
  const model = (id: string): AlertSubject => ({ kind: 'model', id, accountId: null });
  const account = (id: string): AlertSubject => ({ kind: 'account', id, accountId: id });
  const rate = (id: string, value: number): Told['measured'] => ({
    ...{ value, threshold: 20, unit: 'percent' },
    detail: `${value}% of the requests for model ${id} failed within 10 minutes.`,
  });
  const low = (value: string): Told['measured'] => ({
    ...{ value, threshold: '1', unit: 'usd' },
    detail: `Account paperkite has a balance of ${value} USD (threshold 1 USD).`,
  });
  const lowAtMs = time.nowMs - 27 * HOUR_MS;
  const budgetAtMs = time.nowMs - 3 * DAY_MS;
  return [
    ...['gpt-6-luna', 'gpt-5.4-mini'].flatMap((id): Told[] => [
      {
        rule: 'model-errors',
        atMs: outage.fromMs + 6 * 60_000,
        transition: 'raised',
        subject: model(id),
        measured: rate(id, 84),
      },
      {
        rule: 'model-errors',
        atMs: outage.toMs + 9 * 60_000,
        transition: 'resolved',
        subject: model(id),
        measured: rate(id, 2),
      },
    ]),
    ...(['raised', 'resolved'] as const).map((transition, index): Told => {
      const atMs = index === 0 ? storm.fromMs + 8 * 60_000 : storm.toMs + 6 * 60_000;
      const id = 'claude-haiku-5-5';
      return { rule: 'model-errors', atMs, transition, subject: model(id), measured: rate(id, index === 0 ? 61 : 4) };
    }),
    {
      ...{ rule: 'channels', atMs: blockedFromMs + 15_000, transition: 'raised', lasts: true },
      subject: { kind: 'channel', id: 'groq', accountId: null },
      measured: {
        ...{ value: 'blocked', threshold: 'blocked,resting', unit: 'state' },
        detail: 'Channel groq is down: the provider rejected its credentials.',
      },
    },
    {
      rule: 'low-balances',
      atMs: lowAtMs,
      transition: 'raised',
      subject: account('paperkite'),
      measured: low('0.93'),
      lasts: true,
    },
    {
      rule: 'low',
      atMs: lowAtMs,
      transition: 'raised',
      subject: account('paperkite'),
      measured: low('0.93'),
      lasts: true,
    },
    {
      ...{ rule: 'month-budget', atMs: Math.max(time.fromMs, budgetAtMs), transition: 'raised' },
      subject: account('halyard'),
      measured: {
        ...{ value: 80, threshold: 80, unit: 'percent' },
        detail: 'Account halyard has used 80% of its budget per month.',
      },
    },
  ];
}

async function tell(
  { system, store, time }: DemoContext,
  rule: AlertRule,
  { atMs, transition, subject, measured, lasts }: Told,
): Promise<void> {
  const reading = { verdict: transition === 'resolved' ? 'under' : 'over', periodStartMs: null } as const;
  const event = alertEvent({ id: system.newId('evt_'), atMs }, rule, transition, subject, {
    ...{ subject, reading, holdMs: 0 },
    ...measured,
  });
  const after: AlertState = { status: 'raised', sinceMs: atMs, periodStartMs: null, toldAtMs: atMs };
  const place = { accountId: rule.accountId, id: rule.id };
  const change = { rule: place, subject: subjectKey(subject), targets: rule.targets };
  const isOver = transition === 'resolved';
  await store.alerts.apply([{ ...change, before: null, after, event: isOver ? null : event }]);
  if (!lasts) {
    const before = (await store.alerts.states(null, place)).find((state) => state.subject === change.subject) ?? null;
    await store.alerts.apply([{ ...change, before, after: null, event: isOver ? event : null }]);
  }
  const sent = {
    nowMs: atMs + 1_000,
    untilMs: atMs + 60_000,
    limit: 20,
    perOwner: 20,
    busyTargets: [],
    busyOwners: [],
  };
  for (const delivery of await store.alerts.claim(sent)) {
    await store.alerts.finish(delivery, attemptOf(delivery.target.id, atMs, time.nowMs));
  }
}

/** Returns the result of an attempt: the chat webhook failed during one week; the finance bot is still unreachable and will be retried. */
function attemptOf(targetId: string, toldAtMs: number, nowMs: number): AttemptResult {
  const attempt = { atMs: toldAtMs + 1_200, durationMs: 90 + (toldAtMs % 240), disable: null };
  if (targetId === 'finance') return { ...attempt, status: 503, error: 'http_503', retryAtMs: nowMs + 2 * HOUR_MS };
  const isBadWeek = targetId === 'chat' && toldAtMs < nowMs - 6 * DAY_MS;
  if (isBadWeek) return { ...attempt, status: 404, error: 'http_404', retryAtMs: null };
  return { ...attempt, status: 200, error: null, retryAtMs: null };
}
