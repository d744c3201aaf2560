import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, type LanguageModel, streamText } from 'ai';
import { isObject } from '../shared/json.ts';
import { aiCallSettings } from './ai-request.ts';
import type { ChatCase } from './chat-case.ts';
import { type Outcome, type SdkError, sdkError } from './outcome.ts';
import { modelFor, type Target, type WireTap } from './target.ts';

/** Warnings about a recorded request are the same on both sides and clutter the output. */
globalThis.AI_SDK_LOG_WARNINGS = false;

const OPENAI_PROVIDERS: ReadonlySet<string> = new Set(['openai', 'azure']);

function languageModel(one: ChatCase, target: Target, tap: WireTap): LanguageModel {
  const settings = { baseURL: target.baseUrl, apiKey: target.apiKey, fetch: tap.fetch };
  if (OPENAI_PROVIDERS.has(one.recording.provider)) return createOpenAI(settings).chat(modelFor(target, one));
  const compatible = createOpenAICompatible({
    ...settings,
    name: 'switchyard',
    supportsStructuredOutputs: true,
    // Requests usage if the recording has a usage chunk, so this SDK needs no rule about hidden usage.
    includeUsage: one.asksForUsage || one.hasUsageChunk,
  });
  return compatible(modelFor(target, one));
}

/** Runs a chat through the `ai` SDK: with `streamText` if the recorded client streamed, otherwise `generateText`. */
export async function runAiSdk(one: ChatCase, target: Target, tap: WireTap): Promise<Outcome> {
  const model = languageModel(one, target, tap);
  try {
    const value = one.streaming ? await streamed(one, model) : await generated(one, model);
    const error = firstErrorPart(value);
    return { value: comparable(value), ...(error === undefined ? {} : { error }) };
  } catch (error) {
    return { error: sdkError(error) };
  }
}

/** The remaining results are behind getters. One without structured output throws, and that error is compared too. */
async function outputOf(read: () => unknown): Promise<unknown> {
  try {
    return await read();
  } catch (error) {
    return sdkError(error);
  }
}

async function generated(one: ChatCase, model: LanguageModel): Promise<unknown> {
  const settings = aiCallSettings(one.request);
  const result = await generateText({ ...settings, model, maxRetries: 0, include: { responseBody: true } });
  return {
    content: result.content,
    text: result.text,
    reasoningText: result.finalStep.reasoningText,
    toolCalls: result.toolCalls,
    sources: result.sources,
    files: result.files,
    finishReason: result.finishReason,
    rawFinishReason: result.rawFinishReason,
    usage: result.usage,
    warnings: result.warnings,
    providerMetadata: result.finalStep.providerMetadata,
    response: result.finalStep.response,
    output: 'output' in settings ? await outputOf(() => result.output) : undefined,
  };
}

async function streamed(one: ChatCase, model: LanguageModel): Promise<unknown> {
  const settings = aiCallSettings(one.request);
  const result = streamText({
    ...settings,
    model,
    maxRetries: 0,
    include: { rawChunks: true },
    onError: () => undefined,
  });
  const parts: unknown[] = [];
  for await (const part of result.fullStream) parts.push(part);
  return {
    parts,
    text: await outputOf(() => result.text),
    finishReason: await outputOf(() => result.finishReason),
    usage: await outputOf(() => result.usage),
    output: 'output' in settings ? await outputOf(() => result.output) : undefined,
  };
}

function firstErrorPart(value: unknown): SdkError | undefined {
  if (!isObject(value) || !Array.isArray(value.parts)) return undefined;
  const part: unknown = value.parts.find((one: unknown) => isObject(one) && one.type === 'error');
  return isObject(part) ? sdkError(part.error) : undefined;
}

/**
 * Members that are not compared: the model id and `_routing`, which the contract lets the gateway change; the
 * request, which contains the model id; the response headers; and timings (`performance`).
 */
const INCOMPARABLE: ReadonlySet<string> = new Set(['modelId', '_routing', 'headers', 'request', 'performance']);

/**
 * The members of the SDK's result that hold a response body (`response.body`, a raw chunk's `rawValue`), where the
 * model id is called `model`.
 */
const WIRE_ANSWERS: ReadonlySet<string> = new Set(['body', 'rawValue']);

const startedAt = Date.now();

function comparable(value: unknown): unknown {
  if (value instanceof Error) return sdkError(value);
  // The SDK uses the current time if the provider sent none. Every recorded timestamp is older than this run.
  if (value instanceof Date) return value.getTime() >= startedAt ? '(now)' : value.toISOString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(comparable);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !INCOMPARABLE.has(key));
  return Object.fromEntries(
    kept.map(([key, inner]) => [key, WIRE_ANSWERS.has(key) ? wireAnswer(inner) : comparable(inner)]),
  );
}

function wireAnswer(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { model: _model, _routing, ...rest } = value;
  return rest;
}
