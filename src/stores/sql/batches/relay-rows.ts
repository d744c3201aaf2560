import { RELAY_STAGES, type RelayedBatch, type RelayedLine } from '../../../domain/batches/relayed-batch.ts';
import type { SqlRow } from '../program.ts';
import { fromLineRow, toNumber } from './rows.ts';

/** Returns the place to which the content of a line for a provider is bound. */
export function placeOfContent(relayId: string, number: number | string): readonly string[] {
  return ['relayed_lines', relayId, String(number)];
}

/** @param row has integers as `bigint` */
export function fromRelayRow(row: SqlRow): RelayedBatch {
  const stage = RELAY_STAGES.find((known) => known === row.stage);
  if (stage === undefined) throw new Error(`The relayed batch ${String(row.id)} has an unknown stage.`);
  return {
    id: String(row.id),
    batchId: String(row.batch_id),
    place: String(row.place),
    endpoint: String(row.endpoint),
    model: String(row.model),
    stage,
    lines: Number(row.lines),
    bytes: Number(row.bytes),
    createdAtMs: Number(row.created_at_ms),
    submittedAtMs: toNumber(row.submitted_at_ms),
    upstreamFileId: row.upstream_file_id === null ? null : String(row.upstream_file_id),
    upstreamId: row.upstream_id === null ? null : String(row.upstream_id),
  };
}

export function fromCarriedRow(row: SqlRow): RelayedLine {
  return {
    ...fromLineRow(row),
    requestId: String(row.request_id),
    modelId: String(row.model_id),
    isOpen: Number(row.is_open) === 1,
  };
}
