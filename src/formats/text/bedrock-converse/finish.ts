import type { Finish, FinishReason } from '../../../domain/exchange/response.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { nonEmptyText } from '../../shared/json/json-values.ts';
import { entryOf, isRecord } from '../../shared/json/record.ts';

/* The meanings of an answer's `stopReason` (Bedrock API reference, "Converse", response elements). */

const ANSWERED: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool-calls',
  guardrail_intervened: 'content-filter',
  content_filtered: 'content-filter',
};

/** Why a generation failed, in the words of the client's error message. */
const FAILED: Readonly<Record<string, string>> = {
  malformed_model_output: 'The model wrote an invalid response.',
  malformed_tool_use: 'The model wrote an invalid tool call.',
};

/**
 * Returns the failure of a failed answer. An undocumented reason is a failure only without content: it may be a new name for a regular
 * end.
 */
export function failedGeneration(stopReason: unknown, hasContent: boolean): Failure | null {
  const raw = nonEmptyText(stopReason);
  if (raw === null || entryOf(ANSWERED, raw) !== undefined) return null;
  const told = entryOf(FAILED, raw);
  if (told === undefined && hasContent) return null;
  return new Failure('upstream_error', {
    kind: 'failed_generation',
    message: `The upstream returned no response (${raw.slice(0, 60)}): ${told ?? 'The model stopped without a response.'}`,
  });
}

/**
 * Returns the finish reason. Some models end with `end_turn` although they call tools. `additional` has Claude's `stop_sequence`
 * if the request asked for it; in a stream it is below `delta`.
 */
export function decodeFinish(stopReason: unknown, additional: unknown, hasCalls: boolean): Finish {
  const raw = nonEmptyText(stopReason);
  const fields = isRecord(additional) ? additional : {};
  const inDelta = isRecord(fields.delta) ? fields.delta.stop_sequence : undefined;
  const stopSequence = fields.stop_sequence ?? inDelta;
  const unified = raw === null ? 'stop' : (entryOf(ANSWERED, raw) ?? 'other');
  return {
    unified: unified === 'stop' && hasCalls ? 'tool-calls' : unified,
    raw,
    ...(typeof stopSequence === 'string' && stopSequence !== '' ? { stopSequence } : {}),
  };
}
