import type { KeyPlace } from '../../engine/ports/key-use-store.ts';

/** As one parameter of a statement, of which SQLite has 32,766. */
export function jsonPlaces(places: readonly KeyPlace[]): string {
  return JSON.stringify(places.map(({ accountId, keyId }) => [accountId, keyId]));
}

/** Looks each place of `jsonPlaces` up in the primary key of a table by account and key, which stands first in the statement. */
export function joinedPlaces(table: string): string {
  return `json_each(?) AS wanted CROSS JOIN ${table} ON account_id = wanted.value ->> 0 AND key_id = wanted.value ->> 1`;
}
