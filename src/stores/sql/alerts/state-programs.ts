import type { AlertPlace } from '../../../domain/alerts/alert-rule.ts';
import type {
  AlertChange,
  AlertEvent,
  RaisedAlert,
  RaisedPage,
  StoredAlertState,
} from '../../../engine/ports/alert-store.ts';
import { ask, lock, type SqlDialect, type SqlProgram, type SqlRow, type Values } from '../program.ts';
import { ownerOf, RULE_COLUMNS, toRule, toStoredState } from './rows.ts';

/* Programs for alert states and the outbox entries that are written with them. */

const STATE_COLUMNS = 'owner, rule_id, subject, status, since_ms, period_start_ms, told_at_ms, version';

export function* listStates(
  dialect: SqlDialect,
  after: AlertPlace | null,
  upTo: AlertPlace,
): SqlProgram<readonly StoredAlertState[]> {
  const rows = yield* ask(dialect, (sql) => {
    const place = ({ id, accountId }: AlertPlace) => `(${sql.put(ownerOf({ accountId }))}, ${sql.put(id)})`;
    const from = after === null ? '' : `AND (owner, rule_id) > ${place(after)}`;
    return `
      SELECT ${STATE_COLUMNS} FROM alert_states
      WHERE (owner, rule_id) <= ${place(upTo)} ${from}
    `;
  });
  return rows.map(toStoredState);
}

export function* listRaised(
  dialect: SqlDialect,
  { accountId, after, limit }: RaisedPage,
): SqlProgram<readonly RaisedAlert[]> {
  const rows = yield* ask(dialect, (sql) => {
    const ofOwner = accountId === undefined ? '' : `AND owner = ${sql.put(ownerOf({ accountId }))}`;
    const from =
      after === null
        ? ''
        : `AND (owner, rule_id, subject) > (${[ownerOf(after.rule), after.rule.id, after.subject].map((part) => sql.put(part)).join(', ')})`;
    return `
      SELECT ${STATE_COLUMNS} FROM alert_states WHERE status = 'raised' ${ofOwner} ${from}
      ORDER BY owner, rule_id, subject LIMIT ${sql.put(limit)}
    `;
  });
  const states = rows.map(toStoredState);
  if (states.length === 0) return [];
  const places = new Map(states.map(({ rule }) => [keyOf(rule), rule]));
  const rules = yield* ask(dialect, (sql) => {
    const list = [...places.values()].map((rule) => `(${sql.put(ownerOf(rule))}, ${sql.put(rule.id)})`);
    return `SELECT ${RULE_COLUMNS} FROM alert_rules WHERE (owner, id) IN (VALUES ${list.join(', ')})`;
  });
  const ruleOf = new Map(rules.map(toRule).map((rule) => [keyOf(rule), rule]));
  return states.flatMap((state) => {
    const rule = ruleOf.get(keyOf(state.rule));
    // The rule was removed between the two statements, together with its states.
    return rule === undefined ? [] : [{ state, rule }];
  });
}

function keyOf(place: AlertPlace): string {
  return `${ownerOf(place)}/${place.id}`;
}

export function* applyChanges(dialect: SqlDialect, changes: readonly AlertChange[]): SqlProgram<readonly boolean[]> {
  const done: boolean[] = [];
  for (const change of changes) {
    const isMade = (yield* moveState(dialect, change)).length > 0;
    if (isMade && change.event !== null) yield* tell(dialect, change.event, { only: change.targets });
    done.push(isMade);
  }
  return done;
}

