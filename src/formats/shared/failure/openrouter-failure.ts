import type { Failure } from '../../../domain/failure/failure.ts';
import type { RenderedFailure } from '../../wire.ts';
import { errorMembers, renderFailure } from './failure-envelope.ts';

/** Renders a failure as OpenRouter does. */
export function encodeOpenRouterFailure(failure: Failure): RenderedFailure {
  return renderFailure(failure, JSON.stringify({ error: openRouterError(errorMembers(failure), failure.status) }));
}

/** Returns the members of an OpenAI error as OpenRouter has them: the code is the HTTP status, and everything else is metadata. */
export function openRouterError({ message, ...metadata }: Readonly<Record<string, unknown>>, status: number): object {
  return { code: status, message, metadata };
}
