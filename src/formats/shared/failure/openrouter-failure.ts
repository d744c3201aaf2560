import type { Failure } from '../../../domain/failure/failure.ts';
import type { RenderedFailure } from '../../wire.ts';
import { errorMembers, renderFailure } from './failure-envelope.ts';

/** Renders a failure as OpenRouter does: the code is the HTTP status, and everything else is metadata. */
export function encodeOpenRouterFailure(failure: Failure): RenderedFailure {
  const { message, ...metadata } = errorMembers(failure);
  return renderFailure(failure, JSON.stringify({ error: { code: failure.status, message, metadata } }));
}
