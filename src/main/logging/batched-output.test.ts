import { expect, test } from 'bun:test';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BatchedOutput } from './batched-output.ts';

test('every line is written once, also if the process ends after a close', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-output-'));
  try {
    const path = join(folder, 'access.log');
    const output = new BatchedOutput(() => undefined, openSync(path, 'a'));
    const lines = Array.from({ length: 5_000 }, (_, number) => `${number} ${'x'.repeat(40)}\n`);
    for (const line of lines) output.write(line);
    await output.written();
    expect(readFileSync(path, 'utf8')).toBe(lines.join(''));
    output.write('last\n');
    output.flushSync();
    output.flushSync();
    await output.written();
    expect(readFileSync(path, 'utf8')).toBe(`${lines.join('')}last\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
