import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageInput } from '../../../domain/images/images.ts';
import { type FormRules, MOST_IMAGE_BYTES, type UploadedForm } from '../../../domain/media/uploaded-file.ts';
import type { VideoRequest } from '../../../domain/tasks/generation-request.ts';
import { isRecord } from '../../../formats/shared/json/record.ts';
import { LARGE_BODY_BYTES, parseBody, readLargeBody } from '../../../formats/shared/request/body.ts';
import { GovernedNames } from '../../../formats/shared/request/governed-names.ts';
import { wrongField } from '../../../formats/shared/request/request-fields.ts';
import type { Asking, FormInbound, OpenCall, Operation } from '../../call/operation.ts';
import { videoView } from '../../tasks/video-view.ts';
import { defaultModel } from '../default-model.ts';
import { inlineImage } from '../input-images.ts';
import type { GenerationAsker } from './generation-reply.ts';
import { VIDEO_FIELDS, videoFrom } from './parse-video.ts';

/** The preferred model of a request that names none (OpenAI, "Create video"). */
const USUAL_MODELS = ['sora-2'];

const REFERENCE = 'input_reference';
const NAMES = new GovernedNames({
  ...VIDEO_FIELDS,
  'input_reference.image_url': true,
  'input_reference.file_id': true,
});

/** Fields that are lists of images cannot be written in a form. */
const FORM_RULES: FormRules = {
  files: { [REFERENCE]: { maxBytes: MOST_IMAGE_BYTES, maxCount: 1 } },
  lists: [],
  texts: [
    ...Object.keys(VIDEO_FIELDS).filter((name) => !name.includes('[')),
    ...[`${REFERENCE}[image_url]`, `${REFERENCE}[file_id]`],
  ],
};

type Body = Readonly<Record<string, unknown>>;

/**
 * Handles `POST /v1/videos` as OpenAI's clients call it: a form, or JSON, with the fields of `POST /v1/videos/generations` and
 * `input_reference`, an image file or `{image_url}`, which is the first frame.
 */
export class OpenaiVideos implements Operation<FormInbound> {
  constructor(
    private readonly videos: GenerationAsker<VideoRequest>,
    private readonly ports: { readonly directory: () => Parameters<typeof defaultModel>[0] },
  ) {}

  async read(inbound: FormInbound, call: OpenCall): Promise<Asking | Failure> {
    const { principal, outcome } = call;
    const body = await readEither(inbound, call, { rules: FORM_RULES, names: NAMES, needed: '`prompt`' });
    if (body instanceof Failure) return body;
    const usual = defaultModel(this.ports.directory(), principal, 'videos.generations', [
      { preferred: USUAL_MODELS },
      {},
    ]);
    const request = await withReference(body, usual);
    outcome.wants(request instanceof Failure ? namedModel(body) : request.model);
    if (request instanceof Failure) return request;
    outcome.asks({ stream: false });
    outcome.servesUser(request.user);
    return this.videos.asking(request, inbound, call, { view: videoView });
  }
}

/** A body as its members, from JSON or from a form. */
export interface EitherBody {
  readonly members: Body;
  /** `null` for JSON. */
  readonly form: UploadedForm | null;
}

export interface EitherRules {
  readonly rules: FormRules;
  readonly names: GovernedNames;
  /** The members that every request has, for the error message of an empty body. */
  readonly needed: string;
}

/** Reads a body that may be a form or JSON. */
export async function readEither(
  inbound: FormInbound,
  { principal, outcome }: OpenCall,
  { rules, names, needed }: EitherRules,
): Promise<EitherBody | Failure> {
  const accountId = principal.account.id;
  if (/^\s*multipart\/form-data\b/i.test(inbound.header('content-type') ?? '')) {
    const form = await inbound.readForm(accountId, rules);
    if (form instanceof Failure) return form;
    outcome.whenOver(() => form.remove());
    const members = [...form.fields].map(([name, values]) => [name, values.length > 1 ? values : values[0]]);
    return { members: Object.fromEntries(members), form };
  }
  const bytes = await inbound.readBody(accountId);
  if (bytes instanceof Failure) return bytes;
  const source = bytes.length > LARGE_BODY_BYTES ? await readLargeBody(bytes, names.table) : bytes;
  const parsed = source instanceof Failure ? source : parseBody(source, needed, names);
  return parsed instanceof Failure ? parsed : { members: parsed.body, form: null };
}

export function namedModel({ members }: EitherBody): string | null {
  return typeof members.model === 'string' ? members.model : null;
}

/** Reads the request; `input_reference` becomes the first image. */
async function withReference({ members, form }: EitherBody, usual: string | null): Promise<VideoRequest | Failure> {
  const { [REFERENCE]: object, [`${REFERENCE}[image_url]`]: url, [`${REFERENCE}[file_id]`]: fileId, ...rest } = members;
  const parts = { ...(url !== undefined && { image_url: url }), ...(fileId !== undefined && { file_id: fileId }) };
  const reference = Object.keys(parts).length > 0 ? parts : (object ?? null);
  const [file] = form?.files.get(REFERENCE) ?? [];
  if ((file !== undefined || reference !== null) && (rest.image_url ?? null) !== null) {
    return wrongField('invalid_value', 'image_url', `means the same as \`${REFERENCE}\`; send only one of them`);
  }
  const options = { isForm: form !== null, defaultModel: usual };
  if (file !== undefined) {
    const firstImage: ImageInput | Failure = inlineImage(await file.bytes(), REFERENCE);
    return firstImage instanceof Failure ? firstImage : videoFrom(rest, { ...options, firstImage });
  }
  const address = addressIn(reference);
  if (address instanceof Failure) return address;
  const request = videoFrom(address === null ? rest : { ...rest, image_url: address }, options);
  return request instanceof Failure && address !== null ? aboutReference(request) : request;
}

function addressIn(reference: unknown): string | null | Failure {
  if (reference === null) return null;
  if (!isRecord(reference)) {
    return wrongField('invalid_type', REFERENCE, 'must be an image file, or an object with `image_url`');
  }
  const { file_id: fileId, image_url: url } = reference;
  if (fileId != null) {
    const message = `\`${REFERENCE}.file_id\` is not supported: the gateway has no file store for images.`;
    const hint = `Send the image as the file \`${REFERENCE}\` of a form, or as \`${REFERENCE}.image_url\`.`;
    return new Failure('unsupported_parameter', { message, param: `${REFERENCE}.file_id`, hint });
  }
  if (typeof url === 'string') return url;
  return wrongField('invalid_type', `${REFERENCE}.image_url`, 'must be a URL, as a string');
}

/** Names the field that the client has sent. */
function aboutReference(failure: Failure): Failure {
  if (failure.details.param !== 'image_url') return failure;
  const name = `${REFERENCE}.image_url`;
  const message = failure.message.replaceAll('`image_url`', `\`${name}\``);
  return new Failure(failure.code, { ...failure.details, kind: failure.kind, message, param: name });
}
