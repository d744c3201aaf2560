import { Failure } from '../../../domain/failure/failure.ts';
import { variantOf } from '../../../domain/images/image-tokens.ts';
import type { ImageRequest } from '../../../domain/images/images.ts';
import { imageWires } from '../../../formats/index.ts';
import { askedSize } from '../../../formats/shared/image-size.ts';
import { ruleModelOf } from '../../../formats/wire.ts';
import type { Inbound, OpenCall } from '../../call/operation.ts';
import type { Ways } from '../../directory/directory.ts';
import type { Target } from '../../directory/target.ts';
import type { MediaStore } from '../../ports/media-store.ts';
import { imageSubmission, makesImageJobs } from '../../tasks/image-jobs.ts';
import type { Tasks } from '../../tasks/tasks.ts';
import { type Generation, type GenerationJob, generationJob, type SubmitWire } from '../generation-job.ts';
import type { FetchedImages } from '../input-images.ts';
import { expectedShape, hasTokenPrices } from './image-billable.ts';
import { defaultsOf } from './image-defaults.ts';
import type { ImageStream } from './image-stream.ts';
import { withBytes } from './with-bytes.ts';

export interface ImageTaskMeans {
  readonly request: ImageRequest;
  readonly ways: Ways<Target>;
  readonly inbound: Inbound;
  readonly call: OpenCall;
  readonly fetched: FetchedImages;
  readonly tasks: Pick<Tasks, 'open'>;
  readonly mediaStore: MediaStore;
}

/** Whether the client accepts a task in place of the images: `async: true`, or `Prefer: respond-async` (RFC 7240, 4.1). */
export function wantsTask(inbound: Pick<Inbound, 'header'>, isAsync: boolean): boolean {
  return isAsync || /(?:^|,)\s*respond-async\s*(?:[;,]|$)/i.test(inbound.header('prefer') ?? '');
}

/**
 * Returns the ways of a task: over channels whose upstreams work on a job, and, if there are none, over those that answer with the
 * images themselves, whose task is over once they have answered. `null` for a model of such channels that is priced by tokens: what
 * is known of a task has no tokens of images.
 */
export function waysOfTasks(ways: Ways<Target>): Ways<Target> | null {
  const jobs = ways.targets.filter(({ wire: { name } }) => isOfJobs(name));
  if (jobs.length > 0) return { ...ways, targets: jobs };
  return hasTokenPrices(ways.model.pricing) ? null : ways;
}

/** Returns the failure for a client that insists on a task where there can be none. */
export function noTask(modelId: string): Failure {
  return new Failure('unsupported_parameter', {
    message: `\`async\` is not possible with the model \`${modelId}\`: it answers with its images, and is priced by their tokens.`,
    param: 'async',
    hint: 'Leave `async` out, and wait for the answer.',
  });
}

function isOfJobs(name: string): boolean {
  const wire = imageWires.get(name);
  return wire !== undefined && makesImageJobs(wire);
}

/** Images that are answered with a task. */
export function imageTask(means: ImageTaskMeans): GenerationJob<ImageRequest, ImageStream> {
  const { request, ways, fetched } = means;
  const generation: Generation<ImageRequest> = {
    ...{ kind: 'image', request, wireOf: (target) => submitWire(target, ways) },
    withBytes: (wanted) => withBytes(wanted, fetched),
    defaults: { seconds: null, mostSeconds: null, resolution: null },
  };
  return generationJob({ ...means, generation });
}

function submitWire({ wire: { name } }: Target, { model }: Ways<Target>): SubmitWire<ImageRequest> {
  const wire = imageWires.get(name);
  if (wire === undefined) throw new Error(`${name} is no wire of images`);
  const { takesUrls, harmlessOptions } = wire;
  return {
    ...{ name, ...(takesUrls && { takesUrls }), ...(harmlessOptions && { harmlessOptions }) },
    asks: (request, target) => {
      const asked = wire.asks?.(request, target) ?? { size: askedSize(request), quality: request.quality };
      const shape = expectedShape(asked, defaultsOf(model, request));
      return { count: request.count, seconds: null, resolution: variantOf(shape) };
    },
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
    message: `\`n\` is more than ${images}, which is what one task of this model can make.`,
    param: 'n',
    kind: 'loss_refused',
    retry: 'other-target',
    hint: 'Send several requests, or leave `async` out.',
  });
}
