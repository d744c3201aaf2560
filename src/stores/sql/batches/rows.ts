import {
  BATCH_STAGES,
  type Batch,
  type BatchApi,
  type BatchChanges,
  type BatchNotes,
  type BatchUsage,
  FINAL_BATCH_STAGES,
  type LineCounts,
  type LineResult,
  type WaitingLine,
} from '../../../domain/batches/batch.ts';
import type { ContentBox } from '../../shared/content-box.ts';
import { fromJson } from '../../shared/tables/encoding.ts';
import type { SqlRow } from '../program.ts';

/** The condition of the partial indexes on open batches. Queries must repeat it literally to use them. */
export const IS_OPEN = `stage IN (${BATCH_STAGES.filter((stage) => !isFinalStage(stage))
  .map((stage) => `'${stage}'`)
  .join(', ')})`;

export const BATCH_COLUMNS = [
  'id',
  'account_id',
  'key_id',
  'api',
  'endpoint',
  'input_file_id',
  'created_at_ms',
  'deadline_ms',
  'keep_output_ms',
  'stage',
  'lines',
  'sums',
  'cost_nano',
  'started_at_ms',
  'cancel_asked_at_ms',
  'finalizing_at_ms',
  'ended_at_ms',
  'expires_at_ms',
  'output_file_id',
  'error_file_id',
  'owner',
  'claim',
  'sealed_notes',
] as const;

type Column = (typeof BATCH_COLUMNS)[number];
export type BatchValue = string | number | bigint | Uint8Array | null;

/** The JSON of the column `sums`. */
interface StoredSums {
  readonly counts: LineCounts;
  readonly usage: BatchUsage;
}

export function toBatchValues(batch: Batch, box: ContentBox): BatchValue[] {
  const row: Readonly<Record<Column, BatchValue>> = {
    id: batch.id,
    account_id: batch.accountId,
    key_id: batch.keyId,
    api: batch.api,
    endpoint: batch.endpoint,
    input_file_id: batch.inputFileId,
    created_at_ms: Math.floor(batch.createdAtMs),
    deadline_ms: Math.floor(batch.deadlineMs),
    keep_output_ms: batch.keepOutputMs,
    stage: batch.stage,
    lines: batch.lines,
    sums: sumsText(batch),
    cost_nano: batch.costNanoUsd,
    started_at_ms: batch.startedAtMs,
    cancel_asked_at_ms: batch.cancelAskedAtMs,
    finalizing_at_ms: batch.finalizingAtMs,
    ended_at_ms: batch.endedAtMs,
    expires_at_ms: batch.expiresAtMs,
    output_file_id: batch.outputFileId,
    error_file_id: batch.errorFileId,
    owner: batch.owner,
    claim: batch.claim,
    sealed_notes: sealedNotes(batch.id, batch.notes, box),
  };
  return BATCH_COLUMNS.map((column) => row[column]);
}

/** The columns of a change with their values. Counts and usage are one column, so they change together. */
export function toChangedColumns(id: string, changes: BatchChanges, box: ContentBox): readonly [Column, BatchValue][] {
  const { counts, usage, notes } = changes;
  if ((counts === undefined) !== (usage === undefined)) throw new Error('A change of the sums has counts and usage.');
  const columns: readonly [Column, BatchValue | undefined][] = [
    ['stage', changes.stage],
    ['lines', changes.lines],
    ['sums', counts === undefined || usage === undefined ? undefined : sumsText({ counts, usage })],
    ['cost_nano', changes.costNanoUsd],
    ['started_at_ms', changes.startedAtMs],
    ['finalizing_at_ms', changes.finalizingAtMs],
    ['ended_at_ms', changes.endedAtMs],
    ['expires_at_ms', changes.expiresAtMs],
    ['output_file_id', changes.outputFileId],
    ['error_file_id', changes.errorFileId],
    ['sealed_notes', notes === undefined ? undefined : sealedNotes(id, notes, box)],
  ];
  return columns.flatMap(([column, value]) => (value === undefined ? [] : [[column, value] as [Column, BatchValue]]));
}

