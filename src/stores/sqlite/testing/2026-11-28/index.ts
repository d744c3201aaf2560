import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The secrets in the database, and the id of a stored response. */
export const OLD_DATABASE = {
  secret: 'the master secret of the old folder',
  key: 'sk-GTeMtnEJk82L3qe3w4Pp82xjYEk8zYIrqcYQi4r0rubSRaJi',
  token: 'mt-xlys5OuoO25wWEdBAaz3ldVyDZjZtDTXesCVM2L1PQ0kznwD',
  responseId: 'resp_OriyTbPq4GxH5ENdKivtMF7J',
} as const;

/** Copies the database to a path. README.md says how it was made. */
export async function copyOldDatabase(path: string): Promise<void> {
  const packed = await Bun.file(join(import.meta.dir, 'switchyard.sqlite.gz')).bytes();
  await writeFile(path, Bun.gunzipSync(packed), { mode: 0o600 });
}
