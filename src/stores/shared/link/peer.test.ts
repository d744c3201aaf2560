import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LedgerConflict } from '../../../engine/ports/ledger.ts';
import { connectToPeer, listenForPeers, type Peer } from './peer.ts';

const silent = () => {};
const logger = { debug: silent, info: silent, warn: silent, error: silent };
let folder: string;
let stop: () => void;
let here: Peer;
const there: Peer[] = [];
const heard: unknown[] = [];
/** Completes a pending call. */
let released: PromiseWithResolvers<void>;

class Echo {
  async same(value: unknown) {
    return value;
  }
  async later(value: unknown) {
    await released.promise;
    return value;
  }
  async fails() {
    throw new LedgerConflict('No.');
  }
  async gives() {
    return silent;
  }
  note(value: unknown) {
    heard.push(value);
  }
}

beforeEach(async () => {
  released = Promise.withResolvers<void>();
  folder = mkdtempSync(join(tmpdir(), 'switchyard-peer-'));
  const path = join(folder, 's');
  const listener = listenForPeers(
    path,
    (peer) => {
      queueMicrotask(() => there.push(peer()));
      return { echo: new Echo() };
    },
    logger,
  );
  stop = () => listener.stop(true);
  here = await connectToPeer(path, { echo: new Echo() }, logger);
});

afterEach(() => {
  here.close();
  stop();
  there.length = 0;
  heard.length = 0;
  rmSync(folder, { recursive: true, force: true });
});

test('data of every kind survives a round trip', async () => {
  const values = [
    1n,
    -(2n ** 80n),
    new Map([['a', new Set([1])]]),
    Uint8Array.of(1, 2),
    undefined,
    null,
    'ü🜁',
    { a: [NaN] },
  ];
  const echo = here.far<Echo>('echo');
  expect(await Promise.all(values.map((value) => echo.same(value)))).toEqual(values);
});

test('responses match their calls in any order, and large ones do not starve small ones', async () => {
  const echo = here.far<Echo>('echo');
  const large = 'x'.repeat(20_000_000);
  const slow = echo.later('slow');
  const [big, quick] = await Promise.all([echo.same(large), echo.same('quick')]);
  expect([(big as string).length, quick]).toEqual([large.length, 'quick']);
  released.resolve();
  expect(await slow).toBe('slow');
});

test('both sides can call, and notifications arrive in order', async () => {
  expect(await there[0]?.call('echo', 'same', ['back'])).toBe('back');
  for (let index = 0; index < 1_000; index++) here.tell('echo', 'note', [index]);
  await here.far<Echo>('echo').same(0);
  expect(heard).toEqual(Array.from({ length: 1_000 }, (_, index) => index));
});

test('errors keep their class, and unknown methods and invalid data are rejected', async () => {
  const echo = here.far<Echo>('echo');
  await expect(echo.fails()).rejects.toThrow(LedgerConflict);
  await expect(here.call('echo', 'constructor', [])).rejects.toThrow();
  await expect(here.call('nobody', 'same', [])).rejects.toThrow('does not offer nobody.same');
  await expect(echo.same(silent)).rejects.toThrow();
  // Sent in the same turn as the valid messages.
  const [good, bad, alsoGood] = await Promise.allSettled([echo.same(1), echo.same(silent), echo.same('still there')]);
  expect([good, bad.status, alsoGood]).toEqual([
    { status: 'fulfilled', value: 1 },
    'rejected',
    { status: 'fulfilled', value: 'still there' },
  ]);
  await expect(here.far<Echo>('echo').gives()).rejects.toThrow('can not be cloned');
});

test('pending and later calls fail after the other side has ended', async () => {
  const waiting = here.far<Echo>('echo').later('never');
  stop();
  await expect(waiting).rejects.toThrow('has exited');
  await here.ended;
  await expect(here.far<Echo>('echo').same(1)).rejects.toThrow('has exited');
});
