import { RELAY_STAGES, type RelayedBatch, type RelayedLine } from '../../../domain/batches/relayed-batch.ts';
import type { SqlRow } from '../program.ts';
import { fromLineRow, toNumber } from './rows.ts';

/** Returns the place to which the content of a line for a provider is bound. */
export function placeOfContent(relayId: string, number: number | string): readonly string[] {
  return ['relayed_lines', relayId, String(number)];
}

/** Returns the place to which the verdicts on a line's request are bound. */
export function placeOfVerdicts(relayId: string, number: number | string): readonly string[] {
  return [...placeOfContent(relayId, number), 'verdicts'];
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

/** @param verdictsOf decrypts the verdicts on the request of the line with this number */
export function fromCarriedRow(row: SqlRow, verdictsOf: (sealed: Uint8Array, number: number) => string): RelayedLine {
  const { sealed_verdicts: sealed } = row;
  return {
    ...fromLineRow(row),
    requestId: String(row.request_id),
    modelId: String(row.model_id),
    isOpen: Number(row.is_open) === 1,
    verdicts: sealed === null ? null : verdictsOf(sealed as Uint8Array, Number(row.number)), // A binary column.
  };
}
