import { isRecord } from '../../../formats/shared/json/record.ts';
import type { TracedParameters } from '../../ports/tracing.ts';

/** Returns the parameters of a request that its trace says, in any format. Values of other types are left out. */
export function tracedParameters(body: Readonly<Record<string, unknown>>): TracedParameters {
  const inner = isRecord(body.generationConfig) ? body.generationConfig : body;
  const maxTokens = [body.max_completion_tokens, body.max_output_tokens, body.max_tokens, inner.maxOutputTokens];
  return {
    ...numbered('maxTokens', maxTokens.find(isNumber)),
    ...numbered('temperature', inner.temperature),
    ...numbered('topP', inner.topP ?? inner.top_p),
  };
}

function numbered<Name extends keyof TracedParameters>(name: Name, value: unknown): Partial<TracedParameters> {
  return isNumber(value) ? { [name]: value } : {};
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}
