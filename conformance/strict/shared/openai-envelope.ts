import type { Rule } from '../rule.ts';

/** Returns OpenAI's error envelope, which many compatible servers use. */
export function openaiEnvelope(message: string, rule: Rule): object {
  return { error: { message, type: 'invalid_request_error', param: null, code: rule.id.replaceAll('-', '_') } };
}
