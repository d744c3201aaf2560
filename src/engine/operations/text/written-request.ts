import type { Loss } from '../../../domain/exchange/loss.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import type { ParsedRequest } from '../../../formats/format.ts';
import type { FoundNames } from '../../../formats/shared/governed-names.ts';
import { applyEditsTo } from '../../../formats/shared/json-patch.ts';
import type { LaneRequest } from '../../call/lane.ts';
import type { TextTarget } from '../../directory/target.ts';
import type { Extras } from '../../ports/billing.ts';
import { bodyEdits } from './body-patch.ts';

const BETA = 'anthropic-beta';

/** An upstream request as an encoder or a relay writes it, before the provider's own changes. */
export interface WrittenRequest {
  readonly body: Uint8Array<ArrayBuffer>;
  /** What `body` is the text of, as far as its governed members go. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Of the names in `body`, which of them may not be what they are taken for. */
  readonly names: FoundNames;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly losses: readonly Loss[];
}

export type MaybeWritten = WrittenRequest | Failure | Promise<WrittenRequest | Failure>;

/** With the provider's changes of every body, as it goes out. */
export function readyFor(
  { body: patch }: Pick<TextTarget, 'body'>,
  { body, headers, losses }: WrittenRequest,
  extras: Extras | null | Failure,
): LaneRequest | Promise<LaneRequest> {
  if (patch === null) return { body, headers, losses, extras };
  const { [BETA]: betas, ...others } = headers ?? {};
  const isInBody = patch.betaMember !== undefined;
  const kept = betas === undefined || isInBody ? others : { ...others, [BETA]: betas };
  const ready = (bytes: Uint8Array<ArrayBuffer>) => ({ body: bytes, headers: kept, losses, extras });
  const changed = applyEditsTo(body, bodyEdits(body, patch, isInBody ? betas : undefined));
  return changed instanceof Promise ? changed.then(ready) : ready(changed);
}

/** Of bytes that were written anew, names of an earlier turn among them, nothing is known but what stands twice. */
export function namesIn({ scan, bytes }: ParsedRequest): FoundNames {
  if (scan === undefined) return { hasOddNames: true, duplicates: [] };
  return scan.bytes === bytes ? scan : { hasOddNames: true, duplicates: scan.duplicates };
}
