import { anthropicMessages } from './anthropic-messages/index.ts';
import { bedrockConverse } from './bedrock-converse/index.ts';
import { bedrockEmbeddings } from './bedrock-embeddings/index.ts';
import { bedrockRerank } from './bedrock-rerank/index.ts';
import { bflImages } from './bfl-images/index.ts';
import { cohereChat } from './cohere-chat/index.ts';
import { cohereEmbed } from './cohere-embed/index.ts';
import { cohereRerank } from './cohere-rerank/index.ts';
import { cohereTranscriptions } from './cohere-transcriptions/index.ts';
import { deepgramListen } from './deepgram-listen/index.ts';
import { deepgramSpeech } from './deepgram-speech/index.ts';
import { elevenlabsSpeech } from './elevenlabs-speech/index.ts';
import { elevenlabsTranscriptions } from './elevenlabs-transcriptions/index.ts';
import { falImages } from './fal-images/index.ts';
import { falSpeech } from './fal-speech/index.ts';
import { falTranscriptions } from './fal-transcriptions/index.ts';
import type { ClientFormat, UpstreamFormat } from './format.ts';
import { gemini } from './gemini/index.ts';
import { geminiEmbeddings } from './gemini-embeddings/index.ts';
import { geminiImages } from './gemini-images/index.ts';
import { geminiSpeech } from './gemini-speech/index.ts';
import { geminiTranscriptions } from './gemini-transcriptions/index.ts';
import { ideogramImages } from './ideogram-images/index.ts';
import { imagen } from './imagen/index.ts';
import { jinaEmbeddings } from './jina-embeddings/index.ts';
import { jinaRerank } from './jina-rerank/index.ts';
import { mistralSpeech } from './mistral-speech/index.ts';
import { mistralTranscriptions } from './mistral-transcriptions/index.ts';
import { openaiChat } from './openai-chat/index.ts';
import { openaiCompletions } from './openai-completions/index.ts';
import { openaiEmbeddings } from './openai-embeddings/index.ts';
import { openaiImageEdits } from './openai-image-edits/index.ts';
import { openaiImages } from './openai-images/index.ts';
import { openaiModerations } from './openai-moderations/index.ts';
import { openaiResponses } from './openai-responses/index.ts';
import { openaiSpeech } from './openai-speech/index.ts';
import { openaiTranscriptions, openaiTranscriptionsAuto, openaiTranslations } from './openai-transcriptions/index.ts';
import { openrouterImages } from './openrouter-images/index.ts';
import { openrouterTranscriptions } from './openrouter-transcriptions/index.ts';
import { perplexityEmbeddings } from './perplexity-embeddings/index.ts';
import { recraftImages } from './recraft-images/index.ts';
import { replicateImages } from './replicate-images/index.ts';
import { sandboxImages } from './sandbox-images/index.ts';
import { stabilityImages } from './stability-images/index.ts';
import { taskWires } from './task-wires.ts';
import { teiRerank } from './tei-rerank/index.ts';
import { togetherImages } from './together-images/index.ts';
import { vertexEmbeddings } from './vertex-embeddings/index.ts';
import { vertexRanking } from './vertex-ranking/index.ts';
import { voyageEmbeddings } from './voyage-embeddings/index.ts';
import { voyageRerank } from './voyage-rerank/index.ts';
import type { EmbeddingWire, ImageWire, OperationWire, RerankWire, SpeechWire, TranscriptionWire } from './wire.ts';
import { xaiImages } from './xai-images/index.ts';
import { xaiSpeech } from './xai-speech/index.ts';
import { xaiTranscriptions } from './xai-transcriptions/index.ts';

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

/** The wires over which texts are embedded, by name. */
export const embeddingWires: ReadonlyMap<string, EmbeddingWire> = new Map(embeddings.map((wire) => [wire.name, wire]));

const reranks: readonly RerankWire[] = [
  jinaRerank,
  cohereRerank,
  voyageRerank,
  teiRerank,
  bedrockRerank,
  vertexRanking,
];

/** The wires for reranking, by name. */
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

/** The wires for making and editing images, by name. */
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

/** The wires for speaking a text, by name. */
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

/** The wires for writing down speech, by name. */
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

/** The wires of all operations but texts, by name. */
export const operationWires: ReadonlyMap<string, OperationWire> = new Map(others.map((wire) => [wire.name, wire]));
