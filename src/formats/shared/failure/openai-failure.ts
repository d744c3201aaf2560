import type { Failure } from '../../../domain/failure/failure.ts';
import type { RenderedFailure } from '../../wire.ts';
import { errorMembers, renderFailure } from './failure-envelope.ts';

/* OpenAI's error envelope: the contract's "Envelope (OpenAI-compatible endpoints)". */

export function encodeFailure(failure: Failure): RenderedFailure {
  return renderFailure(failure, envelope(failure));
}

export function encodeStreamFailure(failure: Failure): string {
  return `data: ${envelope(failure)}\n\n`;
}

function envelope(failure: Failure): string {
  return JSON.stringify({ error: errorMembers(failure) });
}
