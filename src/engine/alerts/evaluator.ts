import { type AlertPlace, type AlertRule, accountsOf } from '../../domain/alerts/alert-rule.ts';
import { type AlertSubject, nextAlertState, subjectFrom, subjectKey } from '../../domain/alerts/alert-state.ts';
import type { AlertChange, StoredAlertState } from '../ports/alert-store.ts';
import { alertEvent, type Measured } from './alert-event.ts';
import type { EvaluatorPorts } from './alert-ports.ts';
import { isAbout, measureAccounts, type Sink } from './measure-accounts.ts';
import { measureChannels, readChannels } from './measure-channels.ts';
import { isOverAll, measureErrors } from './measure-errors.ts';

/** How many rules and accounts are evaluated at once; the event loop runs other work between two such steps. */
const RULES_AT_ONCE = 200;
const ACCOUNTS_AT_ONCE = 500;
const CHANGES_AT_ONCE = 100;
/** Longer than a step takes; each step renews it. */
export const LEAD_MS = 60_000;

/** Compares measurements with the rules. Only one of the processes that share a store does so at a time. */
export class AlertEvaluator {
  private running: Promise<boolean> | null = null;
  private isStopped = false;

  constructor(private readonly ports: EvaluatorPorts) {}

  /** Evaluates all rules once, and resolves to whether there were events. Call it repeatedly. */
  pass(): Promise<boolean> {
    this.running ??= this.lookAtAll().finally(() => {
      this.running = null;
    });
    return this.running;
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running;
    await this.ports.alerts.stepDown(this.ports.holder).catch(() => undefined);
  }

  private async lookAtAll(): Promise<boolean> {
    const { alerts, clock, logger, metrics } = this.ports;
    const startedAtMs = clock.monotonicMs();
    let rulesSeen = 0;
    let told = 0;
    try {
      for (let after: AlertPlace | null = null; !this.isStopped; ) {
        if (!(await this.lead())) return told > 0;
        const rules: readonly AlertRule[] = await alerts.rules({ enabledOnly: true, after, limit: RULES_AT_ONCE });
        const last = rules.at(-1);
        if (last === undefined) break;
        const step = new Step(this.ports, rules, await alerts.states(after, last));
        told += await step.run(() => this.lead());
        rulesSeen += rules.length;
        after = { accountId: last.accountId, id: last.id };
      }
      metrics.evaluated(rulesSeen, clock.monotonicMs() - startedAtMs);
    } catch (error) {
      logger.warn({ error: error instanceof Error ? error.message : String(error) }, 'alerts could not be evaluated');
    }
    return told > 0;
  }

  private lead(): Promise<boolean> {
    const { alerts, clock, holder } = this.ports;
    const nowMs = clock.nowMs();
    return alerts.lead(holder, nowMs, nowMs + LEAD_MS);
  }
}

/** The evaluation of some of the rules. */
class Step {
  private readonly states = new Map<string, Map<string, StoredAlertState>>();
  private readonly nowMs: number;
  /** The rules that could not be measured completely, so an absent subject may still exist. */
  private readonly unmeasured = new Set<AlertRule>();
  private changes: AlertChange[] = [];
  private told = 0;

  constructor(
    private readonly ports: EvaluatorPorts,
    private readonly rules: readonly AlertRule[],
    states: readonly StoredAlertState[],
  ) {
    this.nowMs = ports.clock.nowMs();
    for (const state of states) {
      const key = keyOf(state.rule);
      const ofRule = this.states.get(key) ?? new Map<string, StoredAlertState>();
      this.states.set(key, ofRule.set(state.subject, state));
    }
  }

  /** Resolves to the number of events. */
  async run(lead: () => Promise<boolean>): Promise<number> {
    await this.measureEach(lead);
    for (const rule of this.rules) {
      if (this.unmeasured.has(rule)) continue;
      for (const state of this.states.get(keyOf(rule))?.values() ?? []) {
        this.decide(rule, subjectFrom(state.subject), state, null);
      }
    }
    await this.write(0);
    return this.told;
  }

