import { expect, test } from 'bun:test';
import { asObject, parseJson } from '../../conformance/shared/json.ts';

/* Measures in a separate process the memory that files in forms take while they are forwarded. */

const MOST_FOR_ONE = 40_000_000;
/** Together they are twice as large as the memory that they may take. */
const UPLOADS = 12;
/** Bun's own 1 MiB buffer per connection, pending writes and garbage: 3 MB on an idle machine, 8 MB on a busy one. */
const MOST_FOR_EACH_OF_MANY = 12_000_000;

test('a file of 24.9 MB takes less than 40 MB, and many concurrent files all pass', async () => {
  const bench = new URL('../../bench/uploads.ts', import.meta.url).pathname;
  const child = Bun.spawn([process.execPath, bench, '--json', '--uploads', String(UPLOADS)], {
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [text, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect({ code: await child.exited, errors }).toEqual({ code: 0, errors: '' });
  const told = asObject(parseJson(text));
  expect(told.passed).toBe(UPLOADS + 1);
  expect(told.left).toBe(0);
  expect(Number(told.grownByOne)).toBeLessThan(MOST_FOR_ONE);
  expect(Number(told.grownByAll)).toBeLessThan(MOST_FOR_ONE + UPLOADS * MOST_FOR_EACH_OF_MANY);
}, 600_000);
