/** A provider's API for batches, into which the gateway can put lines of its own batches. */
export type ProviderBatches = FileBatchRules | MessageBatchRules;

interface BatchRules {
  /** The wires whose requests its lines can be. */
  readonly wires: readonly string[];
  /** The most bytes of one batch, if that is less than what OpenAI takes. */
  readonly mostBytes?: number;
}

/** Anthropic's message batches. */
export interface MessageBatchRules extends BatchRules {
  readonly kind: 'messages';
}

/** The facts that a batch is created from. */
export interface AskedBatch {
  /** The gateway's own id of the batch. */
  readonly id: string;
  readonly fileId: string;
  /** The path of all its lines, such as `/v1/chat/completions`. */
  readonly endpoint: string;
  /** The upstream's id of the model of all its lines. */
  readonly model: string;
}

/** Batches whose lines are a file that is uploaded before: OpenAI's files and batches, and what differs from them. */
export interface FileBatchRules extends BatchRules {
  readonly kind: 'files';
  /** Whether a line has the method and the path of its request, or its body only. */
  readonly line: 'request' | 'body';
  readonly upload: {
    readonly path: string;
    readonly purpose: string;
    /** Whether the form has the name of the file once more, as a field. */
    readonly hasFileName?: true;
  };
  /** The API of its batches (`RELAYED_APIS`). */
  readonly api: 'batches' | 'batch-jobs';
  /** Returns the body of the request that creates a batch. */
  creationOf(asked: AskedBatch): object;
  /** The member of the answer that has the new batch; absent if the answer is the batch. */
  readonly createdIn?: string;
  /** How batches are listed, newest first: after an id, by numbered pages, or all in one array without an order. */
  readonly list: 'after' | 'pages' | 'whole';
  /** The members of a batch that name its input, and its results. */
  readonly members: { readonly input: string; readonly results: readonly string[] };
  /** The statuses of a batch that does not change any more, in lower case. */
  readonly ended: readonly string[];
  /** Whether an uploaded file may have to be processed before a batch can be created from it. */
  readonly processesFiles?: true;
  /**
   * Returns the id of the model in lines, if that is another one than in requests.
   *
   * @param settings those of the channel
   */
  modelOf?(model: string, settings: Readonly<Record<string, unknown>>): string;
}
