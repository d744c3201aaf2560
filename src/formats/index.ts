import { bedrockEmbeddings } from './embeddings/bedrock-embeddings/index.ts';
import { cohereEmbed } from './embeddings/cohere-embed/index.ts';
import { geminiEmbeddings } from './embeddings/gemini-embeddings/index.ts';
import { jinaEmbeddings } from './embeddings/jina-embeddings/index.ts';
import { openaiEmbeddings } from './embeddings/openai-embeddings/index.ts';
import { perplexityEmbeddings } from './embeddings/perplexity-embeddings/index.ts';
import { vertexEmbeddings } from './embeddings/vertex-embeddings/index.ts';
import { voyageEmbeddings } from './embeddings/voyage-embeddings/index.ts';
import type { EmbeddingWire } from './embeddings/wire.ts';
import { falThreeD } from './hosts/fal-3d/index.ts';
import { falImages } from './hosts/fal-images/index.ts';
import { falMusic } from './hosts/fal-music/index.ts';
import { falSpeech } from './hosts/fal-speech/index.ts';
import { falTranscriptions } from './hosts/fal-transcriptions/index.ts';
import { falVideos } from './hosts/fal-videos/index.ts';
import { replicateThreeD } from './hosts/replicate-3d/index.ts';
import { replicateImages } from './hosts/replicate-images/index.ts';
import { replicateMusic } from './hosts/replicate-music/index.ts';
import { replicateVideos } from './hosts/replicate-videos/index.ts';
import { sandboxImages } from './hosts/sandbox-images/index.ts';
import { sandboxMusic, sandboxThreeD, sandboxVideos } from './hosts/sandbox-jobs/index.ts';
import { bflImages } from './images/bfl-images/index.ts';
import { geminiImages } from './images/gemini-images/index.ts';
import { ideogramImages } from './images/ideogram-images/index.ts';
import { imagen } from './images/imagen/index.ts';
import { openaiImageEdits } from './images/openai-image-edits/index.ts';
import { openaiImages } from './images/openai-images/index.ts';
import { openrouterImages } from './images/openrouter-images/index.ts';
import { recraftImages } from './images/recraft-images/index.ts';
import { stabilityImages } from './images/stability-images/index.ts';
import { togetherImages } from './images/together-images/index.ts';
import type { ImageWire } from './images/wire.ts';
import { xaiImages } from './images/xai-images/index.ts';
import { openaiModerations } from './moderation/openai-moderations/index.ts';
import { sunoMusic } from './music/suno-music/index.ts';
import { bedrockRerank } from './rerank/bedrock-rerank/index.ts';
import { cohereRerank } from './rerank/cohere-rerank/index.ts';
import { jinaRerank } from './rerank/jina-rerank/index.ts';
import { teiRerank } from './rerank/tei-rerank/index.ts';
import { vertexRanking } from './rerank/vertex-ranking/index.ts';
import { voyageRerank } from './rerank/voyage-rerank/index.ts';
import type { RerankWire } from './rerank/wire.ts';
import { braveSearch } from './search/brave-search/index.ts';
import { exaSearch } from './search/exa-search/index.ts';
import { searxngSearch } from './search/searxng-search/index.ts';
import { tavilySearch } from './search/tavily-search/index.ts';
import type { SearchWire } from './search/wire.ts';
import type { TaskWire } from './shared/tasks/wire.ts';
import { deepgramSpeech } from './speech/deepgram-speech/index.ts';
import { elevenlabsSpeech } from './speech/elevenlabs-speech/index.ts';
import { geminiSpeech } from './speech/gemini-speech/index.ts';
import { mistralSpeech } from './speech/mistral-speech/index.ts';
import { openaiSpeech } from './speech/openai-speech/index.ts';
import type { SpeechWire } from './speech/wire.ts';
import { xaiSpeech } from './speech/xai-speech/index.ts';
import { anthropicMessages } from './text/anthropic-messages/index.ts';
import { bedrockConverse } from './text/bedrock-converse/index.ts';
import { cohereChat } from './text/cohere-chat/index.ts';
import type { ClientFormat, UpstreamFormat } from './text/format.ts';
import { gemini } from './text/gemini/index.ts';
import { openaiChat } from './text/openai-chat/index.ts';
import { openaiCompletions } from './text/openai-completions/index.ts';
import { openaiResponses } from './text/openai-responses/index.ts';
import { meshy3d } from './three-d/meshy-3d/index.ts';
import { tripo3d, tripo3dV2 } from './three-d/tripo-3d/index.ts';
import { cohereTranscriptions } from './transcription/cohere-transcriptions/index.ts';
import { deepgramListen } from './transcription/deepgram-listen/index.ts';
import { elevenlabsTranscriptions } from './transcription/elevenlabs-transcriptions/index.ts';
import { geminiTranscriptions } from './transcription/gemini-transcriptions/index.ts';
import { mistralTranscriptions } from './transcription/mistral-transcriptions/index.ts';
import {
  openaiTranscriptions,
  openaiTranscriptionsAuto,
  openaiTranslations,
} from './transcription/openai-transcriptions/index.ts';
import { openrouterTranscriptions } from './transcription/openrouter-transcriptions/index.ts';
import type { TranscriptionWire } from './transcription/wire.ts';
import { xaiTranscriptions } from './transcription/xai-transcriptions/index.ts';
import { arkVideos } from './video/ark-videos/index.ts';
import { dashscopeVideos } from './video/dashscope-videos/index.ts';
import { klingVideos } from './video/kling-videos/index.ts';
import { lumaVideos } from './video/luma-videos/index.ts';
import { minimaxVideos } from './video/minimax-videos/index.ts';
import { openaiVideos } from './video/openai-videos/index.ts';
import { runwayVideos } from './video/runway-videos/index.ts';
import { togetherVideos } from './video/together-videos/index.ts';
import { veo } from './video/veo/index.ts';
import { viduVideos } from './video/vidu-videos/index.ts';
import { xaiVideos } from './video/xai-videos/index.ts';
import type { OperationWire, Wire } from './wire.ts';

