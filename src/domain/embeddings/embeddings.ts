/* The canonical form of embedding requests and answers. Every embeddings wire converts from it and to it. */

/** `base64`: the vector's numbers as IEEE float32, little-endian, one after the other. */
export type EmbeddingEncoding = 'float' | 'base64';

/** At least one input, all of one kind, none of them empty. */
export type EmbeddingInputs =
  | { readonly kind: 'texts'; readonly texts: readonly string[] }
  /** Token ids in the numbering of the model's tokenizer. */
  | { readonly kind: 'tokens'; readonly lists: readonly (readonly number[])[] };

export interface EmbeddingRequest {
  /** The public id of the model. */
  readonly model: string;
  readonly inputs: EmbeddingInputs;
  /** The encoding that the client wants, whichever encoding the upstream uses. */
  readonly encoding: EmbeddingEncoding;
  /** The wanted length of the vectors; `null` for the model's own length. */
  readonly dimensions: number | null;
  /** The client's name for its end user. */
  readonly user: string | null;
  /**
   * The client's original bytes. An upstream that speaks the same format gets these bytes, with its own name for the model and
   * without what is for the gateway alone.
   */
  readonly bytes: Uint8Array;
  /** The same body as a value, with members that only some upstreams know, and without what is for the gateway alone. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a text is embedded for: models that know it place a query near its documents, and not near other queries. */
export const INPUT_TYPES = [
  'query',
  'document',
  'classification',
  'clustering',
  'similarity',
  'question_answering',
  'fact_verification',
  'code_query',
] as const;
export type InputType = (typeof INPUT_TYPES)[number];

/** All numbers are finite. */
export type EmbeddingVector = readonly number[] | Float32Array;

export interface EmbeddingAnswer {
  /** One vector for each input, in the order of the inputs, all of the same length. */
  readonly vectors: readonly EmbeddingVector[];
  /** The tokens of all inputs together, as counted by the upstream; `null` if it does not report them. */
  readonly tokens: number | null;
  /** The upstream's name for the model. */
  readonly model: string | null;
  /** The upstream's vectors have members of their own beside the numbers, which this form does not hold. */
  readonly hasMore?: boolean;
}

export function countOfInputs(inputs: EmbeddingInputs): number {
  return inputs.kind === 'texts' ? inputs.texts.length : inputs.lists.length;
}

/** The same inputs in lists of at most `most`, in their order. */
export function splitInputs(inputs: EmbeddingInputs, most: number): readonly EmbeddingInputs[] {
  const parts: EmbeddingInputs[] = [];
  for (let start = 0; start < countOfInputs(inputs); start += most) {
    const end = start + most;
    parts.push(
      inputs.kind === 'texts'
        ? { kind: 'texts', texts: inputs.texts.slice(start, end) }
        : { kind: 'tokens', lists: inputs.lists.slice(start, end) },
    );
  }
  return parts;
}
