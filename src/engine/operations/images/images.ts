import type { Model } from '../../../domain/catalog/model.ts';
import type { ModelOperation } from '../../../domain/catalog/model-operation.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageRequest } from '../../../domain/images/images.ts';
import type { ModelGrant } from '../../../domain/routing/model-step.ts';
import { imagesField } from '../../../formats/shared/image-limits.ts';
import { LARGE_BODY_BYTES, readLargeBody } from '../../../formats/shared/request/body.ts';
import { statedModel } from '../../../formats/shared/request/stated-model.ts';
import type { Asking, FormInbound, Inbound, OpenCall, Operation } from '../../call/operation.ts';
import { detachedClient } from '../../call/send.ts';
import type { Directory, Ways } from '../../directory/directory.ts';
import { findModel } from '../../directory/find-model.ts';
import { findWays } from '../../directory/find-ways.ts';
import type { Target } from '../../directory/target.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MediaFetcher } from '../../ports/media-fetcher.ts';
import type { MediaStore } from '../../ports/media-store.ts';
import type { Tasks } from '../../tasks/tasks.ts';
import { defaultModel } from '../default-model.ts';
import { FetchedImages } from '../input-images.ts';
import { filesOf } from '../made-file.ts';
import { PlainFacts } from '../plain-facts.ts';
import { ImageJob } from './image-job.ts';
import type { ImageStream } from './image-stream.ts';
import { imageTask, wantsTask } from './image-task.ts';
import { type CheckPng, EDIT_RULES, parseEdit } from './parse-edit.ts';
import { NAMES, type ParsedImages, parseGeneration } from './parse-generation.ts';

export interface ImagePorts {
  readonly clock: Clock;
  readonly directory: () => Directory;
  readonly media: MediaFetcher;
  readonly mediaStore: MediaStore;
  readonly tasks: Pick<Tasks, 'open'>;
}

type ImageAsking = Asking<Target, ImageStream>;

/** The preferred models for edits of a client that names none (contract, POST /v1/images/edits). */
const EDIT_MODELS = ['gpt-image-1', 'gpt-image-1.5', 'gpt-image-2', 'gpt-image-1-mini', 'dall-e-2'];
/** The sizes in the contract (POST /v1/images/edits); others only if the model's catalog entry lists them. */
const EDIT_SIZES: readonly string[] = ['256x256', '512x512', '1024x1024'];

/** Handles `POST /v1/images/generations` in OpenAI's shape, over any image wire. A request with an input image is an edit. */
export class ImageGenerations implements Operation<Inbound, Target, ImageStream> {
  constructor(private readonly ports: ImagePorts) {}

  async read(inbound: Inbound, call: OpenCall): Promise<ImageAsking | Failure> {
    const bytes = await inbound.readBody(call.principal.account.id);
    if (bytes instanceof Failure) return bytes;
    const source = bytes.length > LARGE_BODY_BYTES ? await readLargeBody(bytes, NAMES.table) : bytes;
    const parsed = source instanceof Failure ? source : parseGeneration(source);
    call.outcome.wants(parsed instanceof Failure ? statedModel(source) : parsed.request.model);
    return parsed instanceof Failure ? parsed : opened(this.ports, inbound, call, parsed);
  }
}

/** Handles `POST /v1/images/edits`: a form, over any wire with edits. */
export class ImageEdits implements Operation<FormInbound, Target, ImageStream> {
  constructor(
    private readonly ports: ImagePorts,
    private readonly checkPng: CheckPng,
  ) {}

  async read(inbound: FormInbound, call: OpenCall): Promise<ImageAsking | Failure> {
    const { principal, outcome } = call;
    const form = await inbound.readForm(principal.account.id, EDIT_RULES);
    if (form instanceof Failure) return form;
    outcome.whenOver(() => form.remove());
    outcome.wants(form.fields.get('model')?.[0] ?? null);
    const usual = defaultModel(this.ports.directory(), principal, 'images.edits', [{ preferred: EDIT_MODELS }]);
    const parsed = await parseEdit(form, { checkPng: this.checkPng, defaultModel: usual });
    return parsed instanceof Failure ? parsed : opened(this.ports, inbound, call, parsed);
  }
}

function opened(ports: ImagePorts, inbound: Inbound, call: OpenCall, parsed: ParsedImages): ImageAsking {
  const { request } = parsed;
  call.outcome.asks({ stream: request.stream });
  call.outcome.servesUser(request.user);
  return asking(ports, inbound, call, parsed, null);
}

function asking(
  ports: ImagePorts,
  inbound: Inbound,
  call: OpenCall,
  parsed: ParsedImages,
  grant: ModelGrant | null,
): ImageAsking {
  const { principal, outcome } = call;
  const { request } = parsed;
  return {
    modelId: request.model,
    withModel: (model, granted) => {
      const changed: ParsedImages = { ...parsed, request: { ...request, model } };
      return asking(ports, inbound, call, changed, granted);
    },
    facts: () => {
      const { stream, user, prompt, images } = request;
      return new PlainFacts({ stream, user, texts: () => [prompt], images: images.length });
    },
    route: (directory) => {
      const ways = waysTo(directory, call, request, grant);
      if (ways instanceof Failure) return ways;
      outcome.names(request.model);
      const accountId = principal.account.id;
      const files = filesOf(ports.media, accountId, outcome);
      const isTask = wantsTask(inbound, parsed.isAsync) && !request.stream;
      const signal = isTask ? () => detachedClient(accountId).signal : () => inbound.signal;
      const giving = { accountId, origin: inbound.origin(), store: ports.mediaStore, files, signal };
      const fetched = new FetchedImages(files, ports.media.maxUrls, signal);
      const means = { parsed, ways, giving, fetched, nowMs: () => ports.clock.nowMs() };
      return isTask ? imageTask({ ...ports, ...means, inbound, call }) : new ImageJob(means);
    },
  };
}

function waysTo(
  directory: Directory,
  { principal }: OpenCall,
  request: ImageRequest,
  grant: ModelGrant | null,
): Ways<Target> | Failure {
  const { model: modelId, kind, endpoint } = request;
  const search = (operation: ModelOperation) =>
    findWays(directory, principal, { modelId, operation, category: 'image', grant });
  if (endpoint === 'edits') {
    const ways = search('images.edits');
    return ways instanceof Failure ? ways : (sizeProblem(ways.model, request) ?? ways);
  }
  if (kind === 'generation') return search('images.generations');
  // A model that cannot edit is called at the right endpoint: the input image is the problem.
  const model = findModel(directory, principal, modelId);
  const isMaker = !(model instanceof Failure) && model.operations.includes('images.generations');
  return isMaker && !model.operations.includes('images.edits') ? withoutEdits(model, request) : search('images.edits');
}

function withoutEdits({ id }: Model, request: ImageRequest): Failure {
  const param = imagesField(request);
  return new Failure('unsupported_parameter', {
    message: `The model \`${id}\` makes images from text only and does not accept \`${param}\`.`,
    param,
    hint: 'Leave the image out, or use a model whose `supported_operations` have `images.edits`.',
  });
}

function sizeProblem(model: Model, { size }: ImageRequest): Failure | null {
  if (size === null) return null;
  const text = size === 'auto' ? size : `${size.width}x${size.height}`;
  const sizes = model.parameters['images.edits']?.size?.enum ?? EDIT_SIZES;
  if (sizes.includes(text)) return null;
  const message = `\`size\` must be ${sizes.map((one) => `\`${one}\``).join(', ')} for edits of \`${model.id}\`.`;
  return new Failure('invalid_value', { message, param: 'size' });
}
