import { after } from '../../../domain/concurrency/after.ts';
import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { applyEditsTo, type Edit, removeMembers } from '../../../formats/shared/json/json-patch.ts';
import { MemberNames, scanObject } from '../../../formats/shared/json/json-scan.ts';
import type { FoundNames } from '../../../formats/shared/request/governed-names.ts';
import type { ParsedRequest } from '../../../formats/text/client-request.ts';
import { ruleModelOf } from '../../../formats/wire.ts';
import type { BodyPatch } from '../../../providers/manifest.ts';
import type { BytesRequest } from '../../call/lane.ts';
import type { TextTarget } from '../../directory/target.ts';
import type { Extras } from '../../ports/billing.ts';
import { listIn, sentBetas } from './known-betas.ts';

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

/** Returns the failure for a field that a target, such as `the model \`m\``, does not support and whose loss would change the request. */
export function refusedLoss({ field, why }: Loss, target: string): Failure {
  return new Failure('unsupported_parameter', {
    message: `\`${field}\` cannot be carried to ${target}: ${why.replace(/\.$/, '')}.`,
    param: field,
    kind: 'loss_refused',
    hint: 'Leave it out, or use a model that accepts it.',
  });
}

/**
 * Returns the edits that make the provider's changes to top-level members of a body; every other byte stays. `betas` is
 * the `anthropic-beta` list of the client or the encoder, for a provider that reads it from the body.
 */
export function bodyEdits(bytes: Uint8Array, patch: BodyPatch, betas: string | undefined): readonly Edit[] {
  const added: Record<string, string> = { ...patch.add };
  if (patch.betaMember !== undefined && betas) {
    added[patch.betaMember] = JSON.stringify(betas.split(',').map((beta) => beta.trim()));
  }
  const object = scanObject(bytes, 0, new MemberNames(...patch.remove, ...Object.keys(added)));
  if (!object) throw new Error('a request body is a JSON object');
  const text = Object.entries(added)
    .map(([name, json]) => `${JSON.stringify(name)}:${json}`)
    .join(',');
  const { edits, isEmpty } = removeMembers(bytes, object, object.members);
  const at = object.start + 1;
  return [{ start: at, end: at, text: isEmpty || text === '' ? text : `${text},` }, ...edits];
}
