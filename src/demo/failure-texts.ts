import type { ErrorCode } from '../domain/failure/error-codes.ts';
import type { FailedAttempt, RequestRecord, ToldFailure } from '../engine/ports/request-log.ts';
import type { DemoRefusal } from './refusals.ts';

/* The messages of the demo's failed requests, in the words of the gateway and of providers. */

const MISTAKES: Readonly<Partial<Record<ErrorCode, ToldFailure>>> = {
  invalid_value: { message: '`temperature` must be a number from 0 to 2; got 3.', param: 'temperature' },
  missing_required_parameter: { message: '`messages` is missing: the conversation so far.', param: 'messages' },
  context_length_exceeded: {
    message: 'prompt is too long: 208310 tokens > 200000 maximum',
    param: 'messages',
    hint: 'Shorten the prompt, or use a model with a larger context.',
  },
  unsupported_parameter: { message: '`logprobs` is not supported by this model.', param: 'logprobs' },
  invalid_json: { message: 'The request body is not valid JSON: Unexpected end of input.' },
  insufficient_balance: {
    message: 'Insufficient balance for this request.',
    hint: 'Add credit to the account, or send a smaller request.',
  },
};

const MESSAGES: Readonly<Record<string, string>> = {
  http_503: 'The provider failed (HTTP 503): The model is overloaded. Please try again later.',
  http_500: 'The provider failed (HTTP 500): The server had an error while processing your request.',
  http_429: "The provider's rate limit was reached: Rate limit reached for requests per minute.",
  upstream_auth: 'The provider rejected the credentials (HTTP 401): Incorrect API key provided: [redacted]',
  reset: 'The upstream dropped the connection.',
  first_byte_timeout: 'The upstream sent nothing within 20000 ms.',
};

/** Returns what went wrong at a channel. */
export function attemptMessage(kind: string): string {
  return MESSAGES[kind] ?? 'The provider failed.';
}

interface Failed {
  readonly modelId: string;
  readonly requestsPerMinute: number | undefined;
  readonly failedAttempts: readonly FailedAttempt[];
}

/** Returns the texts of a failed request for its record. */
export function failureTexts(
  { code, kind }: DemoRefusal,
  { modelId, requestsPerMinute, failedAttempts }: Failed,
): Pick<RequestRecord, 'told' | 'requestedModel'> {
  const last = failedAttempts.at(-1)?.message;
  if (code === 'model_not_found') return unknownModel(modelId);
  if (code === 'invalid_json') return { told: MISTAKES.invalid_json ?? { message: kind } };
  if (code === 'all_channels_failed') {
    const message =
      last === undefined
        ? `No channel can answer for the model \`${modelId}\` now: its channels are cooling down after failures.`
        : `No channel could answer for the model \`${modelId}\`. Last error: ${last}`;
    return { told: { message, hint: 'Wait for retry_after seconds and send the request again.' } };
  }
  if (last !== undefined) return { told: { message: last } };
  if (code !== 'rate_limit_exceeded') return { told: MISTAKES[code] ?? { message: 'The request was refused.' } };
  const message = `The API key has reached its limit of ${requestsPerMinute ?? 60} requests in any 60 seconds.`;
  return { told: { message, hint: 'Wait for retry_after seconds, then send the request again.', side: 'client' } };
}

function unknownModel(modelId: string): Pick<RequestRecord, 'told' | 'requestedModel'> {
  const requestedModel = `${modelId}-latest`;
  const message = `The model \`${requestedModel}\` does not exist or is not available.`;
  return { told: { message, param: 'model', hint: `Did you mean \`${modelId}\`?` }, requestedModel };
}
