import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readdir, readFile, rm } from 'node:fs/promises';
import { keyOf, modelOver } from '../../conformance/money/bed.ts';
import { Books, nano, sqliteQuery } from '../../conformance/money/books.ts';
import { buy, type Receipt } from '../../conformance/money/client.ts';
import { until } from '../../conformance/shared/until.ts';
import { type ProcessBed, startProcessBed } from '../money/bed.ts';

/* Backups while charges are booked. */

const TIMEOUT_MS = 600_000;
const BUYERS = 16;
const BEFORE = 60;
const COST = nano('0.0005');
const ACCOUNT = 'payer';

let bed: ProcessBed;
let secret: string;
const receipts: Receipt[] = [];

const request = (port: number) =>
  buy({ port, key: keyOf(ACCOUNT), model: modelOver('openai-chat', 'fixed'), format: 'openai-chat' });

const complete = () => receipts.filter(({ isComplete }) => isComplete);

/** Does the work while customers buy, after their first responses. */
async function whileBuying<Result>(work: () => Promise<Result>): Promise<Result> {
  let isOpen = true;
  const buyOn = async () => {
    while (isOpen) receipts.push(await request(bed.port()));
  };
  const buyers = Promise.all(Array.from({ length: BUYERS }, buyOn));
  const wanted = complete().length + BEFORE;
  try {
    await until('charges are booked', () => complete().length >= wanted);
    return await work();
  } finally {
    isOpen = false;
    await buyers;
  }
}

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  bed.space.runHere(args, { env: { ...bed.env, ...env } });

beforeAll(async () => {
  bed = await startProcessBed({
    models: { fixed: { words: 2, usage: { input: 10, output: 2 }, pricing: { per_request: '0.0005' } } },
    accounts: [{ id: ACCOUNT, balance_usd: '1000' }],
  });
  secret = (await readFile(bed.space.path('data', 'master-secret'), 'utf8')).trim();
}, TIMEOUT_MS);

afterAll(async () => {
  await bed.stop();
}, TIMEOUT_MS);

/** Restores the backup into a new folder; resolves to the requests that its ledger has charged. */
async function restored(file: string, folder: string): Promise<ReadonlyMap<string, bigint>> {
  const data = bed.space.path(folder);
  const { exitCode, stdout, stderr } = await run(['restore', '--data', data, file], { SWITCHYARD_SECRET: secret });
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toContain('ledger verified');
  return new Books(bed, sqliteQuery(bed.space.path(folder, 'switchyard.sqlite'))).chargesByRequest();
}

test(
  'a backup contains every charge that was answered before it began, and a gateway serves from it',
  async () => {
    const file = bed.space.path('backup.tar');
    const before = await whileBuying(async () => {
      const answered = complete().map(({ requestId }) => requestId);
      const made = await bed.space.run(['backup', file], { env: bed.env });
      expect([made.exitCode, made.stderr]).toEqual([0, '']);
      const after = complete().length;
      await until('the gateway is charging after the backup', () => complete().length > after);
      return answered;
    });
    const charges = await restored(file, 'restored');
    expect(charges.size).toBeGreaterThanOrEqual(before.length);
    for (const requestId of before) expect(charges.get(requestId)).toBe(COST);

    const env = { ...bed.env, SWITCHYARD_DATA: bed.space.path('restored'), SWITCHYARD_SECRET: secret };
    const serving = await bed.space.serve({ env });
    const receipt = await request(serving.port);
    expect(receipt.isComplete).toBe(true);
    expect(await serving.stop()).toBe(0);
    const verified = await run(['ledger', 'verify'], env);
    expect([verified.exitCode, verified.stdout]).toEqual([0, expect.stringContaining('ledger verified')]);

    const rotated = await run(['secret', 'rotate'], {
      ...env,
      SWITCHYARD_NEW_SECRET: 'a new secret 0123456789 0123456789',
    });
    expect([rotated.exitCode, rotated.stdout]).toEqual([0, expect.stringMatching(/Re-encrypted: \d+ channel keys/)]);
  },
  TIMEOUT_MS,
);

test(
  'a backup on standard output is complete, and a reader that stops early is an error',
  async () => {
    const file = bed.space.path('piped.tar');
    const program = bed.space.path('data');
    const env = { ...bed.env, SWITCHYARD_DATA: program };
    const piped = await whileBuying(() => bed.space.shell(`"$@" backup - > '${file}'`, { env }));
    expect(piped.exitCode).toBe(0);
    expect(piped.stderr).toContain('master secret  not included');
    await restored(file, 'from-pipe');
    const cut = await bed.space.shell(`{ "$@" backup -; echo "exit $?" >&2; } | head -c 1000 > /dev/null`, { env });
    expect(cut.stderr).toContain('the reader of standard output has stopped');
    expect(cut.stderr).toContain('exit 1');
    expect((await readdir(program)).filter((name) => name.endsWith('.partial'))).toEqual([]);
    await rm(file);
  },
  TIMEOUT_MS,
);
