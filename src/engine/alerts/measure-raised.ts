import type { AlertRule } from '../../domain/alerts/alert-rule.ts';
import { subjectFrom, subjectKey } from '../../domain/alerts/alert-state.ts';
import type { RaisedAlert } from '../ports/alert-store.ts';
import type { Measured } from './alert-event.ts';
import type { ReadingPorts } from './alert-ports.ts';
import { measureAccounts } from './measure-accounts.ts';
import { measureChannels, readChannels } from './measure-channels.ts';
import { isOverAll, measureErrors } from './measure-errors.ts';

/** A raised alert with the current measurement of its subject; `null` if it can no longer be measured. */
export interface MeasuredAlert extends RaisedAlert {
  readonly measured: Measured | null;
}

/** Measures the subjects of raised alerts again, since the values in their events may be hours old. */
export async function measureRaised(
  ports: ReadingPorts,
  raised: readonly RaisedAlert[],
  nowMs: number,
): Promise<readonly MeasuredAlert[]> {
  const rules = [...new Map(raised.map(({ rule }) => [ruleKey(rule), rule])).values()];
  const found = new Map<string, Measured>();
  const sink = (rule: AlertRule, measured: Measured) => {
    found.set(`${ruleKey(rule)} ${subjectKey(measured.subject)}`, measured);
  };
  const ofChannels = rules.filter(({ condition }) => condition.kind === 'channel_state');
  if (ofChannels.length > 0) measureChannels(await readChannels(ports, ofChannels), ofChannels, nowMs, sink);
  const overAll = rules.filter(isOverAll);
  if (overAll.length > 0) await measureErrors(ports, overAll, null, nowMs, sink);
  const others = rules.filter((rule) => rule.condition.kind !== 'channel_state' && !isOverAll(rule));
  const ids = [...new Set(raised.flatMap(({ state }) => subjectFrom(state.subject).accountId ?? []))];
  if (others.length > 0 && ids.length > 0) {
    await measureAccounts(ports, others, ids, nowMs, sink);
    await measureErrors(ports, others, ids, nowMs, sink);
  }
  return raised.map((alert) => ({
    ...alert,
    measured: found.get(`${ruleKey(alert.rule)} ${alert.state.subject}`) ?? null,
  }));
}

function ruleKey({ accountId, id }: AlertRule): string {
  return JSON.stringify([accountId, id]);
}
