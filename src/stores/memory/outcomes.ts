import { OutcomeTally } from '../../domain/catalog/outcome-tally.ts';
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
    const tally = new OutcomeTally();
    for (const record of this.#records()) {
      const { modelId, accountId, atMs } = record;
      const outcome = modelOutcome(record);
      if (modelId === null || outcome === null || atMs < fromMs || atMs >= toMs) continue;
      tally.add(modelId, accountId, Number(outcome === 'succeeded'), Number(outcome === 'failed'));
    }
    return tally.counts();
  }
}
