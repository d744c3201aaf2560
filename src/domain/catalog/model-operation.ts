import type { ModelCategory } from './category.ts';

/** What can be asked of a model, each at one endpoint (contract, Endpoints); chat models answer in four formats. */
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
] as const;
export type ModelOperation = (typeof OPERATIONS)[number];

/** The four formats of one and the same conversation: a model that serves one of them serves all. */
export const CHAT_OPERATIONS: readonly ModelOperation[] = [
  'chat.completions',
  'responses',
  'messages',
  'generate_content',
];

export function servesChat({ operations }: { readonly operations: readonly ModelOperation[] }): boolean {
  return operations.some((operation) => CHAT_OPERATIONS.includes(operation));
}

/** The operations of a model of this category by default; the first one is its main operation. */
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

/** One field of a request: what a client may put there. */
export interface Parameter {
  /** More than one where the field takes several. */
  readonly type: ParameterType | readonly ParameterType[];
  readonly required?: boolean;
  readonly default?: string | number | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly enum?: readonly (string | number)[];
  /** Characters. */
  readonly maxLength?: number;
  readonly maxItems?: number;
  /** The members of an object that are worth naming. */
  readonly properties?: Readonly<Record<string, Parameter>>;
  /** One sentence. */
  readonly description?: string;
}

/** What differs for one model: by operation, then by field; `null` for a field that the model does not take. */
export type ParameterOverrides = Readonly<
  Partial<Record<ModelOperation, Readonly<Record<string, Readonly<Partial<Parameter>> | null>>>>
>;
