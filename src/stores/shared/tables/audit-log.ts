import type { ActorKind, AuditEntry, AuditQuery, AuditWords, NewAuditEntry } from '../../../engine/ports/audit-log.ts';
import { fromJson, toNullableJson } from './encoding.ts';

/** Of either database. */
export interface AuditRow {
  readonly sequence: number | bigint;
  /** PostgreSQL's `bigint` comes as one. */
  readonly at_ms: number | bigint;
  readonly actor_kind: ActorKind;
  readonly actor_id: string | null;
  readonly actor_name: string;
  readonly address: string | null;
  readonly request_id: string | null;
  readonly action: string;
  readonly account_id: string | null;
  readonly object_id: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** In the order of `toAuditValues`. */
export const AUDIT_COLUMNS = [
  'at_ms',
  'actor_kind',
  'actor_id',
  'actor_name',
  'address',
  'request_id',
  'action',
  'account_id',
  'object_id',
  'before',
  'after',
] as const satisfies readonly (keyof AuditRow)[];

/** `before` is a word of SQL. */
const LIST = AUDIT_COLUMNS.map((column) => `"${column}"`).join(', ');

export function toAuditValues(entry: NewAuditEntry): (string | number | null)[] {
  return [
    Math.floor(entry.atMs),
    entry.actor.kind,
    entry.actor.id,
    entry.actor.name,
    entry.address,
    entry.requestId,
    entry.action,
    entry.accountId,
    entry.objectId,
    toNullableJson(entry.before),
    toNullableJson(entry.after),
  ];
}

export function fromAuditRow(row: AuditRow): AuditEntry {
  return {
    sequence: Number(row.sequence),
    atMs: Number(row.at_ms),
    actor: { kind: row.actor_kind, id: row.actor_id, name: row.actor_name },
    address: row.address,
    requestId: row.request_id,
    action: row.action,
    accountId: row.account_id,
    objectId: row.object_id,
    before: row.before === null ? null : fromJson<AuditWords>(row.before),
    after: row.after === null ? null : fromJson<AuditWords>(row.after),
  };
}

/** @param mark what stands before a parameter's number */
export function auditInsert(mark: '?' | '$'): string {
  const values = AUDIT_COLUMNS.map((_, index) => `${mark}${index + 1}`);
  return `INSERT INTO audit_log (${LIST}) VALUES (${values.join(', ')})`;
}

/** What an erasure may change, in the order of `auditRewriteValues`. */
const REWRITTEN = ['actor_id', 'actor_name', 'address', 'object_id', 'before', 'after'] as const;

/** @param mark what stands before a parameter's number */
export function auditRewrite(mark: '?' | '$'): string {
  const sets = REWRITTEN.map((column, index) => `"${column}" = ${mark}${index + 1}`);
  return `UPDATE audit_log SET ${sets.join(', ')} WHERE sequence = ${mark}${REWRITTEN.length + 1}`;
}

export function auditRewriteValues({ actor, address, objectId, before, after, sequence }: AuditEntry) {
  return [actor.id, actor.name, address, objectId, toNullableJson(before), toNullableJson(after), sequence];
}

/** Only the conditions that the query has, so that each finds its index. */
export function auditPage(
  mark: '?' | '$',
  query: AuditQuery,
): { readonly sql: string; readonly values: (string | number)[] } {
  const values: (string | number)[] = [];
  const marked = (value: string | number) => `${mark}${values.push(value)}`;
  const conditions = ['1 = 1'];
  const equals = (column: keyof AuditRow, value: string | undefined) => {
    if (value !== undefined) conditions.push(`${column} = ${marked(value)}`);
  };
  equals('account_id', query.accountId);
  equals('actor_kind', query.actorKind);
  equals('actor_id', query.actorId);
  equals('object_id', query.objectId);
  if (query.action !== undefined) conditions.push(actionCondition(query.action, mark, marked));
  if (query.fromMs !== undefined) conditions.push(`at_ms >= ${marked(Math.ceil(query.fromMs))}`);
  if (query.toMs !== undefined) conditions.push(`at_ms < ${marked(Math.ceil(query.toMs))}`);
  const isNewest = query.order === 'newest';
  if (query.after !== null) conditions.push(`sequence ${isNewest ? '<' : '>'} ${marked(query.after)}`);
  const where = conditions.join(' AND ');
  const order = isNewest ? 'DESC' : 'ASC';
  return {
    sql: `SELECT sequence, ${LIST} FROM audit_log WHERE ${where} ORDER BY sequence ${order} LIMIT ${marked(query.limit)}`,
    values,
  };
}

/** In the words of their indexes. */
const KIND = { '?': "substr(action, 1, instr(action, '.') - 1)", $: "split_part(action, '.', 1)" } as const;

/** `key` means all that begins with `key.`. */
function actionCondition(action: string, mark: '?' | '$', marked: (value: string) => string): string {
  return action.includes('.') ? `action = ${marked(action)}` : `${KIND[mark]} = ${marked(action)}`;
}
