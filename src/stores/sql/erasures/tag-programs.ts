import type { RemovedRows, TagPlace } from '../../../engine/ports/account-erasure-store.ts';
import { ask, type SqlDialect, type SqlProgram } from '../program.ts';
import { lineWindow, removeTagSums } from './account-programs.ts';

/** The value of a tag that was erased. */
const ERASED_VALUE = '(erased)';
/** The number of rows changed per transaction. */
const BATCH = 200;

/** The columns with tags as JSON. */
const TAGGED = {
  tasks: { key: 'id', column: 'tags' },
  holds: { key: 'hold_id', column: 'terms' },
} as const;

/** Removes one batch of a tag with its value. Requests keep the key of the tag. */
export function* removeTag(
  dialect: SqlDialect,
  { accountId, tag }: { readonly accountId: string; readonly tag: string },
  place: TagPlace,
  from: number,
): SqlProgram<RemovedRows> {
  if (place === 'usage') return yield* removeTagSums(dialect, accountId, tag, from);
  const written = JSON.stringify(tag);
  const erased = JSON.stringify(`${tag.slice(0, tag.indexOf('='))}=${ERASED_VALUE}`);
  if (place === 'requestLines') {
    const { last, isLast } = yield* lineWindow(dialect, from);
    const changed = yield* ask(
      dialect,
      (sql) => `
        UPDATE request_log SET tags = replace(tags, ${sql.put(written)}, ${sql.put(erased)})
        WHERE id > ${sql.put(from)} AND id <= ${sql.put(last)} AND account_id = ${sql.put(accountId)}
          AND ${dialect.hasMember('tags', sql.put(tag))} RETURNING 1 AS changed
      `,
    );
    return { removed: changed.length, next: isLast ? null : last };
  }
  const { key, column } = TAGGED[place];
  const changed = yield* ask(
    dialect,
    (sql) => `
      UPDATE ${place} SET ${column} = replace(${column}, ${sql.put(written)}, ${sql.put(erased)}) WHERE ${key} IN (
        SELECT ${key} FROM ${place} WHERE account_id = ${sql.put(accountId)}
          AND replace(${column}, ${sql.put(written)}, '') <> ${column} LIMIT ${sql.put(BATCH)}
      ) RETURNING 1 AS changed
    `,
  );
  return { removed: changed.length, next: changed.length < BATCH ? null : from };
}
