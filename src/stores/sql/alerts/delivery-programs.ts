import type { AlertPlace } from '../../../domain/alerts/alert-rule.ts';
import type {
  AlertDelivery,
  AlertEvent,
  AlertFigures,
  AttemptResult,
  ClaimedDelivery,
  ClaimRequest,
  DeliveryPage,
  EventPage,
  StoredEvent,
} from '../../../engine/ports/alert-store.ts';
import type { SecretBox } from '../../shared/secret-box.ts';
import { ask, type SqlDialect, type SqlProgram, type SqlRow, type Values } from '../program.ts';
import { failWaiting, findTarget, isAt } from './object-programs.ts';
import {
  DELIVERY_COLUMNS,
  EVENT_COLUMNS,
  numberOrNull,
  ownerOf,
  TARGET_COLUMNS,
  textOf,
  toDelivery,
  toEvent,
  toPlainEvent,
  toTarget,
} from './rows.ts';
import { bigint, insertEvent, tell } from './state-programs.ts';

/* Programs for the outbox of deliveries. */

/**
 * Claims the longest waiting deliveries, but at most one per target and `perOwner` per owner, so that an endpoint that hangs, or an owner
 * with many of them, does not delay others.
 */
export function* claim(
  dialect: SqlDialect,
  request: ClaimRequest,
  box: SecretBox,
): SqlProgram<readonly ClaimedDelivery[]> {
  const rows = yield* ask(dialect, (sql) => {
    const { busyTargets, busyOwners } = request;
    const owners = busyOwners.map((accountId) => sql.put(ownerOf({ accountId })));
    const targets = busyTargets.map((place) => `(${sql.put(ownerOf(place))}, ${sql.put(place.id)})`);
    const now = bigint(sql, request.nowMs);
    return `
      UPDATE alert_deliveries SET claim = claim + 1, next_attempt_at_ms = ${bigint(sql, request.untilMs)}
      WHERE sequence IN (
        SELECT sequence FROM alert_deliveries WHERE sequence IN (
          SELECT sequence FROM (
            SELECT sequence, next_attempt_at_ms,
              row_number() OVER (PARTITION BY owner ORDER BY next_attempt_at_ms, sequence) AS of_owner
            FROM (
              SELECT sequence, owner, next_attempt_at_ms,
                row_number() OVER (PARTITION BY owner, target_id ORDER BY next_attempt_at_ms, sequence) AS of_target
              FROM alert_deliveries
              WHERE state = 'pending' AND next_attempt_at_ms <= ${now}
                ${owners.length === 0 ? '' : `AND owner NOT IN (${owners.join(', ')})`}
                ${targets.length === 0 ? '' : `AND (owner, target_id) NOT IN (VALUES ${targets.join(', ')})`}
            ) AS due WHERE of_target = 1
          ) AS ranked WHERE of_owner <= ${bigint(sql, request.perOwner)}
          ORDER BY next_attempt_at_ms, sequence LIMIT ${bigint(sql, request.limit)}
        ) AND state = 'pending' AND next_attempt_at_ms <= ${bigint(sql, request.nowMs)}
        ${dialect.mark === '$' ? 'FOR UPDATE SKIP LOCKED' : ''}
      ) RETURNING sequence
    `;
  });
  return rows.length === 0
    ? []
    : yield* claimed(
        dialect,
        rows.map(({ sequence }) => Number(sequence)),
        box,
      );
}

function* claimed(
  dialect: SqlDialect,
  sequences: readonly number[],
  box: SecretBox,
): SqlProgram<readonly ClaimedDelivery[]> {
  const rows = yield* ask(
    dialect,
    (sql) => `
      SELECT alert_deliveries.id AS delivery_id, claim, attempts, event_id, type, rule_id, at_ms, body,
        ${TARGET_COLUMNS.split(', ')
          .map((column) => `alert_targets.${column}`)
          .join(', ')}
      FROM alert_deliveries JOIN alert_events ON alert_events.id = event_id
        JOIN alert_targets ON alert_targets.owner = alert_deliveries.owner AND alert_targets.id = target_id
      WHERE alert_deliveries.sequence IN (${sequences.map((sequence) => sql.put(sequence)).join(', ')})
      ORDER BY alert_deliveries.sequence
    `,
  );
  return rows.map((row) => toClaimed(row, box));
}

