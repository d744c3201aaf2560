/** A request as an upstream receives it. */
export interface ReceivedRequest {
  readonly method: string;
  /** The path after the upstream's base URL, such as `/chat/completions`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  /**
   * The upstream's id of the model, from the body, the query or the path; empty if the request names none.
   */
  readonly model: string;
  /** The body as sent; empty for a form. */
  readonly text: string;
  /** The body parsed as JSON; `undefined` if it is a form or empty. */
  readonly body: unknown;
  /** The parts of a multipart body. */
  readonly form: ReceivedForm | null;
  /** Its files, in order. */
  readonly files: readonly ReceivedFile[];
}

/** A file in a multipart body. */
export interface ReceivedFile {
  /** The name of its part. */
  readonly part: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export type ReceivedForm = Awaited<ReturnType<Response['formData']>>;

export interface Source {
  /** The published page, document or bug report that states the rule. */
  readonly url: string;
  /** The day on which the source was read, such as `2026-11-28`. */
  readonly checked: string;
}

/** A change to the upstream's basic request (`basic-requests.ts`). */
export interface Example {
  /** The default is the upstream's first model in the rule's family. */
  readonly model?: string;
  readonly path?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Top-level members; one that is `undefined` is removed. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Parts of a form; one that is `undefined` is removed. */
  readonly form?: Readonly<Record<string, string | Blob | undefined>>;
}

/** One reason for which a real provider refuses a request. */
export interface Rule {
  /** Unique within its upstream, such as `tool-call-ids`. */
  readonly id: string;
  /** The provider's requirement, as a sentence with "must" or "is refused" for the documentation. */
  readonly statement: string;
  /** The models that refuse it; by default all of the upstream's models. */
  readonly family?: { readonly label: string; readonly models: RegExp };
  readonly source: Source;
  /** The HTTP status of the refusal; 400 by default. */
  readonly status?: number;
  /** Returns the provider's message, which names the member; `null` if this rule allows the request. */
  readonly refuses: (request: ReceivedRequest) => string | null;
  /** `strict.test.ts` uses them to prove that the rule fires and that no rule refuses the accepted ones. */
  readonly examples: { readonly refused: readonly [Example, ...Example[]]; readonly accepted?: readonly Example[] };
}

/** A provider's service for one wire, with the refusals of the real one. */
export interface StrictUpstream {
  /** Unique, and a segment of its base URL, such as `mistral` or `bedrock-converse`. */
  readonly name: string;
  /** The heading of its table in the documentation. */
  readonly label: string;
  /** The manifest that a channel to it names. */
  readonly provider: string;
  /** The format or wire of the manifest. */
  readonly wire: string;
  /** The server family, if the provider's channels may lead to different servers. */
  readonly server?: string;
  /** Ids of models that the upstream knows, with at least one of each family that has rules. */
  readonly models: readonly string[];
  /** Responses to a GET of these paths; one for `/models` replaces the usual list. */
  readonly says?: Readonly<Record<string, object>>;
  /** Additions to or replacements in the wire's basic request. */
  readonly basic?: Example;
  /** In the order in which the provider checks them. */
  readonly rules: readonly Rule[];
  /** Returns the provider's own error envelope. */
  readonly envelope: (message: string, rule: Rule) => object;
}

export interface Refusal {
  readonly upstream: StrictUpstream;
  readonly rule: Rule;
  readonly message: string;
  readonly status: number;
}

/** Returns the first rule of an upstream that refuses a request, or `null`. */
export function refusalOf(upstream: StrictUpstream, request: ReceivedRequest): Refusal | null {
  for (const rule of upstream.rules) {
    if (!isOfFamily(rule, request.model)) continue;
    const message = rule.refuses(request);
    if (message !== null) return { upstream, rule, message, status: rule.status ?? 400 };
  }
  return null;
}

export function isOfFamily({ family }: Rule, model: string): boolean {
  return family === undefined || family.models.test(model);
}
