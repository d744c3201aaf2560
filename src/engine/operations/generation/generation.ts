import type { ModelCategory } from '../../../domain/catalog/category.ts';
import type { Model } from '../../../domain/catalog/model.ts';
import type { ModelOperation } from '../../../domain/catalog/model-operation.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { ImageInput } from '../../../domain/images/images.ts';
import type { ModelGrant } from '../../../domain/routing/model-step.ts';
import type {
  GenerationRequest,
  MusicAction,
  MusicRequest,
  ThreeDRequest,
  VideoRequest,
} from '../../../domain/tasks/generation-request.ts';
import { taskWires } from '../../../formats/index.ts';
import { LARGE_BODY_BYTES, readLargeBody } from '../../../formats/shared/request/body.ts';
import type { BodySource } from '../../../formats/shared/request/body-scan.ts';
import type { GovernedNames } from '../../../formats/shared/request/governed-names.ts';
import { statedModel } from '../../../formats/shared/request/stated-model.ts';
import type { TaskWire } from '../../../formats/shared/tasks/wire.ts';
import type { NamedObject } from '../../../formats/text/provider-state.ts';
import type { Asking, Inbound, OpenCall, Operation } from '../../call/operation.ts';
import { findWays } from '../../directory/find-ways.ts';
import type { ObjectMemory } from '../../directory/object-memory.ts';
import type { Target } from '../../directory/target.ts';
import type { Clock } from '../../ports/clock.ts';
import type { MediaFetcher } from '../../ports/media-fetcher.ts';
import type { MediaStore } from '../../ports/media-store.ts';
import type { Tasks } from '../../tasks/tasks.ts';
import { type Choice, defaultModel } from '../default-model.ts';
import { type GenerationJob, generationJob } from '../generation-job.ts';
import { FetchedImages, type LocatedImage } from '../input-images.ts';
import { filesOf } from '../made-file.ts';
import { PlainFacts } from '../plain-facts.ts';
import { workDefaults } from '../work-bounds.ts';
import type { Reply } from './generation-reply.ts';
import { modelProblem } from './model-bounds.ts';
import { OpenaiRemix } from './openai-remix.ts';
import { OpenaiVideos } from './openai-videos.ts';
import { isLyricsModel, MUSIC_NAMES, parseMusic, withAction } from './parse-music.ts';
import { parseThreeD, THREE_D_NAMES } from './parse-three-d.ts';
import { parseVideo, VIDEO_NAMES } from './parse-video.ts';
import { shownVideo } from './shown-video.ts';

export interface GenerationPorts {
  readonly directory: () => Parameters<typeof defaultModel>[0];
  readonly media: MediaFetcher;
  readonly mediaStore: MediaStore;
  readonly tasks: Pick<Tasks, 'open'>;
  readonly taskStore: Pick<Tasks, 'find'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly objects: Pick<ObjectMemory, 'waysKnowing'>;
}

type FindModel = (choices: readonly Choice[]) => string | null;

/** The differences between videos, music and 3D models. */
interface Kind<Request extends GenerationRequest> {
  readonly operation: ModelOperation;
  readonly category: ModelCategory;
  readonly names: GovernedNames;
  /** `find` returns the model of a request that names none, at an endpoint with a default. */
  parse(source: BodySource, find: FindModel): Request | Failure;
  /** Adapts the request to this model. */
  settle?(request: Request, model: Model): Request | Failure;
  /** Returns the provider's objects that the request names. */
  named?(request: Request): readonly NamedObject[];
}

const VIDEO: Kind<VideoRequest> = {
  operation: 'videos.generations',
  category: 'video',
  names: VIDEO_NAMES,
  parse: (source) => parseVideo(source),
};

/** The preferred models of a request that names none (contract, POST /v1/music/generations). */
const MUSIC_MODELS = ['suno_music', 'suno-music', 'chirp-v3-0'];
const LYRICS_MODELS = ['suno_lyrics', 'suno-lyrics'];

function defaultFor(action: MusicAction, find: FindModel): string | null {
  if (action === 'MUSIC') return find([{ preferred: MUSIC_MODELS, accepts: (model) => !isLyricsModel(model) }]);
  const writers = { preferred: LYRICS_MODELS, accepts: isLyricsModel };
  // Suno's song models also write lyrics; other models may not.
  const songs = { preferred: MUSIC_MODELS, accepts: () => false };
  return find([writers, songs]) ?? find([{}]);
}

const MUSIC: Kind<MusicRequest> = {
  operation: 'music.generations',
  category: 'music',
  names: MUSIC_NAMES,
  parse: (source, find) =>
    parseMusic(source, {
      defaultModel: (action) => defaultFor(action, find),
    }),
  settle: withAction,
  named: ({ continueClipId: id }) => (id === null ? [] : [{ id, path: 'continue_clip_id' }]),
};

const THREE_D: Kind<ThreeDRequest> = {
  operation: '3d.generations',
  category: '3d',
  names: THREE_D_NAMES,
  parse: (source) => parseThreeD(source),
};

const USUAL: Reply<GenerationRequest> = {};

/** Work that takes longer than a request may. It is answered with a task, which the client polls until it is done. */
class GenerationOperation<Request extends GenerationRequest> implements Operation {
  constructor(
    private readonly kind: Kind<Request>,
    private readonly ports: GenerationPorts,
  ) {}

