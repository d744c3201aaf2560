import { bothDrawn, completionTokens, promptTokens, type Usage } from '../../../domain/exchange/usage.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { Billable } from '../../../domain/money/quantity.ts';
import { isRecord } from '../../../formats/shared/json/record.ts';
import type { ParsedRequest } from '../../../formats/text/client-request.ts';
import type { ClientFormat, Produced, StreamRelay } from '../../../formats/text/format.ts';
import { drawnByPart } from '../../../formats/text/shared/drawn-images.ts';
import { isHostedSearch } from '../../../formats/text/shared/openai-usage.ts';
import { countApart, type TokenCounter, tokensOf, tokensOfPrompt } from './estimate-tokens.ts';

/*
 * The usage of an answer that its upstream has not reported, or not yet (docs/disconnects.md): the tokenizer counts the prompt and the
 * model's output. A reported figure always takes precedence, part by part.
 */

/** English, code and Chinese all have between 3.5 and 4.5. Used only if no part of the text could be kept for counting. */
const BYTES_PER_TOKEN = 4;

const NOTHING: Usage = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0, source: 'estimated' };

const utf8 = new TextEncoder();
/** The source matters only for opaque state, which is not used here. */
const NO_SOURCE = { provider: '', channel: '', quirks: [] };

export interface Asked {
  readonly accountId: string;
  readonly format: ClientFormat;
  readonly request: ParsedRequest;
}

/** Returns whether the upstream has reported the usage of the stream, prompt and answer. */
export function isReported(relay: StreamRelay): boolean {
  return relay.usage !== null && promptTokens(relay.usage) > 0 && isAnswerReported(relay);
}

function isAnswerReported({ usage, finished, produced }: StreamRelay): boolean {
  if (usage === null) return false;
  // Early reports have the prompt but no output yet (Gemini while it reasons), or count only the opening (Anthropic). An explicit zero in
  // the last report is a count.
  if (completionTokens(usage) === 0) {
    return produced.bytes === 0 || (finished && !produced.isPastReport && statesCompletion(usage));
  }
  return finished || !produced.isPastReport;
}

/** The names of the output count in the formats' own reports. */
const COMPLETION_COUNTS = ['completion_tokens', 'output_tokens', 'candidatesTokenCount', 'outputTokens'];

function statesCompletion({ raw }: Usage): boolean {
  return isRecord(raw) && COMPLETION_COUNTS.some((name) => typeof raw[name] === 'number');
}

/** Resolves to the usage of a stream that ended, well or early, without a complete report: the unreported parts are counted. */
export async function usageOfStream(asked: Asked, relay: StreamRelay): Promise<Usage> {
  const reported = relay.usage ?? NOTHING;
  const prompt = promptTokens(reported) > 0 ? {} : { input: await countedPrompt(asked) };
  const counted = isAnswerReported(relay) ? 0 : await outputTokens(asked, relay.produced);
  // An early report is a lower bound of the output.
  const more = Math.max(0, counted - completionTokens(reported));
  return { ...reported, ...prompt, output: reported.output + more, source: 'estimated' };
}

/** Resolves to the usage of a whole answer without a report. `answer` is in the client's format. */
export async function usageOfWhole(asked: Asked, answer: Uint8Array | string): Promise<Usage> {
  let webSearches = 0;
  let drawn: Billable | undefined;
  const output = await countApart(asked.accountId, (counter) => {
    const bytes = typeof answer === 'string' ? utf8.encode(answer) : answer;
    const response = asked.format.decodeAnswer(bytes, NO_SOURCE);
    const parts = response instanceof Failure ? [] : response.candidates.flatMap((candidate) => candidate.parts);
    webSearches = parts.filter((part) => part.type === 'unknown' && isHostedSearch(part.value)).length;
    let tokens = 0;
    for (const part of parts) {
      const image = part.type === 'image' ? drawnByPart(part) : null;
      if (image === null) tokens += tokensOf(part, counter);
      else drawn = bothDrawn(drawn, image);
    }
    return tokens;
  });
  const called = { ...(webSearches > 0 ? { webSearches } : {}), ...(drawn === undefined ? {} : { drawn }) };
  return { ...NOTHING, input: await countedPrompt(asked), output, ...called };
}

function countedPrompt({ accountId, format, request }: Asked): Promise<number> {
  return countApart(accountId, (counter: TokenCounter) => {
    const decoded = format.decodeRequest(request);
    return decoded instanceof Failure ? 0 : tokensOfPrompt(decoded, counter);
  });
}

async function outputTokens({ accountId }: Asked, produced: Produced): Promise<number> {
  if (produced.bytes === 0) return 0;
  const { text, bytes } = produced.sample();
  if (bytes === 0) return Math.ceil(produced.bytes / BYTES_PER_TOKEN);
  const tokens = await countApart(accountId, (counter) => counter.count(text));
  return Math.round((tokens * produced.bytes) / bytes);
}
