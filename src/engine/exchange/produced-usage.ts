import { completionTokens, promptTokens, type Usage } from '../../domain/exchange/usage.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { ClientFormat, ParsedRequest, Produced, StreamRelay } from '../../formats/format.ts';
import { Tokenizer } from '../../providers/shared/tokenizer.ts';
import { type TokenCounter, tokensOf, tokensOfPrompt } from '../shared/estimate-tokens.ts';

/*
 * What an answer comes to that its upstream has not reported, or not yet (docs/disconnects.md): the prompt and what the model
 * had written, counted by the tokenizer. A reported figure always wins, part by part.
 */

/** Of a prompt so much text is counted, at about 10 MB/s; past it the bytes per token seen until then stand for the rest. */
const MAX_COUNTED_CHARS = 256 * 1024;
/** English, code and Chinese all have between 3.5 and 4.5; only for text of which nothing could be kept. */
const BYTES_PER_TOKEN = 4;

const NOTHING: Usage = { input: 0, cachedInput: 0, cacheWrite: 0, output: 0, reasoning: 0, source: 'estimated' };

const utf8 = new TextEncoder();
/** Whose answer it is matters to its opaque state alone. */
const NO_SOURCE = { provider: '', channel: '', quirks: [] };

export interface Asked {
  readonly format: ClientFormat;
  readonly request: ParsedRequest;
}

/** Whether the upstream's report says what the stream came to, prompt and answer. */
export function isReported(relay: StreamRelay): boolean {
  return relay.usage !== null && promptTokens(relay.usage) > 0 && isAnswerReported(relay);
}

function isAnswerReported({ usage, finished, produced }: StreamRelay): boolean {
  if (usage === null) return false;
  // Early reports have a prompt but no answer yet (Gemini while it thinks), or count only the opening (Anthropic).
  if (completionTokens(usage) === 0) return produced.bytes === 0;
  return finished || !produced.isPastReport;
}

/** For a stream that ended, well or early, without a report of all that it came to: the parts that were not reported are counted. */
export function usageOfStream(asked: Asked, relay: StreamRelay): Promise<Usage> {
  return inTurn((tokenizer) => {
    const reported = relay.usage ?? NOTHING;
    const prompt = promptTokens(reported) > 0 ? {} : { input: promptEstimate(asked, tokenizer) };
    const counted = isAnswerReported(relay) ? 0 : outputTokens(relay.produced, tokenizer);
    // What a report had counted until it was made is the least that the answer comes to.
    const more = Math.max(0, counted - completionTokens(reported));
    return { ...reported, ...prompt, output: reported.output + more, source: 'estimated' };
  });
}

/** For a whole answer without a report; `answer` is the client's. */
export function usageOfWhole(asked: Asked, answer: Uint8Array | string): Promise<Usage> {
  return inTurn((tokenizer) => {
    const bytes = typeof answer === 'string' ? utf8.encode(answer) : answer;
    const response = asked.format.decodeAnswer(bytes, NO_SOURCE);
    const counter = new BoundedCounter(tokenizer);
    const parts = response instanceof Failure ? [] : response.candidates.flatMap((candidate) => candidate.parts);
    const output = parts.reduce((sum, part) => sum + tokensOf(part, counter), 0);
    return { ...NOTHING, input: promptEstimate(asked, tokenizer), output };
  });
}

/** The prompt's tokens as the tokenizer sees them. */
export function countedPrompt(asked: Asked): Promise<number> {
  return inTurn((tokenizer) => promptEstimate(asked, tokenizer));
}

function promptEstimate({ format, request }: Asked, tokenizer: Tokenizer): number {
  const decoded = format.decodeRequest(request);
  return decoded instanceof Failure ? 0 : tokensOfPrompt(decoded, new BoundedCounter(tokenizer));
}

function outputTokens(produced: Produced, tokenizer: Tokenizer): number {
  if (produced.bytes === 0) return 0;
  const { text, bytes } = produced.sample();
  if (bytes === 0) return Math.ceil(produced.bytes / BYTES_PER_TOKEN);
  return Math.round((tokenizer.count(text) * produced.bytes) / bytes);
}

/** Counts the first text that it sees, and says of the rest what that was like: a leaving client must not cost a second. */
class BoundedCounter implements TokenCounter {
  private chars = 0;
  private tokens = 0;

  constructor(private readonly tokenizer: Tokenizer) {}

  count(text: string): number {
    const room = MAX_COUNTED_CHARS - this.chars;
    const counted = text.length <= room ? text : text.slice(0, room);
    if (counted.length > 0) {
      const tokens = this.tokenizer.count(counted);
      this.chars += counted.length;
      this.tokens += tokens;
      if (counted.length === text.length) return tokens;
    }
    return Math.round((text.length * this.tokens) / this.chars);
  }
}

let last: Promise<unknown> = Promise.resolve();

/** One after the other and with a turn for everyone else in between: clients often leave all at once. */
function inTurn<Result>(work: (tokenizer: Tokenizer) => Result): Promise<Result> {
  const result = last.then(async () => {
    const tokenizer = await Tokenizer.load();
    await new Promise((resolve) => setImmediate(resolve));
    return work(tokenizer);
  });
  last = result.catch(() => undefined);
  return result;
}
