import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readFile, writeFile } from 'node:fs/promises';
import type { CacheEntry } from '../../domain/cache/cache.ts';
import type { CacheStore } from '../../engine/ports/cache-store.ts';
import {
  answerOf,
  cacheEntryId,
  sampleCacheEntry,
  sampleQuestion,
} from '../../engine/ports/testing/sample-cache-entry.ts';
import { sampleCacheReport } from '../../engine/ports/testing/samples.ts';
import { DEFAULT_CACHE } from '../../engine/settings/settings.ts';
import { CommandFixture } from './testing/command-fixture.ts';

let fixture: CommandFixture;

beforeEach(async () => {
  fixture = await CommandFixture.create();
  await run('accounts', 'create', 'acme');
});

afterEach(() => fixture.remove());

const run = (...args: string[]) => fixture.outputOf(args);

const secret = async () => (await readFile(fixture.path('data/master-secret'), 'utf8')).trim();

async function inCache<Result>(use: (cache: CacheStore) => Result | Promise<Result>): Promise<Result> {
  const cache = await fixture.openCache({
    ...{ settings: DEFAULT_CACHE, dataDirectory: fixture.path('data'), redisUrl: null },
    secret: await secret(),
  });
  try {
    return await use(cache);
  } finally {
    await cache.close();
  }
}

const idOf = (number: number) => cacheEntryId(String(number));

/** Returns an entry that is ten minutes old. */
function entryOf(number: number, fields: Partial<CacheEntry> = {}): CacheEntry {
  const storedAtMs = fixture.clock.nowMs() - 600_000;
  const channel = { id: 'main', name: 'Main\u001b[2J', provider: 'openai', channelType: 'PLATFORM' } as const;
  const times = { storedAtMs, expiresAtMs: storedAtMs + 86_400_000 };
  return sampleCacheEntry(String(number), { channel, ...times, answer: answerOf('"geheim"'), ...fields });
}

const put = (...entries: CacheEntry[]) =>
  inCache((cache) => {
    for (const entry of entries) cache.put(entry);
  });

async function report(fields: Parameters<typeof sampleCacheReport>[0]): Promise<void> {
  const store = await fixture.openStore(await secret());
  const atMs = fixture.clock.nowMs() - 300_000;
  await store.cacheReports.add(sampleCacheReport({ atMs, ...fields }), 100).finally(() => store.close());
}

const cellsOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));

describe('stats and list', () => {
  test('report that there is nothing', async () => {
    expect(await run('cache', 'list')).toBe('No entries found.\n');
    expect(await run('cache', 'reports')).toBe('No reports found.\n');
    expect(await run('cache', 'list', '--json')).toBe('[]\n');
    expect(JSON.parse(await run('cache', 'stats', '--json'))).toMatchObject({ kind: 'disk', entries: 0 });
  });

  test('show totals and owners', async () => {
    await put(entryOf(1));
    fixture.clock.advance(1);
    await put(entryOf(2, { accountId: 'other', isShared: true, question: sampleQuestion('p', 'geheim') }));
    expect(await run('cache', 'stats')).toMatch(/^kind +disk\nentries +2\nbytes +\d+\nmost bytes +1073741824\n$/);
    const list = await run('cache', 'list');
    expect(cellsOf(list)).toEqual([
      ['ENTRY', 'AGE', 'ENDS IN', 'ACCOUNT', 'MODEL', 'CHANNEL', 'BYTES', 'FOR'],
      [idOf(2), '10 min', '24 h', 'other', 'gpt-4o-mini', 'main', expect.any(String), 'equivalent requests of all'],
      [idOf(1), '10 min', '24 h', 'acme', 'gpt-4o-mini', 'main', expect.any(String), 'equal requests'],
    ]);
    expect(list).not.toContain('geheim');
    const json = JSON.parse(await run('cache', 'list', '--account', 'acme', '--limit', '1', '--json'));
    expect(json).toMatchObject([{ id: idOf(1), account: 'acme', semantic: false, bytes: expect.any(Number) }]);
  });

  test.each([
    [['list', '--limit', 'all'], 2, /whole number/],
    [['list', '--limit', '1001'], 1, /^switchyard: limit: must be a whole number from 1 to 1000\n$/],
    [['reports', '--limit', '0'], 1, /^switchyard: limit:/],
    [['show'], 2, /missing required argument/],
    [['purge'], 2, /unknown command/],
  ])('reject %p', async (args, code, said) => {
    const { exitCode, stderr } = await fixture.run(['cache', ...args]);
    expect([exitCode, stderr]).toEqual([code, expect.stringMatching(said)]);
  });
});

