import type { Failure } from '../../../domain/failure/failure.ts';
import type { RenderedFailure } from '../../wire.ts';
import { errorMembers, renderFailure } from './failure-envelope.ts';

/** Renders a failure as OpenRouter does. */
export function encodeOpenRouterFailure(failure: Failure): RenderedFailure {
  return renderFailure(failure, JSON.stringify({ error: openRouterError(errorMembers(failure), failure.status) }));
}

/**
 * Renders a failure within a stream as OpenRouter does: as a chunk with an error. Its SDK needs all these members, and a type of its own list.
 */
export function encodeOpenRouterStreamFailure(failure: Failure, model: string, requestId = ''): string {
  const members = { ...errorMembers(failure), error_type: 'unmapped' };
  const chunk = { id: requestId, object: 'chat.completion.chunk', created: 0, model, choices: [] };
  return `data: ${JSON.stringify({ ...chunk, error: openRouterError(members, failure.status) })}\n\n`;
}

/** Returns the members of an OpenAI error as OpenRouter has them: the code is the HTTP status, and everything else is metadata. */
export function openRouterError({ message, ...metadata }: Readonly<Record<string, unknown>>, status: number): object {
  return { code: status, message, metadata };
}
