import { bedrockEmbeddings } from './embeddings/bedrock-embeddings/index.ts';
import { cohereEmbed } from './embeddings/cohere-embed/index.ts';
import { geminiEmbeddings } from './embeddings/gemini-embeddings/index.ts';
import { jinaEmbeddings } from './embeddings/jina-embeddings/index.ts';
import { openaiEmbeddings } from './embeddings/openai-embeddings/index.ts';
import { perplexityEmbeddings } from './embeddings/perplexity-embeddings/index.ts';
import { vertexEmbeddings } from './embeddings/vertex-embeddings/index.ts';
import { voyageEmbeddings } from './embeddings/voyage-embeddings/index.ts';
import type { ClientFormat, UpstreamFormat } from './format.ts';
import { falImages } from './hosts/fal-images/index.ts';
import { falSpeech } from './hosts/fal-speech/index.ts';
import { falTranscriptions } from './hosts/fal-transcriptions/index.ts';
import { replicateImages } from './hosts/replicate-images/index.ts';
import { sandboxImages } from './hosts/sandbox-images/index.ts';
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
import { xaiImages } from './images/xai-images/index.ts';
import { openaiModerations } from './moderation/openai-moderations/index.ts';
import { bedrockRerank } from './rerank/bedrock-rerank/index.ts';
import { cohereRerank } from './rerank/cohere-rerank/index.ts';
import { jinaRerank } from './rerank/jina-rerank/index.ts';
import { teiRerank } from './rerank/tei-rerank/index.ts';
import { vertexRanking } from './rerank/vertex-ranking/index.ts';
import { voyageRerank } from './rerank/voyage-rerank/index.ts';
import { deepgramSpeech } from './speech/deepgram-speech/index.ts';
import { elevenlabsSpeech } from './speech/elevenlabs-speech/index.ts';
import { geminiSpeech } from './speech/gemini-speech/index.ts';
import { mistralSpeech } from './speech/mistral-speech/index.ts';
import { openaiSpeech } from './speech/openai-speech/index.ts';
import { xaiSpeech } from './speech/xai-speech/index.ts';
import { taskWires } from './task-wires.ts';
import { anthropicMessages } from './text/anthropic-messages/index.ts';
import { bedrockConverse } from './text/bedrock-converse/index.ts';
import { cohereChat } from './text/cohere-chat/index.ts';
import { gemini } from './text/gemini/index.ts';
import { openaiChat } from './text/openai-chat/index.ts';
import { openaiCompletions } from './text/openai-completions/index.ts';
import { openaiResponses } from './text/openai-responses/index.ts';
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
import { xaiTranscriptions } from './transcription/xai-transcriptions/index.ts';
import type { EmbeddingWire, ImageWire, OperationWire, RerankWire, SpeechWire, TranscriptionWire } from './wire.ts';

const client: readonly ClientFormat[] = [openaiChat, openaiResponses, anthropicMessages, gemini, openaiCompletions];

const upstreamOnly: readonly UpstreamFormat[] = [bedrockConverse, cohereChat];

/** The formats that clients speak, by name. */
export const clientFormats: ReadonlyMap<string, ClientFormat> = new Map(client.map((format) => [format.name, format]));

/** Every format that an upstream may speak, by name. */
export const upstreamFormats: ReadonlyMap<string, UpstreamFormat> = new Map(
  [...client, ...upstreamOnly].map((format) => [format.name, format]),
);

const embeddings: readonly EmbeddingWire[] = [
  openaiEmbeddings,
  cohereEmbed,
  voyageEmbeddings,
  jinaEmbeddings,
  geminiEmbeddings,
  vertexEmbeddings,
  bedrockEmbeddings,
  perplexityEmbeddings,
];

/** The embedding wires, by name. */
export const embeddingWires: ReadonlyMap<string, EmbeddingWire> = new Map(embeddings.map((wire) => [wire.name, wire]));

const reranks: readonly RerankWire[] = [
  jinaRerank,
  cohereRerank,
  voyageRerank,
  teiRerank,
  bedrockRerank,
  vertexRanking,
];

/** The reranking wires, by name. */
export const rerankWires: ReadonlyMap<string, RerankWire> = new Map(reranks.map((wire) => [wire.name, wire]));

const images: readonly ImageWire[] = [
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
];

/** The wires for generating and editing images, by name. */
export const imageWires: ReadonlyMap<string, ImageWire> = new Map(images.map((wire) => [wire.name, wire]));

const speech: readonly SpeechWire[] = [
  openaiSpeech,
  mistralSpeech,
  deepgramSpeech,
  elevenlabsSpeech,
  xaiSpeech,
  geminiSpeech,
  falSpeech,
];

/** The text-to-speech wires, by name. */
export const speechWires: ReadonlyMap<string, SpeechWire> = new Map(speech.map((wire) => [wire.name, wire]));

const transcription: readonly TranscriptionWire[] = [
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
];

/** The transcription wires, by name. */
export const transcriptionWires: ReadonlyMap<string, TranscriptionWire> = new Map(
  transcription.map((wire) => [wire.name, wire]),
);

const others: readonly OperationWire[] = [
  openaiModerations,
  ...embeddings,
  ...reranks,
  ...images,
  ...speech,
  ...transcription,
  ...taskWires.values(),
];

/** The wires of all operations except text generation, by name. */
export const operationWires: ReadonlyMap<string, OperationWire> = new Map(others.map((wire) => [wire.name, wire]));
