import { strictUpstreamOf } from './index.ts';
import { isKnown } from './known-refusals.ts';
import { type RawRequest, receivedOf } from './received.ts';
import { type Refusal, refusalOf, type StrictUpstream } from './rule.ts';

/** The service that a test's own upstream imitates. */
export interface Service {
  /** The name of a manifest. */
  readonly provider: string;
  readonly wire: string;
}

export interface FoundRefusal extends Refusal {
  /** The rule and its message, for a test's failure message. */
  readonly described: string;
}

/**
 * Resolves to the reason for which the provider would refuse a request, or `null`; a service without rules
 * refuses none.
 */
export async function strictRefusal(service: Service, raw: RawRequest): Promise<FoundRefusal | null> {
  const upstream = strictUpstreamOf(service.provider, service.wire);
  const refusal = upstream === null ? null : await refusalBy(upstream, raw);
  if (refusal === null || isKnown(refusal)) return null;
  return { ...refusal, described: `${refusal.upstream.name} refuses it (${refusal.rule.id}): ${refusal.message}` };
}

/** A request as a test's server receives it. */
export interface SentRequest {
  readonly method: string;
  /** The path after the upstream's base URL, with the query. */
  readonly target: string;
  readonly headers: Headers;
  readonly body: string | Uint8Array<ArrayBuffer>;
}

/** Resolves to the refusal as a line for a failure message, or `null`. */
export async function strictProblem(service: Service, { body, ...request }: SentRequest): Promise<string | null> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return (await strictRefusal(service, { ...request, bytes }))?.described ?? null;
}

async function refusalBy(upstream: StrictUpstream, raw: RawRequest): Promise<Refusal | null> {
  // The list of models has no rules.
  return raw.method === 'GET' ? null : refusalOf(upstream, await receivedOf(raw));
}
