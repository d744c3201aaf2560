import type {
  LogPlace,
  RequestLog,
  RequestLogPage,
  RequestLogQuery,
  RequestRecord,
} from '../../engine/ports/request-log.ts';
import { usageOfLines } from '../shared/tables/usage.ts';
import type { MemoryUsage } from './usage.ts';

const CAPACITY = 10_000;

interface Line {
  readonly id: number;
  readonly record: RequestRecord;
}

export class MemoryRequestLog implements RequestLog {
  readonly #usage: MemoryUsage;
  /** In the order of appending. */
  readonly #lines: Line[] = [];
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
    const lines = this.#newestFirst().filter((line) => isAfter(line, after) && matches(line.record, query));
    const last = lines[limit - 1];
    const isMore = lines.length > limit && last !== undefined;
    return {
      records: lines.slice(0, limit).map(({ record }) => record),
      next: isMore ? { atMs: last.record.atMs, id: last.id } : null,
    };
  }

  async find(requestId: string): Promise<RequestRecord | null> {
    return this.#lines.find(({ record }) => record.requestId === requestId)?.record ?? null;
  }

  #newestFirst(): readonly Line[] {
    return this.#lines.toSorted((a, b) => b.record.atMs - a.record.atMs || b.id - a.id);
  }
}

function isAfter({ id, record: { atMs } }: Line, after: LogPlace | null): boolean {
  return after === null || atMs < after.atMs || (atMs === after.atMs && id < after.id);
}

function matches(record: RequestRecord, query: RequestLogQuery): boolean {
  const { accountId, keyId, modelId, channelId, errorCode, failureKind, stream } = query;
  const facts = { accountId, keyId, modelId, channelId, errorCode, failureKind, stream };
  const { status, cached, tag, fromMs = 0, toMs = Number.POSITIVE_INFINITY, minLatencyMs = 0, minCostNanoUsd } = query;
  return (
    Object.entries(facts).every(
      ([name, value]) => value === undefined || record[name as keyof typeof facts] === value, // A name of `facts`.
    ) &&
    (status === undefined || (record.status >= status.from && record.status <= status.to)) &&
    (cached === undefined || (record.cacheMatch !== null) === cached) &&
    (tag === undefined || record.tags?.includes(tag) === true) &&
    record.atMs >= fromMs &&
    record.atMs < toMs &&
    record.latencyMs >= minLatencyMs &&
    (minCostNanoUsd === undefined || (record.costNanoUsd !== null && record.costNanoUsd >= minCostNanoUsd))
  );
}
