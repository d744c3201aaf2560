import { describe, expect, test } from 'bun:test';
import type { ExportBatch, ExportedLine, ExportSettings } from '../ports/export-destination.ts';
import type { ExportProgress, ExportStore, StoredExport } from '../ports/export-store.ts';
import type { RequestLog, WrittenLine } from '../ports/request-log.ts';
import { sampleRecord } from '../ports/testing/samples.ts';
import { Exporter } from './exporter.ts';
import { LATE_MS } from './place-tracker.ts';

const SETTINGS: ExportSettings = {
  id: 'lake',
  to: {
    kind: 'clickhouse',
    table: { url: 'http://localhost', database: 'default', table: 'requests', user: 'default', password: '' },
  },
  names: false,
  start: 'oldest',
  intervalMs: 0,
  maxRows: 1_000,
  maxBytes: 1_000_000,
};

class Clock {
  ms = 1_790_000_000_000;
  nowMs = () => this.ms;
  monotonicMs = () => this.ms;
}

/** The log and the store of several exporters. */
class World implements ExportStore {
  readonly clock = new Clock();
  readonly lines = new Map<number, WrittenLine>();
  readonly sent: (readonly number[])[] = [];
  readonly warnings: string[] = [];
  skips = 0;
  failures = 0;
  stored: (StoredExport & { readonly untilMs: number }) | null = null;
  /** Called with the ids of each batch before it is sent. */
  sending: (ids: readonly number[]) => void | Promise<void> = () => {};
  /** Called before progress is stored. */
  saving: (progress: ExportProgress) => void = () => {};

  write(...ids: readonly number[]): void {
    for (const id of ids) {
      this.lines.set(id, { id, record: sampleRecord({ requestId: `req_${id}`, atMs: this.clock.ms }) });
    }
  }

  readonly log: Pick<RequestLog, 'written' | 'lastWritten'> = {
    written: async ({ topId, missing }, limit) => {
      const all = [...this.lines.values()].sort((one, other) => one.id - other.id);
      const late = all.filter(({ id }) => missing.includes(id));
      return [...late, ...all.filter(({ id }) => id > topId).slice(0, limit)];
    },
    lastWritten: async (limit) => [...this.lines.keys()].sort((one, other) => other - one).slice(0, limit),
  };

  exporter(holder: string, change: Partial<ExportSettings> = {}): Exporter {
    return new Exporter({
      settings: { ...SETTINGS, ...change },
      destination: async () => ({
        open: () => new Batch(this),
        check: async () => [],
        close: async () => undefined,
      }),
      store: this,
      log: this.log,
      directory: { names: async () => ({ accounts: [], channels: [], keys: [] }) },
      clock: this.clock,
      logger: { debug() {}, info() {}, error() {}, warn: (_fields, message) => void this.warnings.push(message) },
      counters: {
        exported() {},
        skipped: (_id, lines) => {
          this.skips += lines;
        },
        failed: () => void this.failures++,
      },
      holder,
      random: () => 1,
      pause: async () => undefined,
    });
  }

  async claim(exportId: string, { holder, nowMs, forMs, initial }: Parameters<ExportStore['claim']>[1]) {
    const { stored } = this;
    if (stored !== null && stored.holder !== null && stored.holder !== holder && stored.untilMs > nowMs) return null;
    this.stored = { exportId, holder, untilMs: nowMs + forMs, progress: stored?.progress ?? initial };
    return this.stored;
  }

  async save(_exportId: string, holder: string, progress: ExportProgress) {
    this.saving(progress);
    if (this.stored?.holder !== holder) return false;
    this.stored = { ...this.stored, progress };
    return true;
  }

  async release(_exportId: string, holder: string) {
    if (this.stored?.holder === holder) this.stored = { ...this.stored, holder: null };
  }

  async list() {
    return this.stored === null ? [] : [this.stored];
  }

  get exportedIds(): readonly number[] {
    return this.sent.flat();
  }
}

