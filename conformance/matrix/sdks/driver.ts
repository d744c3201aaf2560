import type { ClientFormat, ExpectedAnswer } from '../../readers/index.ts';

export type Form = 'whole' | 'stream';

/** The server that an SDK uses: the replayed provider itself, or the gateway in front of it. */
export interface Target {
  /** Scheme, host and port; each SDK appends its own path. */
  readonly origin: string;
  readonly apiKey: string;
  readonly model: string;
}

/** The response on the wire. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** The result that an SDK returns to its user, in the readers' terms. */
export interface Reading extends ExpectedAnswer {
  /** The model that the response names. */
  readonly model: string | null;
  /** The ids of the first candidate's tool calls, which the client sends back with the results. */
  readonly callIds: readonly unknown[];
  /** The sum of all tokens, in the formats that have it. */
  readonly totalTokens: number | null;
}

/** An error that an SDK threw. */
export interface ThrownError {
  /** Whether it is of the SDK's own class, by which users distinguish API errors from their own mistakes. */
  readonly isOwn: boolean;
  readonly name: string;
  readonly status: number | null;
  readonly message: string;
}

export interface DriverCall {
  readonly target: Target;
  readonly form: Form;
  /** Without tools if the provider does not support them. */
  readonly withTools: boolean;
  /**
   * The provider whose usage conventions apply if its bytes are relayed; empty for the format's own
   * conventions.
   */
  readonly dialect: string;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
}

/** One official SDK. */
export interface Driver {
  readonly format: ClientFormat;
  /** The package and its resource, for reports. */
  readonly name: string;
  run(call: DriverCall): Promise<Reading>;
  /** Returns the error if it is of the SDK's own class, otherwise `undefined`. */
  ownError(error: unknown): { readonly status: number | undefined } | undefined;
}

export interface Outcome {
  readonly reading: Reading | null;
  readonly error: ThrownError | null;
  readonly wire: WireAnswer | null;
  readonly timedOut: boolean;
}

/** An exchange that takes longer counts as hanging. */
export const EXCHANGE_LIMIT_MS = 300_000;

/** Runs one exchange and never throws; returns the wire response along with the SDK's result. */
export async function drive(driver: Driver, call: Omit<DriverCall, 'fetch' | 'signal'>): Promise<Outcome> {
  const tap = wireTap();
  const limit = AbortSignal.timeout(EXCHANGE_LIMIT_MS);
  const outcome = { reading: null, error: null, timedOut: false };
  try {
    const reading = await withinLimit(driver.run({ ...call, fetch: tap.fetch, signal: limit }), limit);
    return { ...outcome, reading, wire: await tap.answer(limit) };
  } catch (error) {
    return { ...outcome, error: thrown(driver, error), wire: await tap.answer(limit), timedOut: limit.aborted };
  }
}

function thrown(driver: Driver, error: unknown): ThrownError {
  const own = driver.ownError(error);
  const { name, message } = error instanceof Error ? error : { name: typeof error, message: String(error) };
  return { isOwn: own !== undefined, name, status: own?.status ?? null, message };
}

/** Some SDKs keep waiting after their signal was aborted. */
function withinLimit<T>(work: Promise<T>, limit: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const late = () => reject(new Error(`no end within ${EXCHANGE_LIMIT_MS} ms`));
    limit.addEventListener('abort', late, { once: true });
    work.then(resolve, reject).finally(() => limit.removeEventListener('abort', late));
  });
}

/**
 * A `fetch` that keeps a complete copy of the response, even if the SDK stops reading at an event that it
 * rejects.
 */
function wireTap(): {
  readonly fetch: typeof fetch;
  answer(limit: AbortSignal): Promise<WireAnswer | null>;
} {
  let copy: Promise<WireAnswer> | null = null;
  const tapped = async (input: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> => {
    // The SDK's signal would abort the copy, too.
    const { signal, ...request } = init ?? {};
    const limit = AbortSignal.timeout(EXCHANGE_LIMIT_MS);
    const response = await fetch(input, { ...request, signal: limit });
    const { status, headers } = response;
    const [own, theirs] = response.body === null ? [null, null] : response.body.tee();
    copy = new Response(own).text().then(
      (body) => ({ status, headers, body }),
      (error: unknown) => ({ status, headers, body: `(cut off: ${String(error)})` }),
    );
    signal?.throwIfAborted();
    return new Response(theirs, { status, headers });
  };
  return {
    // Bun's `fetch` also has a `preconnect`, which the SDKs do not use.
    fetch: tapped as typeof fetch,
    answer: (limit) => (copy === null ? Promise.resolve(null) : withinLimit(copy, limit).catch(() => null)),
  };
}
