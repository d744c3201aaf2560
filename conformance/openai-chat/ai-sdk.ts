import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, type LanguageModel, streamText } from 'ai';
import { isObject } from '../shared/json.ts';
import { aiCallSettings } from './ai-request.ts';
import type { ChatCase } from './chat-case.ts';
import { type Outcome, type SdkError, sdkError } from './outcome.ts';
import { modelFor, type Target, type WireTap } from './target.ts';

/** Warnings about a recording's own request are the same on both sides and only fill the screen. */
globalThis.AI_SDK_LOG_WARNINGS = false;

const OPENAI_PROVIDERS: ReadonlySet<string> = new Set(['openai', 'azure']);

function languageModel(one: ChatCase, target: Target, tap: WireTap): LanguageModel {
  const settings = { baseURL: target.baseUrl, apiKey: target.apiKey, fetch: tap.fetch };
  if (OPENAI_PROVIDERS.has(one.recording.provider)) return createOpenAI(settings).chat(modelFor(target, one));
  const compatible = createOpenAICompatible({
    ...settings,
    name: 'switchyard',
    supportsStructuredOutputs: true,
    // Where a usage chunk was recorded it is asked for; so no rule about hidden usage is needed here.
    includeUsage: one.asksForUsage || one.hasUsageChunk,
  });
  return compatible(modelFor(target, one));
}

/** A chat through the `ai` SDK: `streamText` where the recorded client streamed, else `generateText`. */
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

/** The SDK's getters hand out the rest; an absent structured output throws, which is an answer too. */
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
 * Left out of the comparison: the model's id and `_routing` (the contract lets the gateway change them), the request,
 * which holds the model's id again, the answer's headers, and what a clock decides (`performance`).
 */
const INCOMPARABLE: ReadonlySet<string> = new Set(['modelId', '_routing', 'headers', 'request', 'performance']);

/** A wire answer within the SDK's result (`response.body`, a raw chunk's `rawValue`) names the model as `model`. */
const WIRE_ANSWERS: ReadonlySet<string> = new Set(['body', 'rawValue']);

const startedAt = Date.now();

function comparable(value: unknown): unknown {
  if (value instanceof Error) return sdkError(value);
  // The SDK puts the current time where the provider sent none; no recording is as young as this run.
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