class Batch implements ExportBatch {
  private ids: number[] = [];
  constructor(private readonly world: World) {}

  get size(): number {
    return this.ids.length;
  }

  async add(lines: readonly ExportedLine[]): Promise<void> {
    this.ids.push(...lines.map(({ id }) => id));
  }

  async send() {
    await this.world.sending(this.ids);
    this.world.sent.push(this.ids);
    return this.ids.includes(13) ? [{ requestId: 'req_13', reason: 'cost_usd is not a valid money' }] : [];
  }

  discard(): void {}
}

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

describe('an export of the request log', () => {
  test('every line is sent once, in batches', async () => {
    const world = new World();
    world.write(...upTo(2_500));
    await world.exporter('a').look();
    expect(world.sent.map(({ length }) => length)).toEqual([1_000, 1_000, 500]);
    expect(world.exportedIds).toEqual(upTo(2_500));
    expect(world.stored?.progress).toMatchObject({ exportedLines: 2_499, sending: null, lastRequestId: 'req_2500' });
  });

  test('lines wait for the interval unless a batch is full', async () => {
    const world = new World();
    const exporter = world.exporter('a', { intervalMs: 60_000, maxRows: 10 });
    world.write(...upTo(9));
    await exporter.look();
    expect(world.sent).toEqual([]);
    world.write(10);
    await exporter.look();
    expect(world.exportedIds).toEqual(upTo(10));
    world.write(11);
    await exporter.look();
    expect(world.exportedIds).toEqual(upTo(10));
    world.clock.ms += 60_000;
    await exporter.look();
    expect(world.exportedIds).toEqual(upTo(11));
  });

  test('a new export can begin with the next line', async () => {
    const world = new World();
    world.write(...upTo(5));
    const exporter = world.exporter('a', { start: 'now' });
    await exporter.look();
    world.write(6);
    await exporter.look();
    expect(world.exportedIds).toEqual([6]);
  });

  test('a batch ends at the limit of bytes', async () => {
    const world = new World();
    world.write(...upTo(1_200));
    await world.exporter('a', { maxBytes: 1 }).look();
    expect(world.sent.map(({ length }) => length)).toEqual([250, 250, 250, 250, 200]);
  });

  test('a line that appears after later ones is sent, and a number that never appears is forgotten', async () => {
    const world = new World();
    const exporter = world.exporter('a');
    world.write(1, 2, 5, 6);
    await exporter.look();
    world.write(4);
    await exporter.look();
    expect(world.exportedIds).toEqual([1, 2, 5, 6, 4]);
    expect(world.stored?.progress.place.missing).toMatchObject([{ firstId: 3, lastId: 3 }]);
    world.clock.ms += LATE_MS + 1;
    await exporter.look();
    expect(world.stored?.progress.place).toEqual({ topId: 6, missing: [] });
  });

  test('a batch that was sent before its process died is sent again with the same lines', async () => {
    const world = new World();
    world.write(1, 2, 5);
    world.saving = ({ sending, exportedLines }) => {
      if (sending === null && exportedLines > 0) throw new Error('killed');
    };
    await world.exporter('a').look();
    expect(world.exportedIds).toEqual([1, 2, 5]);
    world.saving = () => {};
    world.write(3, 6, 7);
    world.clock.ms += 61_000;
    await world.exporter('b').look();
    expect(world.sent).toEqual([
      [1, 2, 5],
      [1, 2, 5],
      [3, 6, 7],
    ]);
  });

  test('a batch that was decided but not sent is sent by the next process', async () => {
    const world = new World();
    world.write(...upTo(700));
    world.sending = () => {
      throw new Error('killed');
    };
    await world.exporter('a', { maxRows: 600 }).look();
    world.sending = () => {};
    world.clock.ms += 61_000;
    await world.exporter('b', { maxRows: 600 }).look();
    expect(world.exportedIds).toEqual(upTo(700));
    expect(world.sent[0]).toHaveLength(600);
  });

  test('a process that has lost its claim does not move the place', async () => {
    const world = new World();
    world.write(...upTo(3));
    world.sending = async () => {
      world.clock.ms += 61_000;
      world.sending = () => {};
      await world.exporter('b').look();
      world.write(4);
    };
    const slow = world.exporter('a');
    await slow.look();
    expect(world.stored?.progress).toMatchObject({ place: { topId: 3 }, exportedLines: 3 });
    expect(world.stored?.holder).toBe('b');
  });

  test('a process keeps its claim while it sends for longer than a claim lasts', async () => {
    const world = new World();
    world.write(...upTo(3));
    const slow = world.exporter('a');
    const other = world.exporter('b');
    world.sending = async () => {
      for (let second = 0; second < 200; second++) {
        world.clock.ms += 1_000;
        void slow.look();
        await other.look();
      }
    };
    await slow.look();
    expect(world.sent).toEqual([[1, 2, 3]]);
    expect(world.stored).toMatchObject({ holder: 'a', progress: { place: { topId: 3 }, sending: null } });
  });

  test('a second process waits while the first has the claim', async () => {
    const world = new World();
    const first = world.exporter('a');
    await first.look();
    world.write(1);
    await world.exporter('b').look();
    expect(world.sent).toEqual([]);
    await first.stop();
    await world.exporter('c').look();
    expect(world.exportedIds).toEqual([1]);
  });

  test('failures are retried with growing pauses, and shown until a batch is sent', async () => {
    const world = new World();
    world.write(1);
    world.sending = () => {
      throw new Error('the destination is unavailable');
    };
    const exporter = world.exporter('a');
    await exporter.look();
    await exporter.look();
    expect(world.failures).toBe(1);
    world.clock.ms += 1_000;
    await exporter.look();
    world.clock.ms += 1_000;
    await exporter.look();
    expect(world.failures).toBe(2);
    expect(world.warnings).toEqual(['the request log could not be exported; retrying']);
    expect(world.stored?.progress.failure?.message).toContain('the destination is unavailable');
    world.sending = () => {};
    world.clock.ms += 2_000;
    await exporter.look();
    expect(world.exportedIds).toEqual([1]);
    expect(world.stored?.progress.failure).toBeNull();
  });

  test('a line that cannot be exported is counted and does not stop the others', async () => {
    const world = new World();
    world.write(12, 13, 14);
    await world.exporter('a').look();
    expect(world.stored?.progress).toMatchObject({ exportedLines: 2, skippedLines: 1, place: { topId: 14 } });
    expect(world.skips).toBe(1);
  });

  test('a log that was emptied, and numbers its lines from 1 again, is exported from the start', async () => {
    const world = new World();
    const exporter = world.exporter('a');
    world.write(...upTo(5));
    await exporter.look();
    world.lines.clear();
    await exporter.look();
    world.write(1, 2);
    await exporter.look();
    expect(world.exportedIds).toEqual([...upTo(5), 1, 2]);
  });

  test('a deleted line whose number is used again does not hide the new one', async () => {
    const world = new World();
    const exporter = world.exporter('a');
    world.write(...upTo(5));
    await exporter.look();
    world.lines.set(5, { id: 5, record: sampleRecord({ requestId: 'another' }) });
    await exporter.look();
    expect(world.exportedIds).toEqual([...upTo(5), ...upTo(5)]);
  });

  test('a log that was replaced while no export ran is exported from the start', async () => {
    const world = new World();
    world.write(...upTo(5));
    const first = world.exporter('a');
    await first.look();
    await first.stop();
    world.lines.clear();
    for (const id of upTo(9)) world.lines.set(id, { id, record: sampleRecord({ requestId: `other_${id}` }) });
    await world.exporter('b').look();
    expect(world.exportedIds).toEqual([...upTo(5), ...upTo(9)]);
  });
});
