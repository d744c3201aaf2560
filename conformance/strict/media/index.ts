import type { StrictUpstream } from '../rule.ts';
import { groqTranscriptions, openaiSpeech, openaiTranscriptions } from './openai-audio.ts';
import { openaiImageEdits, openaiImages } from './openai-images.ts';

export const imageUpstreams: readonly StrictUpstream[] = [openaiImages, openaiImageEdits];
export const audioUpstreams: readonly StrictUpstream[] = [openaiSpeech, openaiTranscriptions, groqTranscriptions];
