/**
 * Everything that a request can ask for and that some format carries and another does not, one name each. Every field of a client
 * format's schema maps to one of these (or states why it never leaves its format), every upstream format and provider states what
 * it carries, and the tables in docs/losses are the product of the two.
 */
export const FEATURES = [
  'max-output-tokens',
  'temperature',
  'top-p',
  'top-k',
  'frequency-penalty',
  'presence-penalty',
  'seed',
  'stop',
  'candidate-count',
  'logprobs',
  'logit-bias',
  'json-mode',
  'json-schema',
  'verbosity',
  'output-modalities',
  'reasoning-effort',
  'reasoning-budget',
  'reasoning-summary',
  'reasoning-text',
  'reasoning-state',
  'function-tools',
  'strict-tools',
  'custom-tools',
  'web-search',
  'hosted-tools',
  'tool-choice',
  'tool-choice-required',
  'tool-choice-named',
  'tool-choice-allowed',
  'parallel-tool-calls',
  'tool-result-media',
  'tool-result-error',
  'system-prompt',
  'system-prompt-midway',
  'participant-name',
  'text',
  'refusal',
  'citations',
  'image-inline',
  'image-url',
  'image-detail',
  'audio-inline',
  'audio-url',
  'video-inline',
  'video-url',
  'document-inline',
  'document-url',
  'document-text',
  'document-details',
  'provider-file',
  'cache-marks',
  'cache-key',
  'user',
  'metadata',
  'service-tier',
  'unknown-blocks',
] as const;
export type Feature = (typeof FEATURES)[number];

/**
 * `exact`: nothing is lost. `approximated`: expressed differently. `dropped`: a tuning option has no effect. `refused`: a 400
 * names it.
 */
export type Verdict = 'exact' | 'approximated' | 'dropped' | 'refused';

export type Carriage = 'exact' | { readonly verdict: Exclude<Verdict, 'exact'>; readonly why: string };

/** How an upstream format handles each feature. */
export type Carries = Readonly<Record<Feature, Carriage>>;

export type FieldNames = Readonly<Partial<Record<Feature, string>>>;

/** A part of a request that an upstream body could not carry. */
export interface Loss {
  /** The client's own path to it. */
  readonly field: string;
  readonly verdict: Exclude<Verdict, 'exact'>;
  readonly why: string;
  /** Whether another wire of the same provider carries it: if a channel has one, the request is sent over that. */
  readonly otherWire?: true;
}

/** A member of the client's body without a place in the canonical request. */
export interface RestField {
  /** The client's path, such as `safetySettings` or `messages[0].content[1].foo`. */
  readonly path: string;
  readonly value: unknown;
  /** The verdict if the request goes to another format; the same format gets the member back unchanged. */
  readonly verdict: 'dropped' | 'refused' | 'approximated';
  readonly why: string;
}

const NONE: readonly Loss[] = [];

/** Collects the losses of an encoder, in order. */
export class Losses {
  private found: Map<string, Loss> | null = null;

  /** `names` are the client's own names for features with a separate field (`top-k`: `generationConfig.topK`). */
  constructor(
    readonly carries: Carries,
    private readonly names: FieldNames,
  ) {}

  /**
   * Returns whether the feature is to be encoded at all. If it cannot be encoded, or not exactly, the loss is noted under
   * `field`, the client's path to it.
   */
  carry(feature: Feature, field?: string): boolean {
    const carriage = this.carries[feature];
    if (carriage === 'exact') return true;
    const { verdict, why } = carriage;
    this.note({ field: field ?? this.names[feature] ?? feature, verdict, why });
    return carriage.verdict === 'approximated';
  }

  /** Returns whether the target carries the feature exactly. */
  isExact(feature: Feature): boolean {
    return this.carries[feature] === 'exact';
  }

  /** Notes a loss that depends on the value, with its own verdict. Only the first loss per field and reason is kept. */
  note(loss: Loss): void {
    const key = `${loss.field}\n${loss.why}`;
    this.found ??= new Map();
    if (!this.found.has(key)) this.found.set(key, loss);
  }

  /** Notes the members without a canonical place, for an upstream of another format. */
  noteRest(rest: readonly RestField[]): void {
    for (const { path, verdict, why } of rest) this.note({ field: path, verdict, why });
  }

  get all(): readonly Loss[] {
    return this.found === null ? NONE : [...this.found.values()];
  }
}
