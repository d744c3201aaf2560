/** The kinds of input and output of a model. `embedding` is a vector, `score` a relevance score, `file` a document such as a PDF. */
export const MODALITIES = ['text', 'image', 'audio', 'video', 'file', 'embedding', 'score', '3d'] as const;
export type Modality = (typeof MODALITIES)[number];

/** Features that a client can request from a model besides its modalities. */
export const MODEL_FEATURES = [
  'streaming',
  'tools',
  'parallel_tools',
  'reasoning',
  'structured_output',
  'json_mode',
  'prompt_caching',
  'web_search',
  'logprobs',
] as const;
export type ModelFeature = (typeof MODEL_FEATURES)[number];

export interface Capabilities {
  readonly input: readonly Modality[];
  readonly output: readonly Modality[];
  readonly features: readonly ModelFeature[];
  /** The limit for prompt and completion tokens together; `null` if unknown. */
  readonly contextTokens: number | null;
  readonly maxOutputTokens: number | null;
  /** The default length of an embedding model's vectors. */
  readonly dimensions: number | null;
}

/** The assumed capabilities of an unknown model: it reads and writes text. */
export const NOTHING_KNOWN: Capabilities = {
  input: ['text'],
  output: ['text'],
  features: [],
  contextTokens: null,
  maxOutputTokens: null,
  dimensions: null,
};
