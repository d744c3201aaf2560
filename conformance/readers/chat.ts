import { asArray, asObject, isObject } from '../shared/json.ts';
import {
  CandidateBuilder,
  countOf,
  type ExpectedAnswer,
  type Finish,
  firstCount,
  inclusiveUsage,
  textOf,
  type Usage,
} from './expected-answer.ts';

/** OpenAI's values, followed by those that other providers added. */
const FINISHES: Readonly<Record<string, Finish>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
  // Together (together/chat/003).
  eos: 'stop',
  // Mistral's documents.
  model_length: 'length',
  // Z.ai's documents.
  sensitive: 'content-filter',
};

/** Reads a whole Chat Completions response of any provider of the format. */
export function readChatAnswer(body: unknown, provider = ''): ExpectedAnswer {
  const answer = asObject(body);
  const builders = new Builders();
  for (const choice of asArray(answer.choices).map(asObject)) builders.take(choice, asObject(choice.message));
  return { candidates: builders.build(), usage: chatUsage(usageOf(answer), provider) };
}

/** Reads a Chat Completions stream from the parsed data of its events. */
export function readChatStream(chunks: readonly unknown[], provider = ''): ExpectedAnswer {
  const builders = new Builders();
  let usage: unknown;
  for (const chunk of chunks.map(asObject)) {
    // If several chunks report usage, the last one counts (Perplexity, Gemini).
    usage = usageOf(chunk) ?? usage;
    // Perplexity repeats the whole message beside each delta (perplexity/chat/006); only the delta is new.
    for (const choice of asArray(chunk.choices).map(asObject)) builders.take(choice, asObject(choice.delta));
  }
  return { candidates: builders.build(), usage: chatUsage(usage, provider) };
}

/** Groq's older streams report usage under `x_groq` (groq/chat/051). */
function usageOf(chunk: Readonly<Record<string, unknown>>): unknown {
  if (isObject(chunk.usage)) return chunk.usage;
  const groq = asObject(chunk.x_groq).usage;
  return isObject(groq) ? groq : undefined;
}

class Builders {
  private readonly byIndex = new Map<unknown, ChoiceBuilder>();

  take(choice: Readonly<Record<string, unknown>>, message: Readonly<Record<string, unknown>>): void {
    const index = choice.index ?? 0;
    const builder = this.byIndex.get(index) ?? new ChoiceBuilder();
    this.byIndex.set(index, builder);
    builder.take(choice, message);
  }

  build(): ExpectedAnswer['candidates'] {
    const sorted = [...this.byIndex].sort(([left], [right]) => Number(left) - Number(right));
    return sorted.map(([, builder]) => builder.candidate.build(FINISHES));
  }
}

class ChoiceBuilder {
  readonly candidate = new CandidateBuilder();
  private lastCall: { readonly index: unknown; readonly id: unknown; readonly key: number } | undefined;
  private readonly keys = new Map<unknown, number>();

  take(choice: Readonly<Record<string, unknown>>, message: Readonly<Record<string, unknown>>): void {
    this.takeContent(message.content);
    // `reasoning` is the name at Groq and OpenRouter. A provider that sends both sends the same text in both.
    this.candidate.reasoning += textOf(message.reasoning_content) || textOf(message.reasoning);
    this.candidate.refusal += textOf(message.refusal);
    for (const call of asArray(message.tool_calls).map(asObject)) this.takeCall(call);
    if (isObject(message.function_call)) {
      const { name, arguments: text } = message.function_call;
      this.candidate.addToCall('function_call', { name, text });
    }
    const finish = choice.finish_reason;
    if (typeof finish === 'string' && finish !== '') this.candidate.rawFinish = finish;
  }

  /** Mistral's reasoning models return a list of parts (mistral/chat/080). */
  private takeContent(content: unknown): void {
    this.candidate.text += textOf(content);
    for (const part of asArray(content).map(asObject)) {
      if (part.type === 'text') this.candidate.text += textOf(part.text);
      if (part.type === 'thinking') {
        const thinking = asArray(part.thinking).map((piece) => textOf(asObject(piece).text));
        this.candidate.reasoning += textOf(part.thinking) + thinking.join('');
      }
    }
  }

  /** Pieces of one call share an index. If the index is missing or reused, another id starts another call. */
  private takeCall(call: Readonly<Record<string, unknown>>): void {
    const { name, arguments: text } = asObject(call.function);
    const custom = asObject(call.custom);
    const begins = typeof (name ?? custom.name) === 'string' && (name ?? custom.name) !== '';
    const id = call.id === '' || call.id === null ? undefined : call.id;
    const known = this.keys.get(call.index);
    const another = begins && (call.index === undefined || (id !== undefined && id !== this.lastCall?.id));
    const key = known === undefined || another ? this.candidate.callCount : known;
    this.keys.set(call.index, key);
    if (begins) this.lastCall = { index: call.index, id, key };
    this.candidate.addToCall(key, { name: name ?? custom.name, text: text ?? custom.input });
  }
}

/**
 * How providers count:
 *
 * - the prompt includes the cached tokens everywhere, under five names: `prompt_tokens_details.cached_tokens` (OpenAI
 *   and most), `prompt_cache_hit_tokens` (DeepSeek, deepseek/chat/075), `cached_tokens` (Moonshot 001, Together 001),
 *   `num_cached_tokens` (mistral/chat/080), `prompt_token_details` (writer/chat/001);
 * - it also includes the tokens written to the cache (openai/chat/167: 1217 of 1220);
 * - the completion includes the reasoning (openai/chat/189, alibaba/chat/002: 1353 of 1668), except at xAI, whose total
 *   adds it (xai/chat/028: 291 + 26 + 196 = 513);
 * - a total above the sum is the prompt's audio at Mistral (mistral/chat/013: 11 + 375 + 15 = 401), and hidden thinking
 *   at Gemini's compatible endpoint, which has no member for it (as in Gemini's own usage; no recording shows it).
 */
function chatUsage(found: unknown, provider: string): Usage | null {
  if (!isObject(found) || (found.prompt_tokens === undefined && found.completion_tokens === undefined)) return null;
  const promptDetails = asObject(found.prompt_tokens_details ?? found.prompt_token_details);
  const completionDetails = asObject(found.completion_tokens_details ?? found.completion_token_details);
  const reasoning = firstCount(completionDetails.reasoning_tokens, found.reasoning_tokens);
  let prompt = countOf(found.prompt_tokens);
  let completion = countOf(found.completion_tokens);
  const beyond = Math.max(0, countOf(found.total_tokens) - prompt - completion);
  const reasoningBeside = beyond > 0 && beyond === reasoning;
  if (reasoningBeside) completion += reasoning;
  else if (provider === 'mistral') prompt += beyond;
  else if (provider === 'gemini') completion += beyond;
  return inclusiveUsage({
    prompt,
    cached: firstCount(
      promptDetails.cached_tokens,
      found.prompt_cache_hit_tokens,
      found.cached_tokens,
      found.num_cached_tokens,
    ),
    cacheWrite: firstCount(promptDetails.cache_write_tokens, found.cache_creation_input_tokens),
    completion,
    reasoning: reasoning === 0 && provider === 'gemini' ? beyond : reasoning,
  });
}