describe('one entry', () => {
  test('is shown without its request and response', async () => {
    await put(entryOf(1));
    await report({ entryId: idOf(1) });
    const shown = await run('cache', 'show', idOf(1));
    expect(shown).toMatch(/^channel name +Main�\[2J$/m);
    expect(shown).not.toMatch(/geheim|null|undefined|\[object/);
    expect(JSON.parse(await run('cache', 'show', idOf(1), '--json'))).toMatchObject({ id: idOf(1), reports: 1 });
  });

  test('is invalidated once, marked in its reports, and blocked for the configured time', async () => {
    await put(entryOf(1));
    await report({ entryId: idOf(1), description: `It\u202e is ${'wrong '.repeat(20)}` });
    await writeFile(fixture.path('c.yaml'), 'cache: {feedback: {block_minutes: 5}}\n');
    expect(await run('--config', fixture.path('c.yaml'), 'cache', 'invalidate', idOf(1))).toBe(
      `invalidated ${idOf(1)}; nothing is cached for the same request for 5 min\n`,
    );
    expect(await inCache((cache) => cache.findById(idOf(1)))).toBeNull();
    const { exitCode, stderr } = await fixture.run(['cache', 'invalidate', idOf(1)]);
    expect([exitCode, stderr]).toEqual([1, `switchyard: entry: "${idOf(1)}" was already invalidated\n`]);
    expect(cellsOf(await run('cache', 'reports', '--entry', idOf(1)))).toEqual([
      ['ENTRY', 'AGE', 'ACCOUNT', 'KEY', 'MODEL', 'TYPE', 'INVALIDATED', 'DESCRIPTION'],
      [
        idOf(1),
        '5 min',
        'acme',
        'ci',
        'gpt-4o-mini',
        'wrong_answer',
        '1 s ago',
        expect.stringMatching(/^It� is wrong.*…$/),
      ],
    ]);
    expect(JSON.parse(await run('cache', 'reports', '--account', 'other', '--json'))).toEqual([]);
  });

  test('is reported as missing if it does not exist', async () => {
    for (const verb of ['show', 'invalidate']) {
      const { exitCode, stderr } = await fixture.run(['cache', verb, 'ce_x']);
      expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^switchyard: entry: there is no entry "ce_x"/)]);
    }
  });
});

describe('clear', () => {
  test('does nothing without --yes, then what it announced', async () => {
    await put(entryOf(1), entryOf(2), entryOf(3, { accountId: 'other' }));
    expect(await run('cache', 'clear')).toBe('nothing changed; add --yes to remove all entries\n');
    expect(await run('cache', 'clear', '--account', 'acme', '--yes')).toBe('removed 2 entries\n');
    expect((await fixture.run(['cache', 'clear', '--account', 'acmee', '--yes'])).stderr).toContain(
      'did you mean "acme"',
    );
    expect(await run('cache', 'clear', '--yes')).toBe('removed 1 entry\n');
    expect(await run('cache', 'list')).toBe('No entries found.\n');
  });
});

describe('the configuration', () => {
  const withFile = async (text: string, ...args: string[]) => {
    await writeFile(fixture.path('c.yaml'), text);
    return fixture.run(['--config', fixture.path('c.yaml'), 'cache', ...args]);
  };

  test('without a disk or Redis cache leaves nothing to do', async () => {
    const { exitCode, stderr } = await withFile('cache: {disk_mb: 0}\n', 'list');
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^switchyard: cache\.disk_mb is 0/)]);
  });

  test('that is invalid is ignored', async () => {
    await put(entryOf(1));
    const { exitCode, stderr, stdout } = await withFile('cache: {disk_mb: no}\n', 'invalidate', idOf(1));
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('for 60 min')]);
    expect(stderr).toBe('notice: the configuration cannot be read here, so the default cache settings are assumed\n');
  });
});
