import type { AlertCondition, AlertPlace, AlertRule } from '../../../domain/alerts/alert-rule.ts';
import type { AlertState } from '../../../domain/alerts/alert-state.ts';
import type { Origin } from '../../../domain/catalog/model.ts';
import type {
  AlertDelivery,
  AlertEvent,
  AlertEventType,
  AlertTarget,
  DeliveryState,
  StoredAlertState,
  StoredEvent,
} from '../../../engine/ports/alert-store.ts';
import type { SecretBox } from '../../shared/secret-box.ts';
import { fromJson } from '../../shared/tables/encoding.ts';
import type { SqlRow } from '../program.ts';

/* Check constraints guarantee the column values, so these readers only bridge the drivers' differences. */

export function ownerOf({ accountId }: Pick<AlertPlace, 'accountId'>): string {
  return accountId ?? '';
}

export const RULE_COLUMNS =
  'owner, id, name, enabled, condition, accounts, targets, repeat_ms, origin, created_at_ms, updated_at_ms';

export function toRule(row: SqlRow): AlertRule {
  return {
    ...placeOf(row),
    name: textOf(row.name),
    enabled: flagOf(row.enabled),
    condition: conditionFrom(textOf(row.condition)),
    accounts: listOrNull(row.accounts),
    targets: listOrNull(row.targets),
    repeatMs: numberOrNull(row.repeat_ms),
    origin: textOf(row.origin) as Origin,
    createdAtMs: Number(row.created_at_ms),
    updatedAtMs: Number(row.updated_at_ms),
  };
}

/** JSON has no large integers. */
export function conditionText(condition: AlertCondition): string {
  return JSON.stringify(condition, (_name, value) => (typeof value === 'bigint' ? String(value) : value));
}

function conditionFrom(text: string): AlertCondition {
  const read = fromJson<AlertCondition>(text);
  return read.kind === 'balance_below' ? { ...read, thresholdNanoUsd: BigInt(read.thresholdNanoUsd) } : read;
}

export const TARGET_COLUMNS =
  'owner, id, kind, name, enabled, sealed, failing_since_ms, disabled_at_ms, disabled_reason, origin, created_at_ms, updated_at_ms';

/** The fields that are encrypted in the table. */
type Sealed = Pick<AlertTarget, 'address' | 'secret' | 'previousSecret'>;

export function sealTarget(target: AlertTarget, box: SecretBox): string {
  const { address, secret, previousSecret } = target;
  return box.seal(JSON.stringify({ address, secret, previousSecret } satisfies Sealed), contextOf(target));
}

export function toTarget(row: SqlRow, box: SecretBox): AlertTarget {
  const place = placeOf(row);
  const disabledAtMs = numberOrNull(row.disabled_at_ms);
  return {
    ...place,
    kind: textOf(row.kind) as AlertTarget['kind'],
    name: textOf(row.name),
    enabled: flagOf(row.enabled),
    ...fromJson<Sealed>(box.open(textOf(row.sealed), contextOf(place))),
    failingSinceMs: numberOrNull(row.failing_since_ms),
    disabled: disabledAtMs === null ? null : { atMs: disabledAtMs, reason: textOf(row.disabled_reason) },
    origin: textOf(row.origin) as Origin,
    createdAtMs: Number(row.created_at_ms),
    updatedAtMs: Number(row.updated_at_ms),
  };
}

/** Returns the context to which the sealed text is bound. */
export function contextOf(place: AlertPlace): string {
  return `alert target:${ownerOf(place)}/${place.id}`;
}

export function toStoredState(row: SqlRow): StoredAlertState {
  return {
    rule: { accountId: textOf(row.owner) || null, id: textOf(row.rule_id) },
    subject: textOf(row.subject),
    status: textOf(row.status) as AlertState['status'],
    sinceMs: Number(row.since_ms),
    periodStartMs: numberOrNull(row.period_start_ms),
    toldAtMs: Number(row.told_at_ms),
    version: Number(row.version),
  };
}

export const EVENT_COLUMNS = 'sequence, id, owner, type, rule_id, at_ms, body';

export function toEvent(row: SqlRow): StoredEvent {
  return { sequence: Number(row.sequence), ...toPlainEvent(row, textOf(row.id)) };
}

export function toPlainEvent(row: SqlRow, id: string): AlertEvent {
  return {
    id,
    accountId: textOf(row.owner) || null,
    type: textOf(row.type) as AlertEventType,
    ruleId: typeof row.rule_id === 'string' ? row.rule_id : null,
    atMs: Number(row.at_ms),
    body: textOf(row.body),
  };
}

/** Columns of `alert_deliveries` joined with the events. */
export const DELIVERY_COLUMNS = `
  alert_deliveries.sequence, alert_deliveries.id, alert_deliveries.owner, event_id, type, target_id, state, attempts,
  next_attempt_at_ms, last_status, last_error, last_attempt_at_ms, last_duration_ms, created_at_ms
`;

export function toDelivery(row: SqlRow): AlertDelivery {
  const state = textOf(row.state) as DeliveryState;
  return {
    id: textOf(row.id),
    sequence: Number(row.sequence),
    accountId: textOf(row.owner) || null,
    eventId: textOf(row.event_id),
    eventType: textOf(row.type) as AlertEventType,
    targetId: textOf(row.target_id),
    state,
    attempts: Number(row.attempts),
    nextAttemptAtMs: state === 'pending' ? numberOrNull(row.next_attempt_at_ms) : null,
    lastStatus: numberOrNull(row.last_status),
    lastError: typeof row.last_error === 'string' ? row.last_error : null,
    lastAttemptAtMs: numberOrNull(row.last_attempt_at_ms),
    lastDurationMs: numberOrNull(row.last_duration_ms),
    createdAtMs: Number(row.created_at_ms),
  };
}

function placeOf(row: SqlRow): AlertPlace {
  return { accountId: textOf(row.owner) || null, id: textOf(row.id) };
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function numberOrNull(value: unknown): number | null {
  return value === null || value === undefined ? null : Number(value);
}

function listOrNull(value: unknown): readonly string[] | null {
  return typeof value === 'string' ? fromJson<readonly string[]>(value) : null;
}

/** SQLite stores booleans as 0 and 1. */
function flagOf(value: unknown): boolean {
  return value === true || value === 1 || value === 1n;
}
