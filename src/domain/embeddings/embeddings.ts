/* What every wire of embeddings reads its request from and brings its answer to, whatever client and upstream speak. */

/** `base64`: the vector's numbers as IEEE float32, little-endian, one after the other. */
export type EmbeddingEncoding = 'float' | 'base64';

/** At least one, all of one kind; none is empty. */
export type EmbeddingInputs =
  | { readonly kind: 'texts'; readonly texts: readonly string[] }
  /** Ids of tokens, as the tokenizer of the model numbers them. */
  | { readonly kind: 'tokens'; readonly lists: readonly (readonly number[])[] };

export interface EmbeddingRequest {
  /** The public id of the model. */
  readonly model: string;
  readonly inputs: EmbeddingInputs;
  /** As the client wants the vectors, whichever way the upstream gives them. */
  readonly encoding: EmbeddingEncoding;
  /** How long the vectors are to be; `null` for as long as the model makes them. */
  readonly dimensions: number | null;
  /** The client's name for its end user. */
  readonly user: string | null;
  /** As the client sent it: an upstream that speaks the same gets these bytes, with its own name of the model. */
  readonly bytes: Uint8Array;
  /** The same as a value, with members that only some upstreams know. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** All numbers are finite. */
export type EmbeddingVector = readonly number[] | Float32Array;

export interface EmbeddingAnswer {
  /** In the order of the inputs, one for each, all of one length. */
  readonly vectors: readonly EmbeddingVector[];
  /** Of all inputs together, as the upstream has counted them; `null` where it has not said it. */
  readonly tokens: number | null;
  /** The model as the upstream names it. */
  readonly model: string | null;
}

export function countOfInputs(inputs: EmbeddingInputs): number {
  return inputs.kind === 'texts' ? inputs.texts.length : inputs.lists.length;
}