  private async measureEach(lead: () => Promise<boolean>): Promise<void> {
    const sink: Sink = (rule, measured) => this.take(rule, measured);
    const ofChannels = this.rules.filter(({ condition }) => condition.kind === 'channel_state');
    if (ofChannels.length > 0) {
      await this.attempt(ofChannels, async () =>
        measureChannels(await readChannels(this.ports, ofChannels), ofChannels, this.nowMs, sink),
      );
    }
    const overAll = this.rules.filter(isOverAll);
    await this.attempt(overAll, () => measureErrors(this.ports, overAll, null, this.nowMs, sink));
    const others = this.rules.filter((rule) => rule.condition.kind !== 'channel_state' && !isOverAll(rule));
    const named = others.filter((rule) => accountsOf(rule) !== null);
    const ids = [...new Set(named.flatMap((rule) => accountsOf(rule) ?? []))];
    for (let at = 0; at < ids.length; at += ACCOUNTS_AT_ONCE) {
      await this.measureAccounts(named, ids.slice(at, at + ACCOUNTS_AT_ONCE), sink);
      await this.write(CHANGES_AT_ONCE);
    }
    const ofEach = others.filter((rule) => accountsOf(rule) === null);
    if (ofEach.length > 0) await this.measureAll(ofEach, lead, sink);
  }

  /** Measures the operators' rules that apply to every account. */
  private async measureAll(rules: readonly AlertRule[], lead: () => Promise<boolean>, sink: Sink): Promise<void> {
    for (let after: string | null = null; ; ) {
      const page = await this.ports.directory.accounts({ after, limit: ACCOUNTS_AT_ONCE });
      const last = page.at(-1);
      if (last === undefined) return;
      const inUse = page.filter(({ archivedAtMs }) => archivedAtMs === null).map(({ id }) => id);
      await this.measureAccounts(rules, inUse, sink);
      await this.write(CHANGES_AT_ONCE);
      await lead();
      after = last.id;
    }
  }

  private async measureAccounts(rules: readonly AlertRule[], ids: readonly string[], sink: Sink): Promise<void> {
    const concerned = rules.filter((rule) => ids.some((id) => isAbout(rule, id)));
    await this.attempt(concerned, () => measureAccounts(this.ports, concerned, ids, this.nowMs, sink));
    await this.attempt(concerned, () => measureErrors(this.ports, concerned, ids, this.nowMs, sink));
  }

  /** Values that cannot be read now are measured in the next pass, without delaying other rules. */
  private async attempt(rules: readonly AlertRule[], measure: () => Promise<void>): Promise<void> {
    try {
      if (rules.length > 0) await measure();
    } catch (error) {
      for (const rule of rules) this.unmeasured.add(rule);
      const reason = error instanceof Error ? error.message : String(error);
      this.ports.logger.warn({ rules: rules.length, error: reason }, 'the values of alert rules could not be read');
    }
  }

  private take(rule: AlertRule, measured: Measured): void {
    const ofRule = this.states.get(keyOf(rule));
    const key = subjectKey(measured.subject);
    const before = ofRule?.get(key) ?? null;
    // The states that remain at the end are those of subjects that were not measured.
    ofRule?.delete(key);
    this.decide(rule, measured.subject, before, measured);
  }

  private decide(
    rule: AlertRule,
    subject: AlertSubject,
    before: StoredAlertState | null,
    measured: Measured | null,
  ): void {
    const patience = { holdMs: measured?.holdMs ?? 0, repeatMs: rule.repeatMs };
    const { state, event } = nextAlertState(before, measured?.reading ?? null, patience, this.nowMs);
    if (state === before && event === null) return;
    const made = () => ({ id: this.ports.newId('evt_'), atMs: this.nowMs });
    this.changes.push({
      rule: { accountId: rule.accountId, id: rule.id },
      subject: subjectKey(subject),
      before,
      after: state,
      event: event === null ? null : alertEvent(made(), rule, event, subject, measured),
      targets: rule.targets,
    });
  }

  /** Writes the collected changes if there are at least `least`. */
  private async write(least: number): Promise<void> {
    if (this.changes.length < least) return;
    const changes = this.changes;
    this.changes = [];
    for (let at = 0; at < changes.length; at += CHANGES_AT_ONCE) {
      const some = changes.slice(at, at + CHANGES_AT_ONCE);
      const done = await this.ports.alerts.apply(some);
      for (const [index, { event }] of some.entries()) {
        if (!done[index] || event === null) continue;
        this.told++;
        this.ports.metrics.told(event.type);
        const { accountId, type, ruleId, id } = event;
        this.ports.logger.info({ accountId, alertType: type, ruleId, eventId: id }, 'alert');
      }
    }
  }
}

function keyOf({ accountId, id }: AlertPlace): string {
  return JSON.stringify([accountId, id]);
}
