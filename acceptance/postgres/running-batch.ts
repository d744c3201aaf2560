import { NO_BATCH_USAGE } from '../../src/domain/batches/batch.ts';
import { resultLine } from '../../src/engine/batches/batch-line.ts';
import { chargeText } from '../../src/engine/batches/line-run.ts';
import type { Store } from '../../src/engine/ports/store.ts';
import { sampleBatch, sampleFile } from '../../src/engine/ports/testing/batch-samples.ts';
import { sampleCharge } from '../../src/engine/ports/testing/samples.ts';

/* A batch in the middle of its work: one line has its result, the charge of one is noted only, and one waits for a key that is gone. */

export const BATCH_ID = 'batch_in_the_middle';
const ENDPOINT = '/v1/chat/completions';
const COST = 7n;
const CLAIM = 3;
const DAY_MS = 86_400_000;

export const NOTED_REQUEST = 'req_of_a_noted_charge';

export async function addRunningBatch({ files, batches }: Store, accountId: string): Promise<void> {
  const owned = { accountId, keyId: 'a-key-that-is-gone', createdAtMs: Date.now() };
  const line = (number: number) =>
    JSON.stringify({ custom_id: `line-${number}`, method: 'POST', url: ENDPOINT, body: { model: 'sandbox-chat' } });
  const text = `${[1, 2, 3].map(line).join('\n')}\n`;
  const bytes = line(1).length;
  const file = sampleFile({ ...owned, id: 'file-of-a-batch', expiresAtMs: owned.createdAtMs + DAY_MS });
  await files.create(file);
  await files.append(file.id, 0, Buffer.from(text));
  await files.finish(file.id, text.length, file.expiresAtMs);
  const batch = sampleBatch({
    ...{ ...owned, id: BATCH_ID, inputFileId: file.id, endpoint: ENDPOINT, stage: 'running', lines: 3 },
    ...{ deadlineMs: owned.createdAtMs + DAY_MS, startedAtMs: owned.createdAtMs, owner: 'node_gone', claim: CLAIM },
  });
  await batches.create(batch);
  const waiting = [1, 2, 3].map((number) => ({ number, offset: (number - 1) * (bytes + 1), bytes }));
  await batches.addLines(BATCH_ID, CLAIM, waiting);
  const json = (number: number, requestId: string) =>
    resultLine({ batchId: BATCH_ID, number, customId: `line-${number}`, requestId, status: 200, body: '{}' });
  const result = { costNanoUsd: 0n, usage: NO_BATCH_USAGE };
  const first = { ...result, number: 1, outcome: 'succeeded', json: json(1, 'req_1') } as const;
  await batches.finishLines(BATCH_ID, CLAIM, [first]);
  const charge = sampleCharge({ accountId, keyId: owned.keyId, requestId: NOTED_REQUEST, costNanoUsd: COST });
  const noted = { number: 2, json: json(2, NOTED_REQUEST), costNanoUsd: COST, usage: NO_BATCH_USAGE };
  await batches.noteCharge(BATCH_ID, CLAIM, { ...noted, charge: chargeText(charge) });
  // The batch reads it nevertheless.
  await files.delete(file.id, accountId);
}
