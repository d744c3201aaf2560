import { afterEach, describe, expect, test } from 'bun:test';
import { pause, until } from '../../../domain/testing/until.ts';
import type { NamedIds } from '../../ports/directory-store.ts';
import type { RequestLogQuery, RequestRecord, WrittenLine, WrittenPlace } from '../../ports/request-log.ts';
import { sampleRecord } from '../../ports/testing/samples.ts';
import { LiveRequests } from './live-requests.ts';

/** A log whose lines become visible with the numbers that a test chooses, as with several nodes. */
class Log {
  readonly lines: WrittenLine[] = [];
  reads = 0;
  /** The number up to which the log was last read. */
  readTo = 0;

  write(id: number, fields: Partial<RequestRecord> = {}): void {
    this.lines.push({ id, record: sampleRecord({ requestId: String(id), ...fields }) });
    this.lines.sort((a, b) => a.id - b.id);
  }

  async written({ topId, missing }: WrittenPlace, limit: number): Promise<readonly WrittenLine[]> {
    this.reads++;
    this.readTo = topId;
    return this.lines.filter(({ id }) => id > topId || missing.includes(id)).slice(0, limit);
  }

  async lastWritten(limit: number): Promise<readonly number[]> {
    return this.lines
      .slice(-limit)
      .map(({ id }) => id)
      .reverse();
  }
}

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const allowed = async () => true;
const SETTINGS = { mostOfAccount: 3, most: 4, mostLines: 5 };
let open: LiveRequests[] = [];
let timers: Timer[] = [];

afterEach(() => {
  for (const live of open) live.close();
  for (const timer of timers) clearInterval(timer);
  open = [];
  timers = [];
});

const CURSORS = { seal: (cursor: string) => cursor, open: (id: string) => id };

const NAMES = {
  names: async ({ accounts }: NamedIds) => ({
    accounts: accounts.map((id) => ({ id, name: `The account ${id}` })),
    channels: [],
    keys: [],
  }),
};

function liveOver(log: Log): LiveRequests {
  const clock = { monotonicMs: () => 0 };
  const ports = { log, names: NAMES, clock, sleep: pause, logger: silent, cursors: CURSORS };
  const live = new LiveRequests(ports, SETTINGS);
  open.push(live);
  timers.push(setInterval(() => live.look(), 5));
  return live;
}

interface Seen {
  readonly ids: string[];
  skipped: number;
  lastId: string | null;
  reason: string | null;
}

const nothingSeen = (): Seen => ({ ids: [], skipped: 0, lastId: null, reason: null });

/** Reads until `isEnough`, as an EventSource does, and collects what it receives in `seen`. */
async function watch(
  stream: ReadableStream<Uint8Array>,
  isEnough: (seen: Seen) => boolean,
  seen: Seen = nothingSeen(),
): Promise<Seen> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return seen;
    for (const block of decoder.decode(value).split('\n\n')) {
      const fields = new Map(
        block.split('\n').map((line) => [line.split(': ')[0] ?? '', line.slice(line.indexOf(': ') + 2)]),
      );
      const data = fields.has('data') ? JSON.parse(fields.get('data') ?? '') : {};
      seen.lastId = fields.get('id') ?? seen.lastId;
      if (fields.get('event') === 'request') seen.ids.push(data.id);
      if (fields.get('event') === 'skipped') seen.skipped += data.count;
      if (fields.get('event') === 'end') seen.reason = data.reason;
    }
    if (isEnough(seen)) {
      await reader.cancel();
      return seen;
    }
  }
}

const opened = (live: LiveRequests, query: RequestLogQuery = {}, after: string | null = null, isComplete = false) =>
  live.open(query.accountId ?? null, { query, isComplete, isStillAllowed: allowed }, after);

