import type { HealthRow, HealthStore } from '../../engine/ports/health-store.ts';

export class MemoryHealth implements HealthStore {
  readonly #hasChannel: (channelId: string) => boolean;
  /** Keyed by channel, then upstream model. */
  readonly #rows = new Map<string, Map<string, HealthRow>>();

  constructor(hasChannel: (channelId: string) => boolean) {
    this.#hasChannel = hasChannel;
  }

  async read(channelIds?: readonly string[]): Promise<readonly HealthRow[]> {
    const rows = sorted(this.#rows).flatMap((models) => sorted(models));
    return channelIds === undefined ? rows : rows.filter(({ channelId }) => channelIds.includes(channelId));
  }

  async write(rows: readonly HealthRow[]): Promise<void> {
    for (const row of rows) {
      if (!this.#hasChannel(row.channelId)) continue;
      const models = this.#rows.get(row.channelId) ?? new Map<string, HealthRow>();
      this.#rows.set(row.channelId, models.set(row.upstreamModel, { ...row }));
    }
  }

  forget(channelId: string): void {
    this.#rows.delete(channelId);
  }
}

function sorted<Value>(values: ReadonlyMap<string, Value>): Value[] {
  return [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}
