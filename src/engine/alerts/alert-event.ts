import type { AlertCondition, AlertRule } from '../../domain/alerts/alert-rule.ts';
import type { AlertSubject, AlertTransition, Reading } from '../../domain/alerts/alert-state.ts';
import type { AlertEvent, AlertEventType, AlertTarget } from '../ports/alert-store.ts';

/** A measurement of one subject of a rule. */
export interface Measured {
  readonly subject: AlertSubject;
  readonly reading: Reading;
  /** How long the condition must last. */
  readonly holdMs: number;
  readonly value: string | number;
  readonly threshold: string | number;
  readonly unit: 'usd' | 'percent' | 'state';
  /** A whole sentence. */
  readonly detail: string;
}

const TYPES: Readonly<Record<AlertTransition, AlertEventType>> = {
  raised: 'alert.raised',
  repeated: 'alert.repeated',
  resolved: 'alert.resolved',
};

/** The text before an event's sentence. */
const PREFIXES: Readonly<Record<AlertTransition, string>> = {
  raised: '',
  repeated: 'Reminder: ',
  resolved: 'Resolved: ',
};

/** The JSON payload of an event. */
export interface AlertEventBody {
  readonly id: string;
  readonly object: 'alert_event';
  readonly type: AlertEventType;
  readonly created_at: string;
  readonly account_id: string | null;
  readonly rule: { readonly id: string; readonly name: string; readonly type: AlertCondition['kind'] } | null;
  readonly subject: { readonly type: string; readonly id: string; readonly account_id: string | null };
  readonly value: Measured['value'] | null;
  readonly threshold: Measured['threshold'] | null;
  readonly unit: Measured['unit'] | null;
  readonly message: string;
}

interface Made {
  readonly id: string;
  readonly atMs: number;
}

/**
 * Returns the event of an alert that changed its state.
 *
 * @param measured `null` if the subject is gone
 */
export function alertEvent(
  made: Made,
  rule: AlertRule,
  transition: AlertTransition,
  subject: AlertSubject,
  measured: Measured | null,
): AlertEvent {
  const detail = measured?.detail ?? absence(rule, subject);
  return event(made, TYPES[transition], rule, {
    account_id: subject.accountId ?? rule.accountId,
    rule: { id: rule.id, name: rule.name, type: rule.condition.kind },
    subject: { type: subject.kind, id: subject.id, account_id: subject.accountId },
    value: measured?.value ?? null,
    threshold: measured?.threshold ?? null,
    unit: measured?.unit ?? null,
    message: `${PREFIXES[transition]}${detail}`,
  });
}

export function testEvent(
  made: Made,
  { accountId, id, kind }: Pick<AlertTarget, 'accountId' | 'id' | 'kind'>,
): AlertEvent {
  const message = 'This is a test alert.';
  const subject = { type: kind, id, account_id: accountId };
  return event(made, 'alert.test', { accountId, id: null }, { ...NOTHING, account_id: accountId, subject, message });
}

/** Returns the event that informs the owner's other targets that a target was disabled. */
export function targetDisabledEvent(made: Made, target: AlertTarget, reason: string): AlertEvent {
  const { accountId, id, kind, name } = target;
  return event(
    made,
    'alert.target_disabled',
    { accountId, id: null },
    {
      ...NOTHING,
      account_id: accountId,
      subject: { type: kind, id, account_id: accountId },
      message: `The ${kind} destination "${name}" (${id}) was disabled: ${reason}.`,
    },
  );
}

const NOTHING = { rule: null, value: null, threshold: null, unit: null };

function event(
  { id, atMs }: Made,
  type: AlertEventType,
  rule: { readonly accountId: string | null; readonly id: string | null },
  words: Omit<AlertEventBody, 'id' | 'object' | 'type' | 'created_at'>,
): AlertEvent {
  const body: AlertEventBody = { id, object: 'alert_event', type, created_at: new Date(atMs).toISOString(), ...words };
  return { id, accountId: rule.accountId, type, ruleId: rule.id, atMs, body: JSON.stringify(body) };
}

/** Returns the sentence for a subject that could not be measured any more. */
function absence({ condition }: AlertRule, { kind, id }: AlertSubject): string {
  if (condition.kind === 'error_rate') {
    return `There were no requests for ${kind} ${id} in the last ${condition.windowMinutes} minutes.`;
  }
  return `There is no longer any data for ${kind} ${id}: it was removed, or the rule no longer covers it.`;
}