describe('a watcher', () => {
  test('gets new lines that match the filters, once', async () => {
    const log = new Log();
    log.write(1);
    const live = liveOver(log);
    const seen = nothingSeen();
    const watching = watch(await opened(live, { accountId: 'acme' }), ({ ids }) => ids.length === 2, seen);
    log.write(2, { accountId: 'acme' });
    log.write(3, { accountId: 'other' });
    await until('the first has come', () => seen.ids.length === 1);
    log.write(4, { accountId: 'acme' });
    expect((await watching).ids).toEqual(['2', '4']);
  });

  test('misses no line that another node wrote late, and gets none twice', async () => {
    const log = new Log();
    log.write(10);
    const live = liveOver(log);
    const seen = nothingSeen();
    const watching = watch(await opened(live), ({ ids }) => ids.length === 4, seen);
    log.write(12);
    await until('it has come', () => seen.ids.length === 1);
    log.write(11);
    log.write(14);
    await until('both have come', () => seen.ids.length === 3);
    log.write(13);
    expect((await watching).ids).toEqual(['12', '11', '14', '13']);
  });

  test('resumes where it was cut off, before a line that arrived late', async () => {
    const log = new Log();
    log.write(1);
    const live = liveOver(log);
    const first = watch(await opened(live), ({ ids }) => ids.length === 1);
    log.write(3);
    const { lastId } = await first;
    log.write(2);
    log.write(4);
    const seen = nothingSeen();
    const again = watch(await opened(live, {}, lastId), ({ ids }) => ids.length === 3, seen);
    await until('both have come', () => seen.ids.length === 2);
    log.write(5);
    expect((await again).ids).toEqual(['2', '4', '5']);
  });

  test('resumes while others watch, without the lines they have seen', async () => {
    const log = new Log();
    const live = liveOver(log);
    const seen = nothingSeen();
    const other = watch(await opened(live), ({ ids }) => ids.length === 3, seen);
    log.write(1);
    log.write(2);
    await until('both have come', () => seen.ids.length === 2);
    const again = watch(await opened(live, {}, '1'), ({ ids }) => ids.length === 2);
    log.write(3);
    expect([(await other).ids, (await again).ids]).toEqual([
      ['1', '2', '3'],
      ['2', '3'],
    ]);
  });

  test('learns how many lines were skipped, and a slow one does not grow memory', async () => {
    const log = new Log();
    const live = liveOver(log);
    const stream = await opened(live);
    for (let id = 1; id <= 1_000; id++) log.write(id);
    await until('all were read', () => log.readTo === 1_000);
    const { ids, skipped } = await watch(stream, (seen) => seen.ids.length > 0);
    expect([ids, skipped]).toEqual([['996', '997', '998', '999', '1000'], 995]);
  });

  test('is disconnected once it is no longer allowed, or the check fails', async () => {
    const live = liveOver(new Log());
    let mayWatch = true;
    const isStillAllowed = async () => mayWatch;
    const stream = await live.open('acme', { query: {}, isComplete: false, isStillAllowed }, null);
    const broken = await live.open(
      'acme',
      { query: {}, isComplete: false, isStillAllowed: () => Promise.reject(new Error('away')) },
      null,
    );
    mayWatch = false;
    const ended = await Promise.all([watch(stream, () => false), watch(broken, () => false)]);
    expect(ended.map(({ reason }) => reason)).toEqual(['not_allowed', 'not_allowed']);
  });

  test('learns that the gateway stops', async () => {
    const live = liveOver(new Log());
    const watching = watch(await opened(live), () => false);
    live.close();
    expect((await watching).reason).toBe('shutting_down');
  });

  test('is refused if too many watch, in the account or in all, until one leaves', async () => {
    const live = liveOver(new Log());
    const streams = [];
    for (let count = 0; count < 3; count++) streams.push(await opened(live, { accountId: 'acme' }));
    await expect(opened(live, { accountId: 'acme' })).rejects.toThrow('3 live views of this account');
    streams.push(await opened(live, { accountId: 'other' }));
    await expect(opened(live)).rejects.toThrow('4 live views are already open at this gateway');
    await streams[0]?.cancel();
    await opened(live, { accountId: 'acme' });
  });

  test('cannot resume from an invalid event id', async () => {
    await expect(opened(liveOver(new Log()), {}, '1; DROP TABLE')).rejects.toThrow('after');
  });
});

describe('a complete view', () => {
  const ids = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

  test('delivers every line to a slow client, once and in order, and then new ones', async () => {
    const log = new Log();
    log.write(1);
    const live = liveOver(log);
    const stream = await opened(live, {}, null, true);
    for (let id = 2; id <= 3_000; id++) log.write(id);
    await until('more than it keeps was read', () => log.readTo === 3_000);
    const seen = nothingSeen();
    const watching = watch(stream, ({ ids: all }) => all.length === 3_002, seen);
    await until('some have come', () => seen.ids.length > 0);
    log.write(3_001);
    await until('the client has caught up', () => seen.ids.length === 3_000);
    log.write(3_002);
    log.write(3_003);
    expect((await watching).ids).toEqual(ids(2, 3_003));
    expect(seen.skipped).toBe(0);
  });

  test('resumes after thousands of lines that match no filter, and continues from its last cursor', async () => {
    const log = new Log();
    for (let id = 1; id <= 4_000; id++) log.write(id, { accountId: id % 1_000 === 0 ? 'acme' : 'other' });
    const live = liveOver(log);
    const query = { accountId: 'acme' };
    const first = await watch(await opened(live, query, '1', true), ({ ids: all }) => all.length === 2);
    expect(first.ids).toEqual(['1000', '2000']);
    const again = await watch(await opened(live, query, first.lastId, true), ({ ids: all }) => all.length === 2);
    expect(again.ids).toEqual(['3000', '4000']);
  });

  test('delivers a line that another node wrote late', async () => {
    const log = new Log();
    log.write(1);
    const live = liveOver(log);
    const seen = nothingSeen();
    const watching = watch(await opened(live, {}, '1', true), ({ ids: all }) => all.length === 3, seen);
    log.write(3);
    await until('it has come', () => seen.ids.length === 1);
    log.write(2);
    await until('the late one has come', () => seen.ids.length === 2);
    log.write(4);
    expect((await watching).ids).toEqual(['3', '2', '4']);
  });

  test('ends if the log cannot be read, so that the client connects again', async () => {
    const log = new Log();
    for (let id = 1; id <= 2_000; id++) log.write(id);
    const live = liveOver(log);
    const stream = await opened(live, { modelId: 'none' }, '1', true);
    log.written = () => Promise.reject(new Error('away'));
    expect((await watch(stream, () => false)).reason).toBeNull();
  });
});

test('the log is not read while nobody watches', async () => {
  const log = new Log();
  const live = liveOver(log);
  await (await opened(live)).cancel();
  const { reads } = log;
  for (let look = 0; look < 10; look++) await live.look();
  await pause();
  expect(log.reads).toBe(reads);
});
