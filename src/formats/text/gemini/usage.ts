import { completionTokens, promptTokens, type Usage } from '../../../domain/exchange/usage.ts';
import { countOrNull, nonEmptyText } from '../../shared/json/json-values.ts';
import { entryOf, isRecord } from '../../shared/json/record.ts';
import { estimateMark } from '../shared/openai-usage.ts';
import { enumName, memberOf, numberOf, type WireObject } from './decoding.ts';

/** GenerativeLanguageModality in the order of its numbers. */
const MODALITIES = ['MODALITY_UNSPECIFIED', 'TEXT', 'IMAGE', 'VIDEO', 'AUDIO', 'DOCUMENT'];

/**
 * Reads `usageMetadata` (the published document, "UsageMetadata"): `promptTokenCount` includes the cached tokens. Thoughts
 * and the prompts of Google's own tools are counted separately. `null` when the object holds no counts (Vertex sends one
 * with only `trafficType` in every chunk but the last).
 */
export function decodeUsage(value: unknown, webSearches?: number): Usage | null {
  if (!isRecord(value)) return null;
  const prompt = count(value, 'promptTokenCount');
  const candidates = count(value, 'candidatesTokenCount');
  const total = count(value, 'totalTokenCount');
  if (prompt === null && candidates === null && total === null) return null;
  const reasoning = count(value, 'thoughtsTokenCount') ?? 0;
  const toolUse = count(value, 'toolUsePromptTokenCount') ?? 0;
  const cachedInput = Math.min(count(value, 'cachedContentTokenCount') ?? 0, prompt ?? 0);
  const inPrompt = modalitiesOf(value, 'promptTokensDetails');
  const inCache = modalitiesOf(value, 'cacheTokensDetails');
  const inAnswer = modalitiesOf(value, 'candidatesTokensDetails');
  // The details of the prompt also include cached tokens, so the cache's tokens are subtracted from each modality.
  let uncached = (prompt ?? 0) - cachedInput;
  const inputAudio = take('AUDIO');
  const inputImage = take('IMAGE');
  function take(modality: string): number | undefined {
    const all = inPrompt.get(modality);
    if (all === undefined) return undefined;
    const taken = Math.min(Math.max(0, all - (inCache.get(modality) ?? 0)), uncached);
    uncached -= taken;
    return taken;
  }
  // If the answer's own count is missing, it is computed from the total.
  const answer = candidates ?? Math.max(0, (total ?? 0) - (prompt ?? 0) - reasoning - toolUse);
  const outputAudio = within(inAnswer.get('AUDIO'), answer);
  const outputImage = within(inAnswer.get('IMAGE'), answer - (outputAudio ?? 0));
  return {
    input: uncached + toolUse,
    cachedInput,
    cacheWrite: 0,
    ...(inputAudio === undefined ? {} : { inputAudio }),
    ...(inputImage === undefined ? {} : { inputImage }),
    output: answer - (outputAudio ?? 0) - (outputImage ?? 0),
    reasoning,
    ...(outputAudio === undefined ? {} : { outputAudio }),
    ...(outputImage === undefined ? {} : { outputImage }),
    ...(webSearches === undefined || webSearches === 0 ? {} : { webSearches }),
    source: 'reported',
    raw: value,
  };
}

/** Vertex's names for the tiers of Google's own API. Capacity that was bought in advance is not a tier. */
const TIER_OF_TRAFFIC: Readonly<Record<string, string>> = {
  ON_DEMAND: 'standard',
  ON_DEMAND_PRIORITY: 'priority',
  ON_DEMAND_FLEX: 'flex',
};

/** Returns the service tier of the answer according to its `usageMetadata`. */
export function serviceTierOf(value: unknown): string | null {
  if (!isRecord(value)) return null;
  const traffic = nonEmptyText(memberOf(value, 'trafficType'));
  const tier = nonEmptyText(memberOf(value, 'serviceTier'))?.toLowerCase() ?? null;
  return tier ?? (traffic === null ? null : (entryOf(TIER_OF_TRAFFIC, traffic) ?? null));
}

function count(value: WireObject, name: string): number | null {
  return countOrNull(numberOf(memberOf(value, name)));
}

function within(value: number | undefined, most: number): number | undefined {
  return value === undefined ? undefined : Math.min(value, Math.max(0, most));
}

function modalitiesOf(value: WireObject, name: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  const details = memberOf(value, name);
  for (const detail of Array.isArray(details) ? details : []) {
    if (!isRecord(detail)) continue;
    const modality = enumName(detail.modality, MODALITIES);
    const tokens = count(detail, 'tokenCount');
    if (modality !== null && tokens !== null) found.set(modality, (found.get(modality) ?? 0) + tokens);
  }
  return found;
}

/**
 * Returns usage in Gemini's convention: the prompt's count includes cached tokens, and thoughts are separate from the answer's
 * count.
 */
export function encodeUsage(usage: Usage, serviceTier: string | null | undefined): WireObject {
  const prompt = promptTokens(usage);
  const completion = completionTokens(usage);
  const { cachedInput, reasoning, inputAudio, inputImage, outputAudio, outputImage } = usage;
  return {
    promptTokenCount: prompt,
    ...(cachedInput > 0 ? { cachedContentTokenCount: cachedInput } : {}),
    candidatesTokenCount: completion - reasoning,
    ...(reasoning > 0 ? { thoughtsTokenCount: reasoning } : {}),
    totalTokenCount: prompt + completion,
    ...detailsOf('promptTokensDetails', prompt, inputAudio, inputImage),
    ...detailsOf('candidatesTokensDetails', completion - reasoning, outputAudio, outputImage),
    ...(typeof serviceTier === 'string' ? { serviceTier } : {}),
    ...estimateMark(usage),
  };
}

function detailsOf(name: string, total: number, audio: number | undefined, image: number | undefined): WireObject {
  if (!audio && !image) return {};
  const details = [
    { modality: 'TEXT', tokenCount: total - (audio ?? 0) - (image ?? 0) },
    ...(image ? [{ modality: 'IMAGE', tokenCount: image }] : []),
    ...(audio ? [{ modality: 'AUDIO', tokenCount: audio }] : []),
  ];
  return { [name]: details };
}
