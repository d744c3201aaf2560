import type { RolledUp, UsageDelta, UsageQuery, UsageStore, UsageSum } from '../../engine/ports/usage-store.ts';
import { MEASURE_COLUMNS, NOTHING_USED, toUsageValues, USAGE_COLUMNS } from '../shared/tables/usage.ts';
import { COLUMN_OF, type SumRow, sumsOf } from '../sql/usage/sum-statements.ts';
import { removeWhere } from './remove-where.ts';

const MINUTE_MS = 60_000;
/** Rows beyond it are rolled up into their minutes. */
const CAPACITY = 10_000;

/** Usage sums by minute in this process's memory. */
export class MemoryUsage implements UsageStore {
  #rows: UsageDelta[] = [];
  /** Keyed by minute and dimensions. */
  readonly #rolled = new Map<string, UsageDelta>();

  add(rows: readonly UsageDelta[]): void {
    this.#rows.push(...rows);
    if (this.#rows.length > CAPACITY) this.#roll(this.#rows.length);
  }

  async roll(limit: number): Promise<RolledUp> {
    const moved = this.#roll(limit);
    return { moved, isMore: moved === limit };
  }

  async sum(query: UsageQuery): Promise<readonly UsageSum[]> {
    const columns = query.groupBy.map((dimension) => COLUMN_OF[dimension]);
    const rows = [...this.#rolled.values(), ...this.#rows].filter((row) => isWanted(row, query)).map(toSumRow);
    // One row each; they are merged by the requested groups.
    const grouped = rows.map((row) => {
      const kept = new Set<string>(['is_new', 'place', ...MEASURE_COLUMNS, ...columns]);
      return Object.fromEntries(Object.entries(row).filter(([column]) => kept.has(column))) as SumRow; // These are its columns.
    });
    return sumsOf(grouped, query);
  }

  async sums(queries: readonly UsageQuery[]): Promise<readonly (readonly UsageSum[])[]> {
    return Promise.all(queries.map((query) => this.sum(query)));
  }

  removeTagsOf(accountId: string, isCounted: boolean): number {
    const isTagOfIt = (row: UsageDelta) => row.accountId === accountId && row.tag !== '';
    return removeWhere(this.#rows, isCounted, isTagOfIt) + removeWhere(this.#rolled, isCounted, isTagOfIt);
  }

  #roll(limit: number): number {
    const taken = this.#rows.slice(0, limit);
    this.#rows = this.#rows.slice(taken.length);
    for (const row of taken) {
      const atMs = minuteOf(row.atMs);
      const { accountId, keyId, modelId, channelId, status, tag } = row;
      const place = JSON.stringify([atMs, accountId, keyId, modelId, channelId, status, tag]);
      this.#rolled.set(place, sumOf(this.#rolled.get(place) ?? { ...row, ...NOTHING_USED, atMs }, row));
    }
    return taken.length;
  }
}

function sumOf(one: UsageDelta, other: UsageDelta): UsageDelta {
  const counts = Object.fromEntries(
    Object.keys(NOTHING_USED).map((name) => {
      const measure = name as keyof typeof NOTHING_USED; // A name of that object.
      const [a, b] = [one[measure], other[measure]];
      if (typeof a === 'bigint' || typeof b === 'bigint') return [measure, BigInt(a) + BigInt(b)];
      return [measure, measure === 'latencyMsMax' ? Math.max(a, b) : a + b];
    }),
  );
  return { ...one, ...counts };
}

function isWanted(row: UsageDelta, query: UsageQuery): boolean {
  const { accountIds, keyIds, modelIds, channelIds, statuses, tags, spans } = query;
  const among = <Value>(wanted: readonly Value[] | undefined, value: Value) => wanted?.includes(value) !== false;
  return (
    (accountIds === null ? row.tag === '' : accountIds === 'every' || accountIds.includes(row.accountId)) &&
    among(keyIds, row.keyId) &&
    among(modelIds, row.modelId) &&
    among(channelIds, row.channelId) &&
    among(statuses, row.status) &&
    isTagged(row.tag, tags) &&
    spans.some(({ fromMs, toMs }) => row.atMs >= fromMs && row.atMs < toMs)
  );
}

function isTagged(tag: string, tags: UsageQuery['tags']): boolean {
  if (tags === null) return tag === '';
  return 'tag' in tags ? tag === tags.tag : tag === '' || tag.startsWith(`${tags.key}=`);
}

function toSumRow(row: UsageDelta): SumRow {
  const values = toUsageValues(row);
  const columns = Object.fromEntries(USAGE_COLUMNS.map((column, index) => [column, values[index]]));
  return { ...columns, is_new: 1, place: minuteOf(row.atMs) } as SumRow; // The names are those of the columns.
}

function minuteOf(atMs: number): number {
  return Math.floor(atMs / MINUTE_MS) * MINUTE_MS;
}
