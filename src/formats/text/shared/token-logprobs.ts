import type { TokenLogprob } from '../../../domain/exchange/response.ts';
import { isRecord } from '../../shared/json/record.ts';

/** Decodes OpenAI's list of tokens with their log probabilities, the same in chat completions and Responses. */
export function decodeTokenLogprobs(tokens: unknown): TokenLogprob[] {
  if (!Array.isArray(tokens)) return [];
  return tokens.filter(isRecord).map((token) => ({
    ...decodeToken(token),
    top: Array.isArray(token.top_logprobs) ? token.top_logprobs.filter(isRecord).map(decodeToken) : [],
  }));
}

function decodeToken({ token, logprob, bytes }: Readonly<Record<string, unknown>>) {
  return {
    token: typeof token === 'string' ? token : '',
    logprob: typeof logprob === 'number' ? logprob : 0,
    bytes: Array.isArray(bytes) ? bytes.filter((byte) => typeof byte === 'number') : null,
  };
}
