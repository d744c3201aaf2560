import type { LogFields } from '../../domain/logs/fields.ts';
import { loggedText } from '../../formats/shared/failure/clean-message.ts';

/* The members of the line of a request, which is nearly every line. Written as any other line it would cost 2 µs more. */

const TEXT_CHARACTERS = 1_000;
const MOST_KNOWN_TEXTS = 2_000;

/** The masked forms of paths, since clients repeat them. */
const known = new Map<string, string>();

/** Returns what `membersOf` returns, for the fields of `logRequest`. */
export function requestMembers(of: LogFields): string {
  const json = JSON.stringify({
    request_id: of.requestId,
    client_request_id: of.clientRequestId ?? undefined,
    trace_id: of.traceId ?? undefined,
    span_id: of.spanId ?? undefined,
    client_address: of.clientAddress ?? undefined,
    method: of.method ?? undefined,
    path: masked(of.path),
    format: of.format,
    stream: of.stream,
    account_id: of.accountId ?? undefined,
    key_id: of.keyId ?? undefined,
    model_id: of.modelId ?? undefined,
    channel_id: of.channelId ?? undefined,
    provider: of.provider ?? undefined,
    upstream_model: of.upstreamModel ?? undefined,
    status: of.status,
    error_code: of.errorCode ?? undefined,
    failure_kind: of.failureKind ?? undefined,
    error_side: of.errorSide ?? undefined,
    latency_ms: of.latencyMs,
    first_byte_ms: of.firstByteMs ?? undefined,
    upstream_ms: of.upstreamMs ?? undefined,
    model_steps: of.modelSteps ?? undefined,
    retry_count: of.retryCount,
    input_tokens: of.inputTokens ?? undefined,
    cached_input_tokens: of.cachedInputTokens ?? undefined,
    output_tokens: of.outputTokens ?? undefined,
    cost_usd: of.costUsd ?? undefined,
    upstream_request_id: of.upstreamRequestId ?? undefined,
    cached: of.cached ?? undefined,
    cache_entry_id: of.cacheEntryId ?? undefined,
    client_gone: of.clientGone ?? undefined,
  });
  return json.length === 2 ? '' : `,${json.slice(1, -1)}`;
}

function masked(text: string | null | undefined): string | undefined {
  if (text === null || text === undefined) return undefined;
  const before = known.get(text);
  if (before !== undefined) return before;
  const result = loggedText(text, TEXT_CHARACTERS);
  if (known.size >= MOST_KNOWN_TEXTS) known.clear();
  if (text.length <= TEXT_CHARACTERS) known.set(text, result);
  return result;
}
