import { afterAll, beforeAll, expect, test } from 'bun:test';
import { keyOf, modelOver } from '../../conformance/money/bed.ts';
import { Books, nano } from '../../conformance/money/books.ts';
import { buy } from '../../conformance/money/client.ts';
import { type ProcessBed, startProcessBed } from './bed.ts';

/* A data folder belongs to one gateway at a time, however that gateway ends. */

const TIMEOUT_MS = 600_000;

let bed: ProcessBed;
let books: Books;

beforeAll(async () => {
  const usage = { input: 10, output: 1 };
  bed = await startProcessBed({
    models: { sound: { words: 1, usage, pricing: { per_request: '0.01' } } },
    accounts: [{ id: 'acme', balance_usd: '1' }],
  });
  books = new Books(bed);
}, TIMEOUT_MS);

afterAll(async () => {
  await bed?.stop();
});

const ask = () => buy({ port: bed.port(), key: keyOf('acme'), model: modelOver('openai-chat', 'sound') });

test(
  'a second gateway on the same data folder does not start, and says why',
  async () => {
    const second = await bed.space.run(['serve'], { env: { ...bed.env, PORT: '0' } });
    expect(second.exitCode).toBe(1);
    expect(second.stdout).not.toContain('listens on');
    // One line that names what is in use, and by which process.
    expect(second.stderr.trim().split('\n')).toHaveLength(1);
    expect(second.stderr).toMatch(/in use|already|another/i);
    expect(second.stderr).toContain(bed.space.data);
  },
  TIMEOUT_MS,
);

test('the first gateway is not affected', async () => {
  expect((await ask()).status).toBe(200);
});

test('commands work beside a running gateway', async () => {
  expect(await books.balance('acme')).toBe(nano('0.99'));
  expect(await bed.run('accounts', 'grant', 'acme', '0.5')).toMatchObject({ exitCode: 0 });
  expect(await books.balance('acme')).toBe(nano('1.49'));
  await books.verify();
});

test(
  'a killed gateway can be restarted without losing money',
  async () => {
    await bed.kill();
    await bed.start();
    expect((await ask()).status).toBe(200);
    expect(await books.balance('acme')).toBe(nano('1.48'));
    await books.verify();
  },
  TIMEOUT_MS,
);

test('an opening balance is granted once, however often the gateway starts', async () => {
  const grants = (await books.entries()).filter(({ kind }) => kind === 'grant');
  expect(grants.map(({ amount_nano }) => amount_nano)).toEqual([nano('1'), nano('0.5')]);
});

test(
  'commands work after the gateway has stopped, and it can start again',
  async () => {
    await bed.nodes[0]!.stop();
    expect(await books.balance('acme')).toBe(nano('1.48'));
    await books.verify();
    await bed.start();
    expect((await ask()).status).toBe(200);
  },
  TIMEOUT_MS,
);
