import type { StrictUpstream } from '../rule.ts';
import { openaiImageEdits, openaiImages } from './openai-images.ts';

export const imageUpstreams: readonly StrictUpstream[] = [openaiImages, openaiImageEdits];
