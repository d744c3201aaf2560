import { expectedError, saysTheSame } from '../openai-chat/error-rules.ts';
import { asArray, asObject, parseJson } from '../shared/json.ts';
import type { MatrixCase } from './cases.ts';
import type { Outcome } from './sdks/index.ts';

/** Returns the problems in how an SDK reports an upstream's failure: it must throw an error of its own class. */
export function failureProblems(
  one: Pick<MatrixCase, 'outcome' | 'recording'>,
  { error, wire }: Outcome,
  client: string,
): readonly string[] {
  if (error === null) return ['the SDK raised no error'];
  const problems: string[] = [];
  if (!error.isOwn) problems.push(`the SDK raised an error of another class: ${error.name}: ${error.message}`);
  if (one.outcome === 'broken') return problems;
  const { status: upstreamStatus, responseBody } = one.recording;
  // Anthropic's API has its own status for an overload, which its clients know.
  const isKnownOverload = upstreamStatus === 529 && client === 'anthropic-messages';
  const expected = isOperators(upstreamStatus, responseBody) ? 502 : expectedError(upstreamStatus, responseBody).status;
  const status = isKnownOverload ? 529 : expected;
  if (wire?.status !== status) problems.push(`status ${wire?.status}, expected ${status} for ${upstreamStatus}`);
  if (error.status !== status) problems.push(`the SDK's error has status ${error.status}, expected ${status}`);
  const words = upstreamWords(responseBody);
  if (words !== undefined && !saysTheSame(error.message, words)) {
    problems.push(
      `the error ${JSON.stringify(error.message.slice(0, 300))} lacks the upstream's words ${JSON.stringify(words)}`,
    );
  }
  return problems;
}

/** Matches the recorded errors for a key or model that the provider does not know, and for missing credit. */
const OPERATORS_FAULT =
  /model_not_found|model not found|model identifier is invalid|inference profile|insufficient_quota|api key not valid|incorrect api key/i;

/**
 * Some providers answer 400 if the operator has made a mistake that the client cannot fix: a wrong key (Gemini, xAI), a
 * model that the provider does not have, an account without credit (openai/responses/190). According to the contract,
 * these are upstream errors.
 */
export function isOperators(status: number, body: string): boolean {
  return status === 400 && OPERATORS_FAULT.test(body);
}

/** Returns the provider's error message, in each shape that providers use. */
function upstreamWords(body: string): string | undefined {
  const parsed = parseJson(body);
  const { error, message, Message, detail } = asObject(asArray(parsed)[0] ?? parsed);
  const candidates = [asObject(error).message, error, message, Message, detail];
  return candidates.find((candidate): candidate is string => typeof candidate === 'string');
}
