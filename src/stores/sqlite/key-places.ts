import type { KeyPlace } from '../../engine/ports/key-use-store.ts';

/** Returns the keys as a single parameter, since SQLite allows at most 32,766. */
export function jsonPlaces(places: readonly KeyPlace[]): string {
  return JSON.stringify(places.map(({ accountId, keyId }) => [accountId, keyId]));
}

/** Returns a FROM clause that looks up each key of `jsonPlaces` by the table's primary key. Its parameter comes first in the statement. */
export function joinedPlaces(table: string): string {
  return `json_each(?) AS wanted CROSS JOIN ${table} ON account_id = wanted.value ->> 0 AND key_id = wanted.value ->> 1`;
}
