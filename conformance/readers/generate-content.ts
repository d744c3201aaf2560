import { asArray, asObject, isObject } from '../shared/json.ts';
import { CandidateBuilder, countOf, type ExpectedAnswer, type Finish, textOf, type Usage } from './expected-answer.ts';
import { PartialArguments } from './partial-arguments.ts';

/**
 * Keyed by name, and by number for a client that asked for numbers (gemini/generateContent/123,
 * vertex/generateContent/047).
 */
const FINISHES: Readonly<Record<string, Finish>> = {
  STOP: 'stop',
  '1': 'stop',
  MAX_TOKENS: 'length',
  '2': 'length',
  SAFETY: 'content-filter',
  '3': 'content-filter',
  RECITATION: 'content-filter',
  '4': 'content-filter',
  BLOCKLIST: 'content-filter',
  '6': 'content-filter',
  PROHIBITED_CONTENT: 'content-filter',
  '7': 'content-filter',
  SPII: 'content-filter',
  '8': 'content-filter',
  IMAGE_SAFETY: 'content-filter',
  '11': 'content-filter',
  IMAGE_PROHIBITED_CONTENT: 'content-filter',
  IMAGE_RECITATION: 'content-filter',
  MODEL_ARMOR: 'content-filter',
};

/**
 * Reads a whole GenerateContentResponse. A list of them, which is what a stream without `alt=sse` returns, is read as a
 * stream.
 */
export function readGenerateContentAnswer(body: unknown): ExpectedAnswer {
  return readGenerateContentStream(Array.isArray(body) ? body : [body]);
}

/** Reads a stream of GenerateContentResponses. */
export function readGenerateContentStream(chunks: readonly unknown[]): ExpectedAnswer {
  const builders = new Map<number, CandidateReader>();
  let usage: Readonly<Record<string, unknown>> | undefined;
  let blockReason: string | null = null;
  for (const chunk of chunks.map(asObject)) {
    // Counts are cumulative; a member that a later chunk omits keeps its value.
    if (isObject(chunk.usageMetadata)) usage = { ...usage, ...chunk.usageMetadata };
    blockReason = textOf(asObject(chunk.promptFeedback).blockReason) || blockReason;
    for (const found of asArray(chunk.candidates).map(asObject)) {
      const index = countOf(found.index);
      const builder = builders.get(index) ?? new CandidateReader();
      builders.set(index, builder);
      builder.take(found);
    }
  }
  if (builders.size === 0 && blockReason !== null) builders.set(0, blocked(blockReason));
  const sorted = [...builders].sort(([left], [right]) => left - right);
  return { candidates: sorted.map(([, builder]) => builder.build()), usage: generateContentUsage(usage) };
}

/** A blocked prompt has no candidate; it becomes one that a content filter ended. */
function blocked(reason: string): CandidateReader {
  const reader = new CandidateReader();
  reader.blockReason = reason;
  return reader;
}

class CandidateReader {
  blockReason: string | null = null;
  private readonly candidate = new CandidateBuilder();
  private open: { readonly name: unknown; readonly arguments: PartialArguments } | undefined;

  take(found: Readonly<Record<string, unknown>>): void {
    for (const part of asArray(asObject(found.content).parts).map(asObject)) {
      if (part.thought === true) this.candidate.reasoning += textOf(part.text);
      else this.candidate.text += textOf(part.text);
      if (isObject(part.functionCall)) this.takeCall(part.functionCall);
    }
    const finish = found.finishReason;
    if (finish !== undefined && finish !== null) this.candidate.rawFinish = String(finish);
  }

  /**
   * A call with streamed arguments continues while `willContinue` is set (gemini/generateContent/202,
   * vertex/generateContent/056).
   */
  private takeCall(call: Readonly<Record<string, unknown>>): void {
    if (typeof call.name === 'string') this.endCall();
    const streamed = call.willContinue === true || call.partialArgs !== undefined || call.name === undefined;
    if (!streamed) {
      this.candidate.addWholeCall(call.name, call.args);
      return;
    }
    // An empty call ends the one before it; without one before it, it is ignored.
    if (this.open === undefined && call.name === undefined) return;
    this.open ??= { name: call.name, arguments: new PartialArguments() };
    for (const piece of asArray(call.partialArgs)) this.open.arguments.add(asObject(piece));
    if (call.willContinue !== true) this.endCall();
  }

  private endCall(): void {
    if (this.open !== undefined) this.candidate.addWholeCall(this.open.name, this.open.arguments.value);
    this.open = undefined;
  }

  build(): ExpectedAnswer['candidates'][number] {
    this.endCall();
    const read = this.candidate.build(FINISHES);
    return this.blockReason === null ? read : { ...read, finish: 'content-filter', rawFinish: this.blockReason };
  }
}

/**
 * The prompt includes the cached tokens but not those of tool results (`toolUsePromptTokenCount`), and the candidates
 * do not include the thoughts: the four add up to the total in 111 of the 113 recordings with usage
 * (vertex/generateContent/044: 8 + 437 + 2027 = 2472).
 */
function generateContentUsage(found: Readonly<Record<string, unknown>> | undefined): Usage | null {
  if (found === undefined || (found.promptTokenCount === undefined && found.candidatesTokenCount === undefined))
    return null;
  const prompt = countOf(found.promptTokenCount);
  const cachedInput = Math.min(countOf(found.cachedContentTokenCount), prompt);
  return {
    input: prompt - cachedInput + countOf(found.toolUsePromptTokenCount),
    cachedInput,
    cacheWrite: 0,
    output: countOf(found.candidatesTokenCount),
    reasoning: countOf(found.thoughtsTokenCount),
  };
}
