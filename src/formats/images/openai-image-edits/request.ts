import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageRequest } from '../../../domain/images/images.ts';
import { imagePart } from '../../shared/media/image-form.ts';
import { mergeOptions, READ_MEMBERS, readLosses } from '../../shared/media/image-request.ts';
import { encodeForm, type FormPart } from '../../shared/request/form-body.ts';
import type { OwnMembers, WireRequest, WireTarget } from '../../wire.ts';
import { ruleModelOf } from '../../wire.ts';
import { carriesOf, familyOf, membersFor, qualityFor, sizeFor } from '../shared/openai-image-models.ts';

const NO_MODERATION = { verdict: 'dropped', why: 'an image edit form does not have this field' } as const;

/**
 * Encodes an edit as a form (`CreateImageEditRequest` of the published document). Fails (400) for anything that the model cannot
 * do.
 */
export function encodeRequest(request: ImageRequest, target: WireTarget): WireRequest | Failure {
  const { upstreamModel } = target;
  const family = familyOf(ruleModelOf(target));
  const rules = { ...family, carries: { ...carriesOf(request, family), moderation: NO_MODERATION } };
  const losses = readLosses(request, rules);
  if (losses instanceof Failure) return losses;
  const lost = new Set(losses.map(({ field }) => field));
  const size = sizeFor(request, family);
  const quality = qualityFor(request, family);
  const texts: Record<string, unknown> = {
    model: upstreamModel,
    prompt: request.prompt,
    n: request.count === 1 ? null : request.count,
    size: size.value,
    quality: quality.value,
    negative_prompt: request.negativePrompt,
    style: request.style,
    background: family.carries.background === 'exact' ? request.background : null,
    input_fidelity: request.inputFidelity,
    seed: request.seed,
    response_format: family.hasResponseFormat ? request.responseFormat : null,
    output_format: family.fileFormats.length > 1 ? request.fileFormat : null,
    output_compression: request.compression,
    stream: family.streams && request.stream ? true : null,
    partial_images: request.stream ? request.partialImages : null,
    user: request.user,
  };
  for (const field of lost) texts[field] = null;
  const more = renamed(texts, membersFor(family, target));
  const others = otherTexts(request);
  const problem = mergeOptions({ ...others.texts, ...present(texts) }, request.options);
  if (problem !== null) return problem;
  const own = Object.entries(present(texts)).filter(([name]) => !Object.hasOwn(others.texts, name));
  const written = { ...Object.fromEntries(own), ...request.options };
  return {
    ...encodeForm([...textParts(written), ...repeatedParts(others.texts, request.options), ...fileParts(request)]),
    losses: [...losses, ...size.losses, ...quality.losses, ...more, ...others.losses],
  };
}

const MADE_HERE: ReadonlySet<string> = new Set(['n', 'response_format', 'stream']);

/** Renames members to the provider's names, and removes those that it does not have. */
function renamed(texts: Record<string, unknown>, members: OwnMembers): readonly Loss[] {
  const losses: Loss[] = [];
  for (const [name, own] of Object.entries(members)) {
    const value = texts[name] ?? null;
    if (value === null) continue;
    texts[name] = null;
    if (own !== null) texts[own] = value;
    else if (!MADE_HERE.has(name))
      losses.push({ field: name, verdict: 'dropped', why: 'the provider does not support this field' });
  }
  return losses;
}

function present(texts: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== null));
}

/** Returns the client's members that the gateway does not read. A form cannot hold objects and lists. */
function otherTexts({ body }: ImageRequest): {
  readonly texts: Readonly<Record<string, unknown>>;
  readonly losses: readonly Loss[];
} {
  const others = Object.entries(body).filter(([name, value]) => !READ_MEMBERS.has(name) && value !== null);
  const isText = (value: unknown) =>
    [value].flat().every((one: unknown) => ['string', 'number', 'boolean'].includes(typeof one));
  return {
    texts: Object.fromEntries(others.filter(([, value]) => isText(value))),
    losses: others
      .filter(([, value]) => !isText(value))
      .map(([field]) => ({ field, verdict: 'dropped', why: 'an image edit form has only strings' })),
  };
}

function textParts(texts: Readonly<Record<string, unknown>>): readonly FormPart[] {
  return Object.entries(texts).map(([name, value]) => ({
    name,
    value: typeof value === 'object' ? JSON.stringify(value) : String(value),
  }));
}

/** Returns the client's own parts, of which a form may have several with one name. `options` replace them. */
function repeatedParts(
  texts: Readonly<Record<string, unknown>>,
  options: Readonly<Record<string, unknown>>,
): readonly FormPart[] {
  return Object.entries(texts)
    .filter(([name]) => !Object.hasOwn(options, name))
    .flatMap(([name, value]) => [value].flat().map((one: unknown) => ({ name, value: String(one) })));
}

function fileParts({ images, mask }: ImageRequest): readonly FormPart[] {
  const name = images.length === 1 ? 'image' : 'image[]';
  const parts = images.map((input, index) => imagePart(name, input, `image-${index + 1}`));
  return mask === null ? parts : [...parts, imagePart('mask', mask, 'mask')];
}