function byName<Named extends Wire>(wires: readonly Named[]): ReadonlyMap<string, Named> {
  return new Map(wires.map((wire) => [wire.name, wire]));
}

/** The formats that clients speak, by name. */
export const clientFormats = byName<ClientFormat>([
  openaiChat,
  openaiResponses,
  anthropicMessages,
  gemini,
  openaiCompletions,
]);

/** Every format that an upstream may speak, by name. */
export const upstreamFormats = byName<UpstreamFormat>([...clientFormats.values(), bedrockConverse, cohereChat]);

/** The embedding wires, by name. */
export const embeddingWires = byName<EmbeddingWire>([
  openaiEmbeddings,
  cohereEmbed,
  voyageEmbeddings,
  jinaEmbeddings,
  geminiEmbeddings,
  vertexEmbeddings,
  bedrockEmbeddings,
  perplexityEmbeddings,
]);

/** The reranking wires, by name. */
export const rerankWires = byName<RerankWire>([
  jinaRerank,
  cohereRerank,
  voyageRerank,
  teiRerank,
  bedrockRerank,
  vertexRanking,
]);

/** The wires for generating and editing images, by name. */
export const imageWires = byName<ImageWire>([
  falImages,
  replicateImages,
  openaiImages,
  openaiImageEdits,
  xaiImages,
  togetherImages,
  openrouterImages,
  geminiImages,
  imagen,
  bflImages,
  stabilityImages,
  ideogramImages,
  recraftImages,
  sandboxImages,
]);

/** The text-to-speech wires, by name. */
export const speechWires = byName<SpeechWire>([
  openaiSpeech,
  mistralSpeech,
  deepgramSpeech,
  elevenlabsSpeech,
  xaiSpeech,
  geminiSpeech,
  falSpeech,
]);

/** The transcription wires, by name. */
export const transcriptionWires = byName<TranscriptionWire>([
  openaiTranscriptions,
  openaiTranscriptionsAuto,
  openaiTranslations,
  cohereTranscriptions,
  deepgramListen,
  elevenlabsTranscriptions,
  falTranscriptions,
  geminiTranscriptions,
  mistralTranscriptions,
  openrouterTranscriptions,
  xaiTranscriptions,
]);

/** The wires for web searches, by name. */
export const searchWires = byName<SearchWire>([braveSearch, exaSearch, searxngSearch, tavilySearch]);

/** The wires for work that outlives the request (videos, music, 3D models), by name. */
export const taskWires = byName<TaskWire>([
  arkVideos,
  dashscopeVideos,
  falMusic,
  falThreeD,
  falVideos,
  klingVideos,
  lumaVideos,
  meshy3d,
  minimaxVideos,
  openaiVideos,
  replicateMusic,
  replicateThreeD,
  replicateVideos,
  runwayVideos,
  sandboxMusic,
  sandboxThreeD,
  sandboxVideos,
  sunoMusic,
  tripo3d,
  tripo3dV2,
  togetherVideos,
  veo,
  viduVideos,
  xaiVideos,
]);

/** The wires of all operations except text generation, by name. */
export const operationWires = byName<OperationWire>([
  openaiModerations,
  ...searchWires.values(),
  ...embeddingWires.values(),
  ...rerankWires.values(),
  ...imageWires.values(),
  ...speechWires.values(),
  ...transcriptionWires.values(),
  ...taskWires.values(),
]);
