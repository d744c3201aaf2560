import type { OutcomeCount } from '../../domain/catalog/preference.ts';
import { modelOutcome } from '../../domain/failure/model-outcome.ts';
import type { OutcomeSource } from '../../engine/ports/outcomes.ts';
import type { RequestRecord } from '../../engine/ports/request-log.ts';

export class MemoryOutcomes implements OutcomeSource {
  readonly #records: () => readonly RequestRecord[];

  constructor(records: () => readonly RequestRecord[]) {
    this.#records = records;
  }

  async count(fromMs: number, toMs: number): Promise<readonly OutcomeCount[]> {
    const sums = new Map<string, OutcomeCount>();
    for (const record of this.#records()) {
      const { modelId, atMs } = record;
      const outcome = modelOutcome(record);
      if (modelId === null || outcome === null || atMs < fromMs || atMs >= toMs) continue;
      const { succeeded, failed } = sums.get(modelId) ?? { succeeded: 0, failed: 0 };
      const isSuccess = outcome === 'succeeded';
      sums.set(modelId, { modelId, succeeded: succeeded + Number(isSuccess), failed: failed + Number(!isSuccess) });
    }
    return [...sums.values()];
  }
}
