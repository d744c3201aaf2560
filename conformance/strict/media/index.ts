import type { StrictUpstream } from '../rule.ts';
import { bflImages } from './bfl-images.ts';
import { geminiImages, imagen, vertexGeminiImages } from './gemini-images.ts';
import { openrouterImages, togetherImages } from './hosted-images.ts';
import { ideogramImages } from './ideogram-images.ts';
import { openaiImageEdits, openaiImages } from './openai-images.ts';
import { recraftImages } from './recraft-images.ts';
import { replicateImages } from './replicate-images.ts';
import { stabilityImages } from './stability-images.ts';
import { xaiImages } from './xai-images.ts';

/** Images in OpenAI's own format, which is also our clients'. */
export const openaiImageUpstreams: readonly StrictUpstream[] = [openaiImages, openaiImageEdits];

export const imageUpstreams: readonly StrictUpstream[] = [
  ...openaiImageUpstreams,
  ...[geminiImages, vertexGeminiImages, imagen, xaiImages, stabilityImages, bflImages, ideogramImages, recraftImages],
  ...[togetherImages, openrouterImages, replicateImages],
];
