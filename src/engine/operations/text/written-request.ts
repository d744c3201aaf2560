import { after } from '../../../domain/concurrency/after.ts';
import type { Loss } from '../../../domain/exchange/loss.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import type { ParsedRequest } from '../../../formats/format.ts';
import { applyEditsTo } from '../../../formats/shared/json/json-patch.ts';
import type { FoundNames } from '../../../formats/shared/request/governed-names.ts';
import { ruleModelOf } from '../../../formats/wire.ts';
import type { BodyPatch } from '../../../providers/manifest.ts';
import type { BytesRequest } from '../../call/lane.ts';
import type { TextTarget } from '../../directory/target.ts';
import type { Extras } from '../../ports/billing.ts';
import { bodyEdits } from './body-patch.ts';
import { listIn, sentBetas } from './known-betas.ts';
import { refusedLoss } from './refused-loss.ts';

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

type Ready = BytesRequest | Failure;
type Bytes = Uint8Array<ArrayBuffer>;

/** Applies the provider's changes to the body and headers. The result is ready to be signed and sent, or cannot be sent there. */
export function readyFor(
  target: Pick<TextTarget, 'body' | 'channel' | 'upstreamModel' | 'ruleModel'>,
  written: WrittenRequest,
  extras: Extras | null | Failure,
): Ready | Promise<Ready> {
  const { body: patch, channel } = target;
  const { body, headers, losses } = written;
  if (patch === null) return { body, headers, losses, extras };
  const { [BETA]: header, ...others } = headers ?? {};
  if (patch.betas === undefined) return patched(patch, body, { header, others, losses, extras });
  const sent = sentBetas(
    { body, value: written.value, header },
    {
      betas: patch.betas,
      model: ruleModelOf(target),
      provider: channel.provider,
      further: listIn(channel.settings.beta_flags),
    },
  );
  const refused = sent.losses.find(({ verdict }) => verdict === 'refused');
  if (refused !== undefined) return refusedLoss(refused, channel.provider);
  const flags = sent.flags.length === 0 ? undefined : sent.flags.join(',');
  const rest = { header: flags, others, losses: [...losses, ...sent.losses], extras };
  if (sent.edits.length === 0) return patched(patch, body, rest);
  return after(applyEditsTo(body, sent.edits), (edited) => patched(patch, edited, rest));
}

interface Rest extends Pick<BytesRequest, 'losses' | 'extras'> {
  /** The flags, as the header lists them. */
  readonly header: string | undefined;
  readonly others: Readonly<Record<string, string>>;
}

function patched(patch: BodyPatch, body: Bytes, { header, others, losses, extras }: Rest): Ready | Promise<Ready> {
  const isInBody = patch.betaMember !== undefined;
  const headers = header === undefined || isInBody ? others : { ...others, [BETA]: header };
  const changed = applyEditsTo(body, bodyEdits(body, patch, isInBody ? header : undefined));
  return after(changed, (bytes) => ({ body: bytes, headers, losses, extras }));
}

/**
 * Returns the ambiguous names of a request. Bytes that were rewritten, for example with earlier turns, were not scanned; only the
 * duplicates in the client's own body are known then.
 */
export function namesIn({ scan, bytes }: ParsedRequest): FoundNames {
  if (scan === undefined) return { hasOddNames: true, duplicates: [] };
  return scan.bytes === bytes ? scan : { hasOddNames: true, duplicates: scan.duplicates };
}
