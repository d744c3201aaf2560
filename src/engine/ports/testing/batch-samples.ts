import { type Batch, NO_BATCH_USAGE, NO_LINES } from '../../../domain/batches/batch.ts';
import type { RelayedBatch } from '../../../domain/batches/relayed-batch.ts';
import type { StoredFile } from '../../../domain/batches/stored-file.ts';

const AT_MS = 1_790_000_000_000;

/** Returns a file that is not whole; values of `fields` replace its own. */
export function sampleFile(fields: Partial<StoredFile> = {}): StoredFile {
  return {
    id: 'file-1',
    accountId: 'acme',
    keyId: 'ci',
    purpose: 'batch',
    name: 'Ünïcode 🚦.jsonl',
    bytes: 0,
    createdAtMs: AT_MS,
    expiresAtMs: AT_MS + 1_000,
    isWhole: false,
    ...fields,
  };
}

/** Returns a batch whose input is not read yet; values of `fields` replace its own. */
export function sampleBatch(fields: Partial<Batch> = {}): Batch {
  return {
    id: 'batch_1',
    accountId: 'acme',
    keyId: 'ci',
    api: 'openai',
    endpoint: '/v1/chat/completions',
    inputFileId: 'file-1',
    createdAtMs: AT_MS,
    deadlineMs: AT_MS + 86_400_000,
    keepOutputMs: null,
    stage: 'validating',
    lines: 0,
    counts: NO_LINES,
    usage: NO_BATCH_USAGE,
    costNanoUsd: 0n,
    notes: { metadata: { for: 'tests' }, errors: [], model: null },
    startedAtMs: null,
    cancelAskedAtMs: null,
    finalizingAtMs: null,
    endedAtMs: null,
    expiresAtMs: null,
    outputFileId: null,
    errorFileId: null,
    owner: null,
    claim: 0,
    ...fields,
  };
}

/** Returns a batch at a provider that collects lines; values of `fields` replace its own. */
export function sampleRelay(fields: Partial<RelayedBatch> = {}): RelayedBatch {
  return {
    ...{ id: 'relay_1', batchId: 'batch_1', place: 'openai', endpoint: '/v1/chat/completions', model: 'up' },
    ...{ stage: 'collecting', lines: 0, bytes: 0, createdAtMs: AT_MS },
    ...{ submittedAtMs: null, upstreamFileId: null, upstreamId: null },
    ...fields,
  };
}
