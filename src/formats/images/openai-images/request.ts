import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageRequest } from '../../../domain/images/images.ts';
import { appendMember, applyEdits, type Edit, removeMembers, replaceValue } from '../../shared/json/json-patch.ts';
import { MemberNames, scanObject } from '../../shared/json/json-scan.ts';
import { mergeOptions, readLosses } from '../../shared/media/image-request.ts';
import type { OwnMembers, WireRequest, WireTarget } from '../../wire.ts';
import { ruleModelOf } from '../../wire.ts';
import {
  carriesOf,
  familyOf,
  type ImageFamily,
  membersFor,
  qualityFor,
  sizeFor,
} from '../shared/openai-image-models.ts';

/** The gateway's own members, and those that do not apply to generating an image from text alone. */
const NEVER_SENT = ['operation', 'image_url', 'image_urls', 'aspect_ratio', 'input_fidelity'] as const;
const GATEWAYS_OWN = ['provider_options', 'cache_control'] as const;

/** Left out without a loss: the gateway itself makes the requested number of images, and returns them in the client's form. */
const MADE_HERE: ReadonlySet<string> = new Set(['n', 'response_format', 'stream']);

/** The replacement for each member: JSON text, or `null` to remove it. Absent members stay as the client wrote them. */
type Patch = Map<string, string | null>;

/** Returns the client's bytes, adapted to what the model accepts. Fails (400) for anything that it cannot do. */
export function encodeRequest(request: ImageRequest, target: WireTarget): WireRequest | Failure {
  const family = familyOf(ruleModelOf(target));
  const carries = { ...carriesOf(request, family), mask: NO_MASK, inputFidelity: NO_INPUT };
  const losses = readLosses(request, { ...family, mostInputs: 0, carries });
  if (losses instanceof Failure) return losses;
  const size = sizeFor(request, family);
  const quality = qualityFor(request, family);
  const patch: Patch = new Map([...NEVER_SENT, ...GATEWAYS_OWN].map((name) => [name, null]));
  patch.set('model', JSON.stringify(target.upstreamModel));
  for (const { field } of losses) patch.set(field, null);
  setUnlessEqual(patch, request, 'prompt', request.prompt);
  setUnlessEqual(patch, request, 'n', request.count);
  setUnlessEqual(patch, request, 'size', size.value);
  setUnlessEqual(patch, request, 'quality', quality.value);
  patchForFamily(patch, request, family);
  const more = renamed(patch, request, membersFor(family, target));
  const written = patched(request, patch);
  if (written instanceof Failure) return written;
  return { body: written, losses: unique([...losses, ...size.losses, ...quality.losses, ...more]) };
}

const NO_INPUT = { verdict: 'dropped', why: 'there is no input image' } as const;
const NO_MASK = { ...NO_INPUT, verdict: 'refused' } as const;

/** Leaves a member with an equivalent value unchanged, even if it is written differently. */
function setUnlessEqual(patch: Patch, { body }: ImageRequest, name: string, value: string | number | null): void {
  if (patch.get(name) === null || (body[name] ?? null) === value) return;
  if (name === 'n' && value === 1 && (body.n ?? null) === null) return;
  patch.set(name, value === null ? null : JSON.stringify(value));
}

function patchForFamily(patch: Patch, { stream }: ImageRequest, family: ImageFamily): void {
  if (!family.hasResponseFormat) patch.set('response_format', null);
  if (!family.streams || !stream) patch.set('partial_images', null);
  if (!family.streams) patch.set('stream', null);
  if (family.carries.background !== 'exact') patch.set('background', null);
  if (family.carries.moderation !== 'exact') patch.set('moderation', null);
  if (family.fileFormats.length === 1) patch.set('output_format', null);
}

/** Renames members to the provider's names. */
function renamed(patch: Patch, { body }: ImageRequest, members: OwnMembers): readonly Loss[] {
  const losses: Loss[] = [];
  for (const [name, own] of Object.entries(members)) {
    const value = patch.has(name) ? patch.get(name) : JSON.stringify(body[name] ?? null);
    if (value === null || value === undefined || value === 'null') continue;
    patch.set(name, null);
    if (own !== null) patch.set(own, value);
    else if (!MADE_HERE.has(name))
      losses.push({ field: name, verdict: 'dropped', why: 'the provider does not support this field' });
  }
  return losses;
}

function unique(losses: readonly Loss[]): readonly Loss[] {
  return [...new Map(losses.map((loss) => [loss.field, loss])).values()];
}

function patched({ bytes, body, options }: ImageRequest, patch: Patch): Uint8Array<ArrayBuffer> | Failure {
  const added = optionsFor(options, body, patch);
  if (added instanceof Failure) return added;
  const source = bytes ?? new TextEncoder().encode(JSON.stringify(body));
  const object = scanObject(source, 0, new MemberNames(...patch.keys()));
  if (object === null) throw new Error('the body of an image request must be an object');
  const missing = new Map([...patch, ...added]);
  const edits: Edit[] = [];
  for (const member of object.members) {
    const text = patch.get(member.name);
    if (text === null || text === undefined) continue;
    missing.delete(member.name);
    edits.push(replaceValue(member, text));
  }
  const gone = object.members.filter(({ name }) => patch.get(name) === null);
  edits.push(...removeMembers(source, object, gone).edits);
  const more = [...missing].flatMap(([name, text]) => (text === null ? [] : [`${JSON.stringify(name)}:${text}`]));
  if (more.length > 0) edits.push(appendMember(object, more.join(',')));
  return applyEdits(
    source,
    edits.sort((left, right) => left.start - right.start),
  );
}

/** Adds `provider_options` as members of the body. One that already exists is refused. */
function optionsFor(options: ImageRequest['options'], body: ImageRequest['body'], patch: Patch): Patch | Failure {
  const there: Record<string, unknown> = {};
  for (const name of [...Object.keys(body), ...patch.keys()]) {
    if (patch.get(name) ?? body[name] ?? null) there[name] = true;
  }
  const problem = mergeOptions(there, options);
  return problem ?? new Map(Object.entries(options).map(([name, value]) => [name, JSON.stringify(value)]));
}
