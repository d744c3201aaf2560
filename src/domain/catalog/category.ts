/** The contract's eleven categories (GET /v1/models, `category`). */
export const MODEL_CATEGORIES = [
  'chat',
  'image',
  'video',
  'audio',
  'tts',
  'stt',
  'music',
  '3d',
  'embedding',
  'rerank',
  'translation',
] as const;
export type ModelCategory = (typeof MODEL_CATEGORIES)[number];
