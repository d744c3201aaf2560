import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteStore } from './sqlite-store.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holds-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('kill -9 loses no hold and no end of one that was reported, and charges none twice', async () => {
  const path = join(folder, 'store.sqlite');
  const script = join(import.meta.dir, 'testing', 'hold-writer.child.ts');
  const silent = () => {};
  const logger = { debug: silent, info: silent, warn: silent, error: silent };
  const clock = { nowMs: () => 1, monotonicMs: () => performance.now() };
  /** The last that was said of each hold: a gateway may end what one before it has made. */
  const reported = new Map<string, readonly [state: string, amount: bigint]>();
  for (let round = 0; round < 4; round++) {
    const child = Bun.spawn([process.execPath, script, path], { stdout: 'pipe', stderr: 'inherit' });
    const reader = child.stdout.getReader();
    let output = new TextDecoder().decode((await reader.read()).value);
    await Bun.sleep(20 + Math.random() * 60);
    child.kill('SIGKILL');
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      output += new TextDecoder().decode(piece.value);
    }
    for (const line of output.slice(0, output.lastIndexOf('\n')).split('\n')) {
      const [state = '', holdId = '', amount = ''] = line.split(' ');
      reported.set(holdId, [state, BigInt(amount)]);
    }
    // The next gateway of this data folder, at once.
    const next = await openSqliteStore({ path, secret: 'crash', clock, logger, exclusive: true });
    const known = await next.holds.list({}, 1_000_000);
    const byId = new Map(known.map((hold) => [hold.holdId, hold]));
    for (const [holdId, [state, amount]] of reported) {
      const hold = byId.get(holdId);
      // What was held may have been ended without its being said.
      if (state === 'held') expect(hold?.fromBalanceNanoUsd).toBe(amount);
      else expect([hold?.state, hold?.chargedNanoUsd]).toEqual([state as 'settled', amount]);
    }
    expect((await next.ledger.verify()).problems).toEqual([]);
    // The leases of the dead gateway have ended, the holds have not.
    const open = known.filter(({ state }) => state === 'open');
    expect((await next.ledger.balance('acme')).leasedNanoUsd).toBe(50n * BigInt(open.length));
    await next.close();
  }
  const states = new Set([...reported.values()].map(([state]) => state));
  expect([...states].sort()).toEqual(['held', 'released', 'settled']);
}, 60_000);
