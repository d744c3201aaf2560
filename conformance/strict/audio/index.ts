import type { StrictUpstream } from '../rule.ts';
import { cohereTranscriptions } from './cohere.ts';
import { deepgramListen, deepgramSpeech } from './deepgram.ts';
import { elevenlabsSpeech, elevenlabsTranscriptions } from './elevenlabs.ts';
import { geminiSpeech, geminiTranscriptions, vertexSpeech, vertexTranscriptions } from './google.ts';
import { groqSpeech, groqTranscriptions, groqTranslations } from './groq.ts';
import { mistralSpeech, mistralTranscriptions } from './mistral.ts';
import { openaiSpeech, openaiTranscriptions, openaiTranslations } from './openai.ts';
import { openrouterTranscriptions } from './openrouter.ts';
import { xaiSpeech, xaiTranscriptions } from './xai.ts';

export const speechUpstreams: readonly StrictUpstream[] = [
  ...[openaiSpeech, groqSpeech, mistralSpeech, deepgramSpeech, elevenlabsSpeech, xaiSpeech, geminiSpeech, vertexSpeech],
];

export const transcriptionUpstreams: readonly StrictUpstream[] = [
  ...[openaiTranscriptions, groqTranscriptions, mistralTranscriptions, deepgramListen, elevenlabsTranscriptions],
  ...[xaiTranscriptions, cohereTranscriptions, openrouterTranscriptions, geminiTranscriptions, vertexTranscriptions],
];

export const translationUpstreams: readonly StrictUpstream[] = [openaiTranslations, groqTranslations];

export const audioUpstreams: readonly StrictUpstream[] = [
  ...speechUpstreams,
  ...transcriptionUpstreams,
  ...translationUpstreams,
];
