import type { Usage } from '../../../src/domain/exchange/usage.ts';
import { Failure } from '../../../src/domain/failure/failure.ts';
import { upstreamFormats } from '../../../src/formats/index.ts';
import { providers } from '../../../src/providers/index.ts';
import type { OracleEntry } from './oracle.ts';

/** The product's provider ids for the oracle's providers. Others are decoded as OpenAI-compatible servers. */
const MANIFESTS: Readonly<Record<string, string>> = {
  aws: 'bedrock',
  azure: 'azure-openai',
  moonshotai: 'moonshot',
  'x-ai': 'xai',
  zhipuai: 'zai',
};

const FORMAT_OF_DEFAULT: Readonly<Record<string, string>> = {
  anthropic: 'anthropic-messages',
  aws: 'bedrock-converse',
  cohere: 'cohere-chat',
  google: 'gemini',
};

/** A response without content for each format, to which the usage is added. */
const ANSWERS: Readonly<Record<string, object>> = {
  'openai-chat': {
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop' }],
  },
  'openai-responses': { object: 'response', status: 'completed', output: [] },
  'anthropic-messages': { type: 'message', role: 'assistant', content: [], stop_reason: 'end_turn' },
  gemini: { candidates: [{ content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'STOP' }] },
  'bedrock-converse': { output: { message: { role: 'assistant', content: [] } }, stopReason: 'end_turn' },
  'cohere-chat': { message: { role: 'assistant', content: [] }, finish_reason: 'COMPLETE' },
};

/** Returns the product's format for a provider's API, or `null` if it has none. */
export function formatOf(providerId: string, apiFlavor: string): string | null {
  if (apiFlavor === 'embeddings') return null;
  if (apiFlavor === 'responses') return 'openai-responses';
  if (apiFlavor === 'anthropic') return 'anthropic-messages';
  if (apiFlavor === 'chat') return 'openai-chat';
  // Cohere's two flavours are two interpretations of one API.
  if (providerId === 'cohere') return 'cohere-chat';
  return apiFlavor === 'default' ? (FORMAT_OF_DEFAULT[providerId] ?? 'openai-chat') : null;
}

/** Returns the usage that the gateway reads from a response of this provider. */
export function decodeUsage({ body }: OracleEntry, formatName: string, providerId: string): Usage | null {
  const format = upstreamFormats.get(formatName);
  const manifest = providers.get(MANIFESTS[providerId] ?? providerId.replace(/^huggingface_.*/, 'huggingface'));
  if (format === undefined) throw new Error(`there is no format ${formatName}`);
  const quirks = manifest?.formats.find((one) => one.format === formatName)?.quirks ?? [];
  const { file: _, ...members } = body;
  const bytes = new TextEncoder().encode(JSON.stringify({ ...ANSWERS[formatName], ...members }));
  const answer = format.decodeAnswer(bytes, { provider: providerId, channel: 'c', quirks });
  if (answer instanceof Failure) throw new Error(`${body.file} is not a response in ${formatName}: ${answer.message}`);
  return answer.usage;
}