/** The part of a line's result that sums are made of. */
export type FinishedLine = Pick<LineResult, 'outcome' | 'costNanoUsd' | 'usage'>;

/** Returns the values of `sums` and `cost_nano` of a batch after these lines were finished. */
export function sumsWith(
  row: SqlRow,
  lines: readonly FinishedLine[],
): { readonly sums: string; readonly costNanoUsd: bigint } {
  const before = fromJson<StoredSums>(String(row.sums));
  const [counts, usage] = [{ ...before.counts }, { ...before.usage }];
  let costNanoUsd = BigInt(String(row.cost_nano));
  for (const line of lines) {
    counts[line.outcome]++;
    costNanoUsd += line.costNanoUsd;
    usage.inputTokens += line.usage.inputTokens;
    usage.cachedTokens += line.usage.cachedTokens;
    usage.outputTokens += line.usage.outputTokens;
    usage.reasoningTokens += line.usage.reasoningTokens;
  }
  return { sums: sumsText({ counts, usage }), costNanoUsd };
}

/** @param row has integers as `bigint` */
export function fromBatchRow(row: SqlRow, box: ContentBox): Batch {
  const id = String(row.id);
  const stage = BATCH_STAGES.find((known) => known === row.stage);
  if (stage === undefined) throw new Error(`The batch ${id} has the unknown stage ${String(row.stage)}.`);
  const { counts, usage } = fromJson<StoredSums>(String(row.sums));
  return {
    id,
    accountId: String(row.account_id),
    keyId: String(row.key_id),
    api: row.api as BatchApi, // Only written by this code.
    endpoint: String(row.endpoint),
    inputFileId: String(row.input_file_id),
    createdAtMs: Number(row.created_at_ms),
    deadlineMs: Number(row.deadline_ms),
    keepOutputMs: toNumber(row.keep_output_ms),
    stage,
    lines: Number(row.lines),
    counts,
    usage,
    costNanoUsd: BigInt(String(row.cost_nano)),
    notes: fromJson<BatchNotes>(box.open(row.sealed_notes as Uint8Array, placeOfNotes(id))), // A binary column.
    startedAtMs: toNumber(row.started_at_ms),
    cancelAskedAtMs: toNumber(row.cancel_asked_at_ms),
    finalizingAtMs: toNumber(row.finalizing_at_ms),
    endedAtMs: toNumber(row.ended_at_ms),
    expiresAtMs: toNumber(row.expires_at_ms),
    outputFileId: toText(row.output_file_id),
    errorFileId: toText(row.error_file_id),
    owner: toText(row.owner),
    claim: Number(row.claim),
  };
}

export function fromLineRow(row: SqlRow): WaitingLine {
  const line = { number: Number(row.number), offset: Number(row.at_byte), bytes: Number(row.bytes) };
  return row.relay === '' ? { ...line, isOwn: true } : line;
}

/** Returns the place to which a batch's notes are bound. */
export function placeOfNotes(id: string): readonly string[] {
  return ['batches', id, 'notes'];
}

/** Returns the place to which a line's result is bound. */
export function placeOfLine(batchId: string, number: number | string): readonly string[] {
  return ['batch_lines', batchId, String(number)];
}

export function toNumber(value: unknown): number | null {
  return value === null ? null : Number(value);
}

function toText(value: unknown): string | null {
  return value === null ? null : String(value);
}

function sumsText({ counts, usage }: StoredSums): string {
  return JSON.stringify({ counts, usage });
}

function sealedNotes(id: string, notes: BatchNotes, box: ContentBox): Uint8Array {
  return box.seal(JSON.stringify(notes), placeOfNotes(id));
}

function isFinalStage(stage: (typeof BATCH_STAGES)[number]): boolean {
  return (FINAL_BATCH_STAGES as readonly string[]).includes(stage);
}