function toClaimed(row: SqlRow, box: SecretBox): ClaimedDelivery {
  return {
    id: textOf(row.delivery_id),
    claim: Number(row.claim),
    attempts: Number(row.attempts),
    event: toPlainEvent(row, textOf(row.event_id)),
    target: toTarget(row, box),
  };
}

export function* begin(
  dialect: SqlDialect,
  event: AlertEvent,
  place: AlertPlace,
  untilMs: number,
  box: SecretBox,
): SqlProgram<ClaimedDelivery | null> {
  const target = yield* findTarget(dialect, place, box);
  if (target === null) return null;
  yield* insertEvent(dialect, event);
  const id = `${event.id}.${place.id}`;
  yield* ask(dialect, (sql) => {
    const texts = [id, ownerOf(place), event.id, place.id].map((value) => sql.put(value));
    const times = [untilMs, event.atMs].map((value) => sql.put(Math.floor(value)));
    return `
      INSERT INTO alert_deliveries
        (id, owner, event_id, target_id, state, attempts, claim, next_attempt_at_ms, created_at_ms)
      VALUES (${texts.join(', ')}, 'pending', 0, 1, ${times.join(', ')})
    `;
  });
  return { id, claim: 1, attempts: 0, event, target };
}

export function* finish(
  dialect: SqlDialect,
  delivery: Pick<ClaimedDelivery, 'id' | 'claim'>,
  result: AttemptResult,
): SqlProgram<boolean> {
  const { atMs, durationMs, status, error, retryAtMs, disable } = result;
  const isTaken = error === null;
  const state = isTaken ? 'delivered' : retryAtMs === null ? 'failed' : 'pending';
  const [row] = yield* ask(
    dialect,
    (sql) => `
      UPDATE alert_deliveries SET state = ${sql.put(state)}, attempts = attempts + 1,
        next_attempt_at_ms = ${bigint(sql, isTaken ? null : retryAtMs)}, last_status = ${sql.put(status)},
        last_error = ${sql.put(error)}, last_attempt_at_ms = ${bigint(sql, atMs)},
        last_duration_ms = ${bigint(sql, durationMs)}
      WHERE id = ${sql.put(delivery.id)} AND claim = ${sql.put(delivery.claim)} AND state = 'pending'
      RETURNING owner, target_id
    `,
  );
  if (row === undefined) return false;
  const place = { accountId: textOf(row.owner) || null, id: textOf(row.target_id) };
  yield* ask(dialect, (sql) => {
    if (isTaken) {
      return `
        UPDATE alert_targets SET failing_since_ms = NULL WHERE ${isAt(sql, place)} AND failing_since_ms IS NOT NULL
      `;
    }
    return `
      UPDATE alert_targets SET failing_since_ms = ${bigint(sql, atMs)}
      WHERE ${isAt(sql, place)} AND failing_since_ms IS NULL
    `;
  });
  if (disable !== null) yield* giveUp(dialect, place, atMs, disable);
  return true;
}

function* giveUp(
  dialect: SqlDialect,
  place: AlertPlace,
  atMs: number,
  { reason, notice }: NonNullable<AttemptResult['disable']>,
): SqlProgram<void> {
  const rows = yield* ask(
    dialect,
    (sql) => `
      UPDATE alert_targets SET disabled_at_ms = ${bigint(sql, atMs)}, disabled_reason = ${sql.put(reason)}
      WHERE ${isAt(sql, place)} AND disabled_at_ms IS NULL RETURNING id
    `,
  );
  yield* failWaiting(dialect, place, 'target_disabled');
  if (rows.length > 0) yield* tell(dialect, notice, { allBut: place.id });
}

export function* redeliver(dialect: SqlDialect, place: AlertPlace, nowMs: number): SqlProgram<AlertDelivery | null> {
  const rows = yield* ask(
    dialect,
    (sql) => `
      UPDATE alert_deliveries SET state = 'pending', attempts = 0, claim = claim + 1,
        next_attempt_at_ms = ${bigint(sql, nowMs)}
      WHERE ${isAt(sql, place)} AND EXISTS (
        SELECT 1 FROM alert_targets WHERE alert_targets.owner = alert_deliveries.owner
          AND alert_targets.id = alert_deliveries.target_id AND disabled_at_ms IS NULL AND enabled = ${sql.flag(true)}
      ) RETURNING id
    `,
  );
  return rows.length === 0 ? null : yield* findDelivery(dialect, place);
}