  async read(inbound: Inbound, call: OpenCall): Promise<Asking | Failure> {
    const { kind, ports } = this;
    const { principal, outcome } = call;
    const bytes = await inbound.readBody(principal.account.id);
    if (bytes instanceof Failure) return bytes;
    const source = bytes.length > LARGE_BODY_BYTES ? await readLargeBody(bytes, kind.names.table) : bytes;
    if (source instanceof Failure) return source;
    const find: FindModel = (choices) => defaultModel(ports.directory(), principal, kind.operation, choices);
    const request = kind.parse(source, find);
    outcome.wants(request instanceof Failure ? statedModel(source) : request.model);
    if (request instanceof Failure) return request;
    outcome.asks({ stream: false });
    outcome.servesUser(request.user);
    return this.asking(request, inbound, call);
  }

  /** Continues with a request that has been read. */
  asking(
    request: Request,
    inbound: Inbound,
    call: OpenCall,
    reply: Reply<Request> = USUAL,
    grant: ModelGrant | null = null,
  ): Asking {
    return {
      modelId: request.model,
      withModel: (model, granted) => this.asking({ ...request, model }, inbound, call, reply, granted),
      facts: () => new PlainFacts({ user: request.user }),
      route: (directory) => this.route(request, directory, { inbound, call, grant, reply }),
    };
  }

  private async route(
    parsed: Request,
    directory: Parameters<Asking['route']>[0],
    { inbound, call, grant, reply }: Routed<Request>,
  ): Promise<GenerationJob<Request> | Failure> {
    const { kind, ports } = this;
    const { principal, outcome } = call;
    const { model: modelId } = parsed;
    const { operation, category } = kind;
    const found = findWays(directory, principal, { modelId, operation, category, grant });
    if (found instanceof Failure) return found;
    outcome.names(modelId);
    const request = kind.settle?.(parsed, found.model) ?? parsed;
    if (request instanceof Failure) return request;
    const problem = modelProblem(request, found.model);
    if (problem !== null) return problem;
    const ways = await ports.objects.waysKnowing(principal.account.id, found, kind.named?.(request) ?? []);
    if (ways instanceof Failure) return ways;
    const files = filesOf(ports.media, principal.account.id, outcome);
    const fetched = new FetchedImages(files, ports.media.maxUrls, () => inbound.signal);
    const generation = {
      ...{ kind: request.kind, request },
      wireOf: (target: Target) => reply.adapt?.(wireOf(target), target) ?? wireOf<Request>(target),
      withBytes: (wanted: Request) => inputsWithBytes(wanted, fetched),
      defaults: workDefaults(ways.model, kind.operation),
    };
    const shown = request.kind === 'video' ? shownVideo(request, reply.remixedFrom ?? null) : null;
    return generationJob({ ...ports, generation, ways, inbound, call, shown, view: reply.view });
  }
}

interface Routed<Request extends GenerationRequest> {
  readonly inbound: Inbound;
  readonly call: OpenCall;
  readonly grant: ModelGrant | null;
  readonly reply: Reply<Request>;
}

function wireOf<Request extends GenerationRequest>({ wire: { name } }: Target): TaskWire<Request> {
  const wire = taskWires.get(name);
  if (wire === undefined) throw new Error(`${name} is not a wire for tasks`);
  // Routing has chosen the target for the operation of this kind of request, and each wire serves one operation.
  return wire as TaskWire<Request>;
}

export function generationOperations(ports: GenerationPorts) {
  const videos = new GenerationOperation(VIDEO, ports);
  return {
    videos,
    openaiVideos: new OpenaiVideos(videos, ports),
    openaiRemix: new OpenaiRemix('remix', videos, ports),
    openaiEdit: new OpenaiRemix('edit', videos, ports),
    music: new GenerationOperation(MUSIC, ports),
    threeD: new GenerationOperation(THREE_D, ports),
  };
}

/** Resolves to the request with its image URLs replaced by bytes, for a wire that takes no URLs. */
async function inputsWithBytes<Request extends GenerationRequest>(
  request: Request,
  fetched: FetchedImages,
): Promise<Request | Failure> {
  const given = imagesIn(request);
  if (given.length === 0) return request;
  const read = await fetched.bytesOf(given, given[0]?.path ?? 'image_url');
  return read instanceof Failure ? read : withImages(request, read);
}

/** Lists the images in the order that `withImages` expects. */
function imagesIn(request: GenerationRequest): readonly LocatedImage[] {
  if (request.kind === 'music') return [];
  if (request.kind === '3d') return located(request.images, request.images.length > 1 ? 'image_urls' : 'image_url');
  const { firstImage, lastImage, referenceImages } = request;
  return [
    ...(firstImage === null ? [] : [{ image: firstImage, path: 'image_url' }]),
    ...(lastImage === null ? [] : [{ image: lastImage, path: 'end_image_url' }]),
    ...located(referenceImages, 'reference_image_urls'),
  ];
}

function located(images: readonly ImageInput[], field: string): readonly LocatedImage[] {
  return images.map((image, index) => ({ image, path: images.length > 1 ? `${field}[${index}]` : field }));
}

function withImages<Request extends GenerationRequest>(request: Request, read: readonly ImageInput[]): Request {
  if (request.kind === 'music') return request;
  if (request.kind === '3d') return { ...request, images: read };
  const rest = [...read];
  const firstImage = request.firstImage === null ? null : (rest.shift() ?? null);
  const lastImage = request.lastImage === null ? null : (rest.shift() ?? null);
  return { ...request, firstImage, lastImage, referenceImages: rest };
}
