import type { AccountFilter } from '../../engine/ports/directory-store.ts';

/** Returns the conditions on a row of `accounts`. `like` compares case-insensitively; `mark` binds a value and returns its placeholder. */
export function accountConditions(
  { text, role, billing, isArchived }: AccountFilter,
  like: 'LIKE' | 'ILIKE',
  mark: (value: string) => string,
): readonly string[] {
  return [
    ...(text === undefined ? [] : [containing(mark(likePattern(text)), like, ['id', 'name'])]),
    ...(role === undefined ? [] : [`role = ${mark(role)}`]),
    ...(billing === undefined ? [] : [`billing = ${mark(billing)}`]),
    ...(isArchived === undefined ? [] : [`archived_at_ms IS ${isArchived ? 'NOT ' : ''}NULL`]),
  ];
}

/** Returns a pattern for texts that contain this one, to be used with `ESCAPE '\'`. */
export function likePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}

/** Returns a condition that any of the columns matches a pattern, given by its placeholder. */
export function containing(pattern: string, like: 'LIKE' | 'ILIKE', columns: readonly string[]): string {
  return `(${columns.map((column) => `${column} ${like} ${pattern} ESCAPE '\\'`).join(' OR ')})`;
}

/** Returns a query that counts the keys of each id in a table `wanted (value)`, and reads at most `most` rows for each. */
export function keyCounts(wanted: string, most: string): string {
  return `
    SELECT wanted.value AS id, (
      SELECT count(*) FROM (
        SELECT 1 AS found FROM credentials
        WHERE account_id = wanted.value AND kind = 'inference' AND revoked_at_ms IS NULL LIMIT ${most}
      ) AS counted
    ) AS keys
    FROM ${wanted}
  `;
}
