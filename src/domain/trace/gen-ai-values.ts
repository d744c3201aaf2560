/*
 * Values of attributes of OpenTelemetry's GenAI conventions (github.com/open-telemetry/semantic-conventions-genai). Traces and metrics use
 * the same ones, so that they can be joined.
 */

/** Providers whose name in the conventions (`gen_ai.provider.name`) is not their id here. All others keep their id, as the conventions allow. */
const PROVIDERS: Readonly<Record<string, string>> = {
  'azure-openai': 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  google: 'gcp.gemini',
  mistral: 'mistral_ai',
  vertex: 'gcp.vertex_ai',
  xai: 'x_ai',
};

/** Returns `gen_ai.provider.name` of a provider's id. */
export function genAiProvider(provider: string): string {
  return PROVIDERS[provider] ?? provider;
}

/** The operations of formats other than those of texts; the conventions know `chat` and `embeddings`, and allow others. */
const OPERATIONS: Readonly<Record<string, string>> = {
  'openai-embeddings': 'embeddings',
  'openai-moderations': 'moderation',
  'jina-rerank': 'rerank',
  'cohere-rerank': 'rerank',
  search: 'web_search',
  'openai-images': 'image_generation',
  'openai-image-edits': 'image_edit',
  'openai-speech': 'speech',
  'openai-transcriptions': 'transcription',
  'openai-translations': 'translation',
  'video-task': 'video_generation',
  'music-task': 'music_generation',
  '3d-task': '3d_generation',
};

/** Returns `gen_ai.operation.name` of a client's format, as it is named in the request log. */
export function genAiOperation(format: string): string {
  return OPERATIONS[format] ?? 'chat';
}
