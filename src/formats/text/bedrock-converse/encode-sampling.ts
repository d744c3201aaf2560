import type { Encoding } from './encoding.ts';

export function encodeInference(encoding: Encoding): void {
  const { request, losses, inference } = encoding;
  const { temperature, topP } = request;
  encodeMaxTokens(encoding);
  if (temperature !== null) {
    inference.temperature = Math.min(1, temperature);
    if (temperature > 1) {
      const field = request.names.temperature ?? 'temperature';
      losses.note({ field, verdict: 'approximated', why: 'the Converse API accepts temperatures up to 1' });
    }
  }
  if (topP !== null) inference.topP = topP;
  encodeStop(encoding);
}

/** Drops `topP` if there is a temperature, for models that accept only one of the two. */
export function leaveOneSampling({ request, losses, claude, inference }: Encoding): void {
  if (claude?.sampling !== 'one' || inference.temperature === undefined || inference.topP === undefined) return;
  const why = 'this model accepts temperature or top_p, not both';
  // The model's default is 1.
  if (inference.topP !== 1) losses.note({ field: request.names['top-p'] ?? 'top_p', verdict: 'dropped', why });
  delete inference.topP;
}

function encodeMaxTokens({ request, losses, dialect, claude, inference }: Encoding): void {
  const { maxOutputTokens: wanted } = request;
  if (wanted === null) return;
  const most = claude?.maxOutputTokens ?? dialect.maxOutputTokens ?? wanted;
  inference.maxTokens = Math.min(wanted, most);
  if (wanted <= most) return;
  const field = request.names['max-output-tokens'] ?? 'max_tokens';
  losses.note({ field, verdict: 'approximated', why: `the model writes at most ${most} tokens` });
}

function encodeStop({ request: { stop, names }, losses, claude, inference }: Encoding): void {
  const kept = claude === null ? stop : stop.filter((sequence) => sequence.trim() !== '');
  if (kept.length < stop.length) {
    const why = 'Claude rejects stop sequences that are only whitespace';
    losses.note({ field: names.stop ?? 'stop', verdict: 'dropped', why });
  }
  if (kept.length > 0) inference.stopSequences = kept;
}

export function encodeTopK({ request, losses, dialect, additional }: Encoding): void {
  if (request.topK === null || request.topK <= 0) return;
  const [outer, inner] = dialect.topK ?? [];
  if (outer === undefined) {
    const field = request.names['top-k'] ?? 'top_k';
    losses.note({
      field,
      verdict: 'dropped',
      why: 'the gateway sends top_k only to models that are known to accept it',
    });
  } else additional[outer] = inner === undefined ? request.topK : { [inner]: request.topK };
}

/** Returns the path of the stop sequence that ended the answer. Only Claude returns it, and only on request. */
export function stopSequencePaths({ dialect, inference, target }: Encoding): readonly string[] | undefined {
  if (!dialect.isClaude || inference.stopSequences === undefined) return undefined;
  return [target.stream ? '/delta/stop_sequence' : '/stop_sequence'];
}
