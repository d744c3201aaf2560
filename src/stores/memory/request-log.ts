import type {
  LogPlace,
  RequestLog,
  RequestLogPage,
  RequestLogQuery,
  RequestRecord,
  WrittenLine,
  WrittenPlace,
} from '../../engine/ports/request-log.ts';
import { matchesQuery } from '../../engine/ports/request-log-match.ts';
import { usageOfLines } from '../shared/tables/usage.ts';
import { removeWhere } from './remove-where.ts';
import type { MemoryUsage } from './usage.ts';

const CAPACITY = 10_000;

export class MemoryRequestLog implements RequestLog {
  readonly #usage: MemoryUsage;
  /** In append order. */
  readonly #lines: WrittenLine[] = [];
  #lastId = 0;

  constructor(usage: MemoryUsage) {
    this.#usage = usage;
  }

  append({ summedTags, savedNanoUsd, ...record }: RequestRecord): void {
    this.#lines.push({ id: ++this.#lastId, record });
    if (this.#lines.length > CAPACITY) this.#lines.shift();
    const summed = {
      ...(summedTags !== undefined && { summedTags }),
      ...(savedNanoUsd !== undefined && { savedNanoUsd }),
    };
    this.#usage.add(usageOfLines([{ ...record, ...summed }]));
  }

  records(): readonly RequestRecord[] {
    return this.#lines.map(({ record }) => record);
  }

  async flush(): Promise<void> {}

  async recent(limit: number): Promise<readonly RequestRecord[]> {
    return this.#newestFirst()
      .slice(0, Math.max(0, limit))
      .map(({ record }) => record);
  }

  async page(query: RequestLogQuery, after: LogPlace | null, limit: number): Promise<RequestLogPage> {
    const lines = this.#newestFirst().filter((line) => isAfter(line, after) && matchesQuery(line.record, query));
    const last = lines[limit - 1];
    const isMore = lines.length > limit && last !== undefined;
    return {
      records: lines.slice(0, limit).map(({ record }) => record),
      next: isMore ? { atMs: last.record.atMs, id: last.id } : null,
    };
  }

  async written({ topId }: WrittenPlace, limit: number): Promise<readonly WrittenLine[]> {
    return this.#lines.filter(({ id }) => id > topId).slice(0, limit);
  }

  async lastWritten(limit: number): Promise<readonly number[]> {
    return this.#lines
      .slice(-limit)
      .reverse()
      .map(({ id }) => id);
  }

  async find(requestId: string): Promise<RequestRecord | null> {
    return this.#lines.find(({ record }) => record.requestId === requestId)?.record ?? null;
  }

  removeOf(accountId: string, isCounted: boolean): number {
    return removeWhere(this.#lines, isCounted, ({ record }) => record.accountId === accountId);
  }

  #newestFirst(): readonly WrittenLine[] {
    return this.#lines.toSorted((a, b) => b.record.atMs - a.record.atMs || b.id - a.id);
  }
}

function isAfter({ id, record: { atMs } }: WrittenLine, after: LogPlace | null): boolean {
  return after === null || atMs < after.atMs || (atMs === after.atMs && id < after.id);
}
