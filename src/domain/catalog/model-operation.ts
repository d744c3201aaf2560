import type { ModelCategory } from './category.ts';

/** The operations of models, one per endpoint (contract, Endpoints); chat models answer in four formats. */
export const OPERATIONS = [
  'chat.completions',
  'responses',
  'messages',
  'generate_content',
  'embeddings',
  'rerank',
  'images.generations',
  'images.edits',
  'audio.speech',
  'audio.transcriptions',
  'audio.translations',
  'videos.generations',
  'music.generations',
  '3d.generations',
  'moderations',
  'search',
] as const;
export type ModelOperation = (typeof OPERATIONS)[number];

/** The four formats of the same conversation: a model that serves one of them serves all. */
export const CHAT_OPERATIONS: readonly ModelOperation[] = [
  'chat.completions',
  'responses',
  'messages',
  'generate_content',
];

export function servesChat({ operations }: { readonly operations: readonly ModelOperation[] }): boolean {
  return operations.some((operation) => CHAT_OPERATIONS.includes(operation));
}

/** The default operations of a model by category; the first one is its main operation. */
export const USUAL_OPERATIONS: Readonly<Record<ModelCategory, readonly ModelOperation[]>> = {
  chat: CHAT_OPERATIONS,
  audio: CHAT_OPERATIONS,
  image: ['images.generations'],
  video: ['videos.generations'],
  tts: ['audio.speech'],
  stt: ['audio.transcriptions'],
  music: ['music.generations'],
  '3d': ['3d.generations'],
  embedding: ['embeddings'],
  rerank: ['rerank'],
  translation: ['audio.translations'],
};

export type ParameterType = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'file';

/** A field of a request. */
export interface Parameter {
  /** A list if the field accepts several types. */
  readonly type: ParameterType | readonly ParameterType[];
  readonly required?: boolean;
  readonly default?: string | number | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly (string | number)[];
  /** The limit in characters. */
  readonly maxLength?: number;
  readonly maxItems?: number;
  /** The documented members of an object. */
  readonly properties?: Readonly<Record<string, Parameter>>;
  /** One sentence. */
  readonly description?: string;
}

/** Differences for one model, by operation and field; `null` for a field that the model does not accept. */
export type ParameterOverrides = Readonly<
  Partial<Record<ModelOperation, Readonly<Record<string, Readonly<Partial<Parameter>> | null>>>>
>;
