import { Failure } from '../../../domain/failure/failure.ts';
import { askedSize } from '../../../domain/images/image-size.ts';
import { type ImageRequest, variantOf } from '../../../domain/images/images.ts';
import type { AskedWork } from '../../../domain/tasks/job.ts';
import type { ImageWire } from '../../../formats/images/wire.ts';
import { imageWires } from '../../../formats/index.ts';
import { ruleModelOf } from '../../../formats/wire.ts';
import type { Inbound, Job, OpenCall } from '../../call/operation.ts';
import type { Ways } from '../../directory/directory.ts';
import type { Target } from '../../directory/target.ts';
import type { MediaStore } from '../../ports/media-store.ts';
import { imageSubmission, makesImageJobs } from '../../tasks/pollable-jobs.ts';
import type { Tasks } from '../../tasks/tasks.ts';
import { CallTask } from '../call-task.ts';
import { type Generation, generationJob, type SubmitWire } from '../generation-job.ts';
import { AcceptedImages } from './accepted-images.ts';
import { defaultsOf, estimatedTokens, expectedShape, hasTokenPrices } from './image-billable.ts';
import { ImageJob, type ImageMeans, refusalAt, withBytes } from './image-job.ts';
import type { ImageStream } from './image-stream.ts';

export interface ImageTaskMeans extends ImageMeans {
  readonly inbound: Inbound;
  readonly call: OpenCall;
  readonly tasks: Pick<Tasks, 'open'>;
  readonly mediaStore: MediaStore;
}

/** Returns whether the client accepts a task instead of the images: `async: true`, or `Prefer: respond-async` (RFC 7240, 4.1). */
export function wantsTask(inbound: Pick<Inbound, 'header'>, isAsync: boolean): boolean {
  return isAsync || /(?:^|,)\s*respond-async\s*(?:[;,]|$)/i.test(inbound.header('prefer') ?? '');
}

/**
 * Makes a job for images that are answered with a task. Channels whose upstreams have jobs come first, because a job outlives the gateway.
 * If there are none, the gateway itself waits for a synchronous upstream.
 */
export function imageTask(means: ImageTaskMeans): Job<Target, ImageStream> {
  const { parsed, ways, fetched } = means;
  const jobs = ways.targets.filter(({ wire }) => makesImageJobs(imageWireOf(wire.name)));
  if (jobs.length === 0) {
    const asks = (target: Target) => askedAt(target, ways, parsed.request);
    return new AcceptedImages(new ImageJob(means), new CallTask({ ...means, kind: 'image' }), asks);
  }
  const generation: Generation<ImageRequest> = {
    ...{ kind: 'image', request: parsed.request, wireOf: (target) => submitWire(target, means) },
    withBytes: (wanted) => withBytes(wanted, fetched),
    defaults: { seconds: null, mostSeconds: null, resolution: null },
  };
  return generationJob({ ...means, ways: { ...ways, targets: jobs }, generation });
}

function imageWireOf(name: string): ImageWire {
  const wire = imageWires.get(name);
  if (wire === undefined) throw new Error(`${name} is not a wire for images`);
  return wire;
}

/** Returns the work that this channel is asked for. */
function askedAt(target: Target, { model }: Ways<Target>, request: ImageRequest): AskedWork {
  const asked = imageWireOf(target.wire.name).asks?.(request, target);
  const shape = expectedShape(
    asked ?? { size: askedSize(request), quality: request.quality },
    defaultsOf(model, request),
  );
  const { count } = request;
  const work: AskedWork = { count, seconds: null, resolution: variantOf(shape) };
  return hasTokenPrices(model.pricing) ? { ...work, imageTokens: estimatedTokens(request, shape, count) } : work;
}

function submitWire({ wire: { name } }: Target, { parsed, ways }: ImageTaskMeans): SubmitWire<ImageRequest> {
  const wire = imageWireOf(name);
  const { takesUrls, harmlessOptions } = wire;
  return {
    ...{ name, ...(takesUrls && { takesUrls }), ...(harmlessOptions && { harmlessOptions }) },
    asks: (request, target) => askedAt(target, ways, request),
    refuses: (target) => refusalAt(target, wire, parsed),
    encodeRequest: (request, target) => {
      const most = wire.mostImages?.(ruleModelOf(target)) ?? request.count;
      return request.count > most ? tooMany(most) : wire.encodeRequest(request, target);
    },
    decodeSubmission: (answer, request, target) => imageSubmission(wire, answer, request, target),
  };
}

function tooMany(most: number): Failure {
  const images = most === 1 ? 'one image' : `${most} images`;
  return new Failure('unsupported_parameter', {
    message: `\`n\` is more than ${images}, the limit for one task of this model.`,
    param: 'n',
    kind: 'loss_refused',
    retry: 'other-target',
    hint: 'Send several requests, or leave `async` out.',
  });
}
