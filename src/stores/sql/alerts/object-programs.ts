import type { AlertPlace, AlertRule } from '../../../domain/alerts/alert-rule.ts';
import type { AlertPage, AlertTarget, Change, Changed } from '../../../engine/ports/alert-store.ts';
import type { SecretBox } from '../../shared/secret-box.ts';
import { toNullableJson } from '../../shared/tables/encoding.ts';
import { ask, lock, type SqlDialect, type SqlProgram, type SqlRow, type Values } from '../program.ts';
import { conditionText, ownerOf, RULE_COLUMNS, sealTarget, TARGET_COLUMNS, toRule, toTarget } from './rows.ts';

/* Programs for rules and targets. */

export function* listRules(dialect: SqlDialect, page: AlertPage): SqlProgram<readonly AlertRule[]> {
  return (yield* list(dialect, 'alert_rules', RULE_COLUMNS, page)).map(toRule);
}

export function* findRule(dialect: SqlDialect, place: AlertPlace): SqlProgram<AlertRule | null> {
  const [row] = yield* find(dialect, 'alert_rules', RULE_COLUMNS, place);
  return row === undefined ? null : toRule(row);
}

export function* changeRule(
  dialect: SqlDialect,
  place: AlertPlace,
  change: Change<AlertRule>,
): SqlProgram<Changed<AlertRule>> {
  const others = yield* begin(dialect, 'alert_rules', place);
  const before = yield* findRule(dialect, place);
  const after = change(before, others);
  const owner = ownerOf(place);
  if (after === null) {
    yield* ask(dialect, (sql) => `DELETE FROM alert_rules WHERE ${isAt(sql, place)}`);
  } else {
    yield* put(dialect, 'alert_rules', RULE_COLUMNS, (sql) => [
      sql.put(owner),
      sql.put(after.id),
      sql.put(after.name),
      sql.flag(after.enabled),
      sql.put(conditionText(after.condition)),
      sql.put(toNullableJson(after.accounts)),
      sql.put(toNullableJson(after.targets)),
      sql.put(after.repeatMs),
      sql.put(after.origin),
      sql.put(Math.floor(after.createdAtMs)),
      sql.put(Math.floor(after.updatedAtMs)),
    ]);
  }
  if (after === null || !after.enabled) {
    yield* ask(
      dialect,
      (sql) => `DELETE FROM alert_states WHERE owner = ${sql.put(owner)} AND rule_id = ${sql.put(place.id)}`,
    );
  }
  return { before, after };
}

export function* listTargets(dialect: SqlDialect, page: AlertPage, box: SecretBox): SqlProgram<readonly AlertTarget[]> {
  return (yield* list(dialect, 'alert_targets', TARGET_COLUMNS, page)).map((row) => toTarget(row, box));
}

export function* findTarget(dialect: SqlDialect, place: AlertPlace, box: SecretBox): SqlProgram<AlertTarget | null> {
  const [row] = yield* find(dialect, 'alert_targets', TARGET_COLUMNS, place);
  return row === undefined ? null : toTarget(row, box);
}

export function* changeTarget(
  dialect: SqlDialect,
  place: AlertPlace,
  change: Change<AlertTarget>,
  box: SecretBox,
): SqlProgram<Changed<AlertTarget>> {
  const others = yield* begin(dialect, 'alert_targets', place);
  const before = yield* findTarget(dialect, place, box);
  const after = change(before, others);
  if (after === null) yield* ask(dialect, (sql) => `DELETE FROM alert_targets WHERE ${isAt(sql, place)}`);
  else {
    yield* put(dialect, 'alert_targets', TARGET_COLUMNS, (sql) => [
      sql.put(ownerOf(place)),
      sql.put(after.id),
      sql.put(after.kind),
      sql.put(after.name),
      sql.flag(after.enabled),
      sql.put(sealTarget(after, box)),
      sql.put(after.failingSinceMs),
      sql.put(after.disabled?.atMs ?? null),
      sql.put(after.disabled?.reason ?? null),
      sql.put(after.origin),
      sql.put(Math.floor(after.createdAtMs)),
      sql.put(Math.floor(after.updatedAtMs)),
    ]);
  }
  if (after === null) yield* failWaiting(dialect, place, 'target_removed');
  else if (!after.enabled) yield* failWaiting(dialect, place, 'target_disabled');
  return { before, after };
}

/** Fails the pending deliveries to a target. */
export function* failWaiting(dialect: SqlDialect, place: AlertPlace, error: string): SqlProgram<void> {
  yield* ask(
    dialect,
    (sql) => `
      UPDATE alert_deliveries SET state = 'failed', next_attempt_at_ms = NULL, last_error = ${sql.put(error)}
      WHERE owner = ${sql.put(ownerOf(place))} AND target_id = ${sql.put(place.id)} AND state = 'pending'
    `,
  );
}

type Table = 'alert_rules' | 'alert_targets';

/** Serialises changes of an owner's objects. Returns the number of the owner's other objects. */
function* begin(dialect: SqlDialect, table: Table, place: AlertPlace): SqlProgram<number> {
  yield* lock(dialect, `${table} of ${ownerOf(place)}`);
  const [row] = yield* ask(
    dialect,
    (sql) =>
      `SELECT count(*) AS others FROM ${table} WHERE owner = ${sql.put(ownerOf(place))} AND id <> ${sql.put(place.id)}`,
  );
  return Number(row?.others);
}

function list(dialect: SqlDialect, table: Table, columns: string, page: AlertPage): SqlProgram<readonly SqlRow[]> {
  const { accountId, enabledOnly = false, after, limit } = page;
  return ask(dialect, (sql) => {
    const conditions = ['1 = 1'];
    if (accountId !== undefined) conditions.push(`owner = ${sql.put(ownerOf({ accountId }))}`);
    if (enabledOnly) conditions.push(`enabled = ${sql.flag(true)}`);
    if (after !== null) conditions.push(`(owner, id) > (${sql.put(ownerOf(after))}, ${sql.put(after.id)})`);
    return `SELECT ${columns} FROM ${table} WHERE ${conditions.join(' AND ')} ORDER BY owner, id LIMIT ${sql.put(limit)}`;
  });
}

function find(dialect: SqlDialect, table: Table, columns: string, place: AlertPlace): SqlProgram<readonly SqlRow[]> {
  return ask(dialect, (sql) => `SELECT ${columns} FROM ${table} WHERE ${isAt(sql, place)}`);
}

function* put(
  dialect: SqlDialect,
  table: Table,
  columns: string,
  values: (sql: Values) => readonly string[],
): SqlProgram<void> {
  const sets = columns
    .split(', ')
    .slice(2)
    .map((column) => `${column} = excluded.${column}`);
  yield* ask(
    dialect,
    (sql) => `
      INSERT INTO ${table} (${columns}) VALUES (${values(sql).join(', ')})
      ON CONFLICT (owner, id) DO UPDATE SET ${sets.join(', ')}
    `,
  );
}

export function isAt(sql: Values, place: AlertPlace): string {
  return `owner = ${sql.put(ownerOf(place))} AND id = ${sql.put(place.id)}`;
}
