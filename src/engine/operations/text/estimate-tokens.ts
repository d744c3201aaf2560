import type { MediaPart, Part } from '../../../domain/exchange/part.ts';
import type { ExchangeRequest, Tool } from '../../../domain/exchange/request.ts';
import { tokenThread } from '../../../providers/shared/token-thread.ts';

/** The tokens that chat formats add per message and before the answer (OpenAI cookbook, "How to count tokens"). */
const TOKENS_PER_MESSAGE = 4;
const TOKENS_BEFORE_ANSWER = 3;
/** The vendors' own figures for a picture of about a megapixel lie between 765 (OpenAI) and 1,600 (Anthropic). */
const TOKENS_PER_IMAGE = 1_100;
/** Vendors count an image and some text per page; a page of a PDF has about 50 KB. */
const TOKENS_PER_PAGE = 1_500;
const BYTES_PER_PAGE = 50_000;
/** Gemini counts 32 tokens a second of audio and 258 of video; speech is about 16 KB a second, video 250 KB. */
const AUDIO_BYTES_PER_TOKEN = 500;
const VIDEO_BYTES_PER_TOKEN = 1_000;
/** Assumed for a file behind a URL, whose size is unknown. */
const TOKENS_PER_UNSEEN_FILE = 1_500;

export interface TokenCounter {
  count(text: string): number;
}

/** English, code and Chinese all have between 3.5 and 4.5. Used if the tokenizer thread has failed, or is too slow. */
const CHARS_PER_TOKEN = 4;
const BYTES_PER_TOKEN = 4;

/**
 * Counts the prompt's tokens with the local tokenizer: an estimate, because every vendor has its own. Texts are counted
 * in turn per account.
 */
export function estimateTokens(accountId: string, request: ExchangeRequest): Promise<number> {
  return countApart(accountId, (counter) => tokensOfPrompt(request, counter));
}

/** Estimates the same synchronously, without the tokenizer, from the byte lengths of the texts. */
export function roughTokensOfPrompt(request: ExchangeRequest): number {
  return tokensOfPrompt(request, { count: (text) => roughTokens(Buffer.byteLength(text)) });
}

/** Estimates the tokens of a text with this number of bytes in UTF-8. */
export function roughTokens(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

/**
 * Computes `sum` with its texts counted in another thread: `sum` gets a counter that collects the texts. It is called when it is the
 * account's turn, and may only add the counts.
 */
export async function countApart(accountId: string, sum: (counter: TokenCounter) => number): Promise<number> {
  const texts: string[] = [];
  let rest: number | null = null;
  const gather = () => {
    const count = (text: string) => {
      texts.push(text);
      return 0;
    };
    rest ??= sum({ count });
    return texts;
  };
  const counted = await tokenThread.count(accountId, gather);
  if (counted === null) gather();
  const chars = () => texts.reduce((total, text) => total + text.length, 0);
  return (rest ?? 0) + (counted ?? Math.ceil(chars() / CHARS_PER_TOKEN));
}

export function tokensOfPrompt(request: ExchangeRequest, tokenizer: TokenCounter): number {
  let tokens = TOKENS_BEFORE_ANSWER;
  for (const { parts, name } of request.messages) {
    tokens += TOKENS_PER_MESSAGE + (name === undefined ? 0 : tokenizer.count(name));
    for (const part of parts) tokens += tokensOf(part, tokenizer);
  }
  for (const tool of request.tools) tokens += tokenizer.count(JSON.stringify(shownOf(tool)));
  if (request.responseFormat?.type === 'json-schema') {
    tokens += tokenizer.count(JSON.stringify(request.responseFormat.schema));
  }
  return tokens;
}

export function tokensOf(part: Part, tokenizer: TokenCounter): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return tokenizer.count(part.text);
    case 'refusal':
      return part.byGateway === true ? 0 : tokenizer.count(part.text);
    case 'tool-call':
      return tokenizer.count(part.name) + tokenizer.count(part.arguments);
    case 'tool-result':
      return part.content.reduce((sum, inner) => sum + tokensOf(inner, tokenizer), 0);
    case 'unknown':
      return tokenizer.count(JSON.stringify(part.value) ?? '');
    default:
      return mediaTokens(part, tokenizer);
  }
}

function mediaTokens({ type, source }: MediaPart, tokenizer: TokenCounter): number {
  if (source.kind === 'text') return tokenizer.count(source.text);
  if (type === 'image') return TOKENS_PER_IMAGE;
  if (source.kind !== 'base64') return TOKENS_PER_UNSEEN_FILE;
  const bytes = (source.data.length * 3) / 4;
  if (type === 'audio') return Math.ceil(bytes / AUDIO_BYTES_PER_TOKEN);
  if (type === 'video') return Math.ceil(bytes / VIDEO_BYTES_PER_TOKEN);
  return Math.ceil(bytes / BYTES_PER_PAGE) * TOKENS_PER_PAGE;
}

/** Returns the part of a tool that the model reads. */
function shownOf(tool: Tool): unknown {
  if (tool.type === 'function') return [tool.name, tool.description, tool.parameters];
  return tool.type === 'custom' ? [tool.name, tool.description, tool.format] : tool.raw.value;
}
