import { audioUpstreams } from './audio/index.ts';
import { cohereChat } from './chat/cohere.ts';
import { chatUpstreams } from './chat/index.ts';
import { anthropicMessages, bedrockClaude, vertexClaude } from './claude/index.ts';
import { bedrockConverse } from './converse/index.ts';
import { gemini, vertexGemini } from './gemini/index.ts';
import { imageUpstreams } from './media/index.ts';
import { openaiAudioChat } from './openai/audio-chat.ts';
import { azureChat, azureResponses } from './openai/azure.ts';
import { openaiChat } from './openai/chat.ts';
import { openaiResponses } from './openai/responses.ts';
import type { StrictUpstream } from './rule.ts';
import { embeddingUpstreams, rerankUpstreams } from './search/index.ts';
import { selfHostedUpstreams } from './self-hosted/index.ts';

/** All strict upstreams, in the order of the documentation's tables. */
export const strictUpstreams: readonly StrictUpstream[] = [
  ...[openaiChat, openaiResponses, openaiAudioChat, azureChat, azureResponses],
  ...chatUpstreams,
  cohereChat,
  ...[anthropicMessages, vertexClaude, bedrockClaude, bedrockConverse],
  ...[gemini, vertexGemini],
  ...selfHostedUpstreams,
  ...embeddingUpstreams,
  ...rerankUpstreams,
  ...imageUpstreams,
  ...audioUpstreams,
];

/** Returns the upstream that stands for a provider's service in a format or over a wire, or `null` where there is none. */
export function strictUpstreamOf(provider: string, wire: string): StrictUpstream | null {
  return strictUpstreams.find((upstream) => upstream.provider === provider && upstream.wire === wire) ?? null;
}