export function* listEvents(dialect: SqlDialect, page: EventPage): SqlProgram<readonly StoredEvent[]> {
  const rows = yield* ask(dialect, (sql) => {
    const where = newest(sql, page, 'sequence', [
      ['owner', page.accountId === undefined ? undefined : ownerOf({ accountId: page.accountId })],
      ['type', page.type],
      ['rule_id', page.ruleId],
    ]);
    return `SELECT ${EVENT_COLUMNS} FROM alert_events ${where}`;
  });
  return rows.map(toEvent);
}

export function* findEvent(dialect: SqlDialect, place: AlertPlace): SqlProgram<StoredEvent | null> {
  const [row] = yield* ask(dialect, (sql) => `SELECT ${EVENT_COLUMNS} FROM alert_events WHERE ${isAt(sql, place)}`);
  return row === undefined ? null : toEvent(row);
}

const DELIVERIES = `SELECT ${DELIVERY_COLUMNS} FROM alert_deliveries JOIN alert_events ON alert_events.id = event_id`;

export function* listDeliveries(dialect: SqlDialect, page: DeliveryPage): SqlProgram<readonly AlertDelivery[]> {
  const rows = yield* ask(dialect, (sql) => {
    const where = newest(sql, page, 'alert_deliveries.sequence', [
      ['alert_deliveries.owner', page.accountId === undefined ? undefined : ownerOf({ accountId: page.accountId })],
      ['state', page.state],
      ['target_id', page.targetId],
      ['event_id', page.eventId],
    ]);
    return `${DELIVERIES} ${where}`;
  });
  return rows.map(toDelivery);
}

export function* findDelivery(dialect: SqlDialect, { accountId, id }: AlertPlace): SqlProgram<AlertDelivery | null> {
  const [row] = yield* ask(
    dialect,
    (sql) =>
      `${DELIVERIES} WHERE alert_deliveries.owner = ${sql.put(ownerOf({ accountId }))} AND alert_deliveries.id = ${sql.put(id)}`,
  );
  return row === undefined ? null : toDelivery(row);
}

function newest(
  sql: Values,
  { after, limit }: Pick<EventPage, 'after' | 'limit'>,
  sequence: string,
  equals: readonly (readonly [column: string, value: string | undefined])[],
): string {
  const conditions = equals.flatMap(([column, value]) =>
    value === undefined ? [] : [`${column} = ${sql.put(value)}`],
  );
  if (after !== null) conditions.push(`${sequence} < ${sql.put(after)}`);
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return `${where} ORDER BY ${sequence} DESC LIMIT ${sql.put(limit)}`;
}

export function* removeOld(dialect: SqlDialect, beforeMs: number, limit: number): SqlProgram<number> {
  const rows = yield* ask(
    dialect,
    (sql) => `
      DELETE FROM alert_events WHERE sequence IN (
        SELECT sequence FROM alert_events WHERE at_ms < ${sql.put(Math.floor(beforeMs))} AND NOT EXISTS (
          SELECT 1 FROM alert_deliveries WHERE event_id = alert_events.id AND state = 'pending'
        ) ORDER BY at_ms LIMIT ${sql.put(Math.max(0, Math.floor(limit)))}
      ) RETURNING id
    `,
  );
  return rows.length;
}

export function* figures(dialect: SqlDialect): SqlProgram<AlertFigures> {
  const [row] = yield* ask(
    dialect,
    () => `
      SELECT (SELECT count(*) FROM alert_states WHERE status = 'raised') AS raised,
        (SELECT count(*) FROM alert_deliveries WHERE state = 'pending') AS pending,
        (SELECT min(created_at_ms) FROM alert_deliveries WHERE state = 'pending') AS oldest,
        (SELECT count(*) FROM alert_targets WHERE disabled_at_ms IS NOT NULL) AS disabled
    `,
  );
  return {
    raised: Number(row?.raised),
    pendingDeliveries: Number(row?.pending),
    oldestPendingAtMs: numberOrNull(row?.oldest),
    disabledTargets: Number(row?.disabled),
  };
}
