import type { Pool } from 'pg';
import { type SecretBox, SecretBoxError } from '../shared/secret-box.ts';
import { StoreOpenError } from '../shared/store-open-error.ts';
import { query } from './connection.ts';

const TEXT = 'switchyard';
const CONTEXT = 'secret-check';

/**
 * Makes sure that this node has the master secret of the node that made the database: with another one it could read none
 * of the upstream keys, and the other nodes none of those that it writes. Throws a `StoreOpenError`.
 */
export async function checkSecret(pool: Pool, box: SecretBox, name: string): Promise<void> {
  await query(pool, 'INSERT INTO secret_check (sealed) VALUES ($1) ON CONFLICT DO NOTHING', [box.seal(TEXT, CONTEXT)]);
  const { rows } = await query<{ sealed: string }>(pool, 'SELECT sealed FROM secret_check');
  try {
    for (const { sealed } of rows) box.open(sealed, CONTEXT);
  } catch (error) {
    if (!(error instanceof SecretBoxError)) throw error;
    throw new StoreOpenError(
      `Cannot open the database ${name}: it was made with another master secret. Give all nodes and commands that use it the same SWITCHYARD_SECRET.`,
      { cause: error },
    );
  }
}
