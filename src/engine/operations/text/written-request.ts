import type { Loss } from '../../../domain/exchange/loss.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import type { ParsedRequest } from '../../../formats/format.ts';
import type { FoundNames } from '../../../formats/shared/governed-names.ts';
import { applyEditsTo } from '../../../formats/shared/json-patch.ts';
import type { BodyPatch } from '../../../providers/manifest.ts';
import type { BytesRequest } from '../../call/lane.ts';
import type { TextTarget } from '../../directory/target.ts';
import type { Extras } from '../../ports/billing.ts';
import { bodyEdits } from './body-patch.ts';

const BETA = 'anthropic-beta';

/** An upstream request from an encoder or a relay, before the provider's own changes. */
export interface WrittenRequest {
  readonly body: Uint8Array<ArrayBuffer>;
  /** The parsed value of `body`, at least of its governed members. */
  readonly value: Readonly<Record<string, unknown>>;
  /** The member names in `body` that are ambiguous: duplicates and unusual spellings. */
  readonly names: FoundNames;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly losses: readonly Loss[];
}

export type MaybeWritten = WrittenRequest | Failure | Promise<WrittenRequest | Failure>;

/** Applies the provider's changes to the body and headers. The result is ready to be signed and sent. */
export function readyFor(
  { body: patch }: Pick<TextTarget, 'body'>,
  written: WrittenRequest,
  extras: Extras | null | Failure,
): BytesRequest | Promise<BytesRequest> {
  if (patch !== null) return patched(patch, written, extras);
  const { body, headers, losses } = written;
  return { body, headers, losses, extras };
}

function patched(
  patch: BodyPatch,
  { body, headers, losses }: WrittenRequest,
  extras: Extras | null | Failure,
): BytesRequest | Promise<BytesRequest> {
  const { [BETA]: betas, ...others } = headers ?? {};
  const isInBody = patch.betaMember !== undefined;
  const kept = betas === undefined || isInBody ? others : { ...others, [BETA]: betas };
  const ready = (bytes: Uint8Array<ArrayBuffer>) => ({ body: bytes, headers: kept, losses, extras });
  const changed = applyEditsTo(body, bodyEdits(body, patch, isInBody ? betas : undefined));
  return changed instanceof Promise ? changed.then(ready) : ready(changed);
}

/**
 * The ambiguous names of a request. Bytes that were rewritten, for example with earlier turns, were not scanned; only
 * the duplicates in the client's own body are known then.
 */
export function namesIn({ scan, bytes }: ParsedRequest): FoundNames {
  if (scan === undefined) return { hasOddNames: true, duplicates: [] };
  return scan.bytes === bytes ? scan : { hasOddNames: true, duplicates: scan.duplicates };
}
