import type { ChatCase } from './chat-case.ts';

/** An address for an SDK: the upstream itself, or the gateway in front of it. */
export interface Target {
  readonly kind: 'direct' | 'gateway';
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** A response as received on the wire. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

export interface WireTap {
  readonly fetch: typeof fetch;
  /** Returns the responses so far, each read completely. */
  readonly answers: () => Promise<readonly WireAnswer[]>;
}

export function modelFor(target: Target, one: ChatCase): string {
  return target.kind === 'direct' ? one.recording.id : one.publicId;
}

/**
 * Returns a `fetch` that keeps a copy of each response. The SDK gets the response itself, or a success with
 * the body changed by `shown`.
 */
export function wireTap(shown?: (body: string) => string): WireTap {
  const copies: Promise<WireAnswer>[] = [];
  const tapped = async (input: Parameters<typeof fetch>[0], init?: RequestInit): Promise<Response> => {
    const response = await fetch(input, init);
    const copy = response.clone();
    const { status, headers } = response;
    copies.push(
      copy.text().then(
        (body) => ({ status, headers, body }),
        (error: unknown) => ({ status, headers, body: `(cut off: ${String(error)})` }),
      ),
    );
    if (shown === undefined || !response.ok) return response;
    return new Response(shown(await response.text()), {
      status,
      headers: { 'content-type': headers.get('content-type') ?? '' },
    });
  };
  // Bun's `fetch` also has a `preconnect`, which the SDKs do not use.
  return { fetch: tapped as typeof fetch, answers: () => Promise.all(copies) };
}
