import type { Candidate, ExchangeResponse, Finish, TokenLogprob } from '../../../domain/exchange/response.ts';
import type { AnswerContext } from '../client-request.ts';
import { encodeUsage } from '../shared/openai-usage.ts';
import { promptText } from './request.decode.ts';

/** Returns a whole answer as a `text_completion`, JSON text. */
export function encodeAnswer(response: ExchangeResponse, context: AnswerContext): string {
  const choices = response.candidates.map((candidate) => choiceJson(candidate, context));
  const { usage } = response;
  return (
    `{"id":${JSON.stringify(answerId(response.id, context))},"object":"text_completion",` +
    `"created":${response.created ?? context.created},"model":${JSON.stringify(context.publicModel)},` +
    `"choices":[${choices.join(',')}]` +
    (usage === null ? '' : `,"usage":${encodeUsage(usage)}`) +
    `,"_routing":${context.routing.json}}`
  );
}

/** Returns the upstream's own id if it has this format's prefix, otherwise a new id. */
export function answerId(id: string | null, context: AnswerContext): string {
  return id?.startsWith('cmpl-') ? id : context.newId('cmpl-');
}

/** Returns a choice, whose text includes a refusal's text, but no reasoning. */
function choiceJson({ index, parts, finish, logprobs }: Candidate, context: AnswerContext): string {
  const said = parts.map((part) => (part.type === 'text' || part.type === 'refusal' ? part.text : '')).join('');
  const text = JSON.stringify(echoed(context) + said);
  const tokens = logprobs === undefined ? 'null' : logprobsJson(logprobs, 0);
  return `{"text":${text},"index":${index},"logprobs":${tokens},"finish_reason":"${finishReason(finish)}"}`;
}

/** Returns the text that is repeated before each choice's text. */
export function echoed({ parsed: { body } }: AnswerContext): string {
  return body.echo === true ? (promptText(body) ?? '') : '';
}

/** Returns one of the format's three finish reasons. */
export function finishReason({ unified }: Finish): string {
  if (unified === 'length') return 'length';
  return unified === 'content-filter' ? 'content_filter' : 'stop';
}

// ---- log probabilities: parallel lists instead of one object per token

type Alternative = Pick<TokenLogprob, 'token' | 'logprob' | 'bytes'>;

/**
 * Encodes log probabilities. `offset` is that of the first token in the choice's text, in characters. As in OpenAI's answers, the
 * sampled token is among the alternatives.
 */
export function logprobsJson(logprobs: readonly TokenLogprob[], offset: number): string {
  const offsets: number[] = [];
  let at = offset;
  for (const { token } of logprobs) {
    offsets.push(at);
    at += charactersOf(token);
  }
  return JSON.stringify({
    tokens: logprobs.map(nameOf),
    token_logprobs: logprobs.map(({ logprob }) => logprob),
    top_logprobs: logprobs.map((token) =>
      Object.fromEntries([...token.top, token].map((one) => [nameOf(one), one.logprob])),
    ),
    text_offset: offsets,
  });
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Returns a token's name. One that holds only a part of a character is named by its bytes, as OpenAI does, because its text would
 * not be unique.
 */
function nameOf({ token, bytes }: Alternative): string {
  if (bytes === null || !token.includes('\ufffd')) return token;
  try {
    strictUtf8.decode(Uint8Array.from(bytes));
    return token;
  } catch {
    return `bytes:${bytes.map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}`;
  }
}

/** Offsets count characters, not UTF-16 code units. */
export function charactersOf(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