/** Returns a row if the change was applied, and none if the state differs by now or the rule is removed or disabled. */
function moveState(dialect: SqlDialect, { rule, subject, before, after }: AlertChange): SqlProgram<readonly SqlRow[]> {
  return ask(dialect, (sql) => {
    const owner = ownerOf(rule);
    const isThis = () =>
      `owner = ${sql.put(owner)} AND rule_id = ${sql.put(rule.id)} AND subject = ${sql.put(subject)}`;
    if (after === null) {
      return `DELETE FROM alert_states WHERE ${isThis()} AND version = ${sql.put(before?.version ?? 0)} RETURNING version`;
    }
    const status = () => sql.put(after.status);
    const since = () => bigint(sql, after.sinceMs);
    const period = () => bigint(sql, after.periodStartMs);
    const told = () => bigint(sql, after.toldAtMs);
    if (before !== null) {
      return `
        UPDATE alert_states SET status = ${status()}, since_ms = ${since()}, period_start_ms = ${period()},
          told_at_ms = ${told()}, version = version + 1
        WHERE ${isThis()} AND version = ${sql.put(before.version)} RETURNING version
      `;
    }
    return `
      INSERT INTO alert_states (owner, rule_id, subject, status, since_ms, period_start_ms, told_at_ms, version)
      SELECT owner, id, ${text(sql, subject)}, ${text(sql, after.status)}, ${since()}, ${period()}, ${told()}, 1
      FROM alert_rules
      WHERE owner = ${sql.put(owner)} AND id = ${sql.put(rule.id)} AND enabled = ${sql.flag(true)}
      ON CONFLICT (owner, rule_id, subject) DO NOTHING RETURNING version
    `;
  });
}

/** The targets to notify: the given ones, or all of the owner's but one. Targets out of use are skipped. */
type Audience = { readonly only: readonly string[] | null } | { readonly allBut: string };

/** Writes an event and a pending delivery for each target in use. */
export function* tell(dialect: SqlDialect, event: AlertEvent, audience: Audience): SqlProgram<void> {
  yield* insertEvent(dialect, event);
  yield* ask(dialect, (sql) => {
    const atMs = Math.floor(event.atMs);
    const id = text(sql, event.id);
    return `
      INSERT INTO alert_deliveries
        (id, owner, event_id, target_id, state, attempts, claim, next_attempt_at_ms, created_at_ms)
      SELECT ${id} || '.' || id, owner, ${text(sql, event.id)}, id, 'pending', 0, 0, ${bigint(sql, atMs)}, ${bigint(sql, atMs)}
      FROM alert_targets
      WHERE owner = ${sql.put(ownerOf(event))} AND enabled = ${sql.flag(true)} AND disabled_at_ms IS NULL
        ${chosen(sql, audience)}
      ORDER BY id
    `;
  });
}

function chosen(sql: Values, audience: Audience): string {
  if ('allBut' in audience) return `AND id <> ${sql.put(audience.allBut)}`;
  if (audience.only === null) return '';
  return audience.only.length === 0 ? 'AND 1 = 0' : `AND id IN (${audience.only.map((id) => sql.put(id)).join(', ')})`;
}

export function* insertEvent(dialect: SqlDialect, event: AlertEvent): SqlProgram<void> {
  yield* ask(dialect, (sql) => {
    const values = [event.id, ownerOf(event), event.type, event.ruleId].map((value) => sql.put(value));
    return `
      INSERT INTO alert_events (id, owner, type, rule_id, at_ms, body)
      VALUES (${values.join(', ')}, ${sql.put(Math.floor(event.atMs))}, ${sql.put(event.body)})
    `;
  });
}

export function* lead(dialect: SqlDialect, holder: string, nowMs: number, untilMs: number): SqlProgram<boolean> {
  yield* lock(dialect, 'leader of alerts');
  const rows = yield* ask(dialect, (sql) => {
    const [who, until] = [sql.put(holder), sql.put(Math.floor(untilMs))];
    return `
      INSERT INTO alert_leader (one, holder, until_ms) VALUES (1, ${who}, ${until})
      ON CONFLICT (one) DO UPDATE SET holder = excluded.holder, until_ms = excluded.until_ms
      WHERE alert_leader.holder = excluded.holder OR alert_leader.until_ms <= ${sql.put(Math.floor(nowMs))}
      RETURNING holder
    `;
  });
  return rows.length > 0;
}

export function* stepDown(dialect: SqlDialect, holder: string): SqlProgram<void> {
  yield* ask(dialect, (sql) => `DELETE FROM alert_leader WHERE holder = ${sql.put(holder)}`);
}

/* In a select list, PostgreSQL takes an untyped parameter for text. */

export function bigint(sql: Values, value: number | null): string {
  return `CAST(${sql.put(value === null ? null : Math.floor(value))} AS bigint)`;
}

export function text(sql: Values, value: string): string {
  return `CAST(${sql.put(value)} AS text)`;
}
