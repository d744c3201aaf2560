import { Failure } from '../../domain/failure/failure.ts';
import {
  IMAGE_FILE_FORMATS,
  type ImageAnswer,
  type ImageFileFormat,
  type ImageRequest,
  type MadeImage,
} from '../../domain/images/images.ts';
import type { FileSource, JobReport, JobResult, JobTicket, MadeItem, Submission } from '../../domain/tasks/job.ts';
import type { ImageWire } from '../../formats/images/wire.ts';
import { imageWires, taskWires } from '../../formats/index.ts';
import { mediaTypeByName } from '../../formats/shared/tasks/file-types.ts';
import type { PollIntervals, PollRequest, TaskWire } from '../../formats/shared/tasks/wire.ts';
import type { NextRequest, OperationWire, WireAnswer, WireTarget } from '../../formats/wire.ts';

/** The members of a wire that are needed to follow a job submitted over it. */
export type PolledJobs = Pick<
  TaskWire,
  | 'intervals'
  | 'holdsFiles'
  | 'poll'
  | 'decodePoll'
  | 'decodeRefusal'
  | 'batch'
  | 'find'
  | 'decodeFound'
  | 'cancel'
  | keyof OperationWire
> & {
  /** Returns whether the upstream can be polled for this job. If absent, it always can. */
  isAskable?(ticket: JobTicket): boolean;
};

/* Image wires with jobs can answer with a task instead of waiting within the request: the next poll (`PolledWire.next`) is the ticket. */

const LONGEST_PROMPT = 2_000;
/** Most images are made within a minute. */
const INTERVALS: PollIntervals = { firstMs: 1_000, leastMs: 1_000, mostMs: 10_000 };

/** Returns whether images over this wire can be answered with a task. */
export function makesImageJobs({ next }: Pick<ImageWire, 'next'>): boolean {
  return next !== undefined;
}

/** Reads the answer to an image request as the submission of a job. */
export function imageSubmission(
  wire: ImageWire,
  answer: WireAnswer,
  request: ImageRequest,
  target: WireTarget,
): Submission | Failure {
  const next = wire.next?.(answer, target) ?? null;
  if (next instanceof Failure) return next;
  const said = { prompt: request.prompt.slice(0, LONGEST_PROMPT), format: request.fileFormat ?? '' };
  if (next === null) return { ticket: { ...said, url: '' }, report: resultOf(wire, answer, request, target) };
  if (next.url === null) return new Failure('upstream_error', { kind: 'garbage', message: NOWHERE });
  const { afterMs } = next;
  const report: JobReport = { state: 'working', status: 'pending', progress: null, afterMs };
  return { ticket: { ...said, ...placeOf(next, next.url) }, report };
}

const NOWHERE = 'The provider accepted the job but returned no URL to poll.';

/**
 * Returns the jobs of an image wire; `null` for another wire. An upstream that has answered with the images has no job: if the gateway is
 * interrupted before it keeps them, they are lost.
 */
export function imageJobs(name: string): PolledJobs | null {
  const wire = imageWires.get(name);
  if (wire === undefined) return null;
  return {
    name,
    operations: wire.operations,
    decodeFailure: wire.decodeFailure,
    intervals: INTERVALS,
    holdsFiles: true,
    poll: questionOf,
    ...(wire.cancel !== undefined && { cancel: wire.cancel }),
    isAskable: ({ url = '' }) => url !== '',
    // An upstream that rejects the request itself will reject it again.
    decodeRefusal: (failure) => (failure.side === 'client' ? { state: 'failed', failure } : null),
    decodePoll: (answer, ticket, target) => reportOf(wire, answer, ticket, target),
  };
}

function placeOf({ method, body }: NextRequest, url: string): JobTicket {
  return { method, url, ...(body !== null && { body: new TextDecoder().decode(body) }) };
}

function questionOf({ url = '', method, body }: JobTicket): PollRequest {
  return {
    ...{ url, method: method === 'POST' ? 'POST' : 'GET' },
    ...(body !== undefined && { body: new TextEncoder().encode(body) }),
  };
}

function reportOf(wire: ImageWire, answer: WireAnswer, ticket: JobTicket, target: WireTarget): JobReport | Failure {
  const next = wire.next?.(answer, target) ?? null;
  if (next instanceof Failure) return next.kind === 'garbage' ? next : { state: 'failed', failure: next };
  if (next === null) {
    const result = resultOf(wire, answer, requestOf(ticket), target);
    // It may be a page of a proxy in front of the provider, so the job is polled again.
    return result.state === 'failed' && result.failure.kind === 'garbage' ? result.failure : result;
  }
  const working = { state: 'working', status: 'processing', progress: null } as const;
  if (next.url === null) return working;
  const { afterMs } = next;
  return {
    ...working,
    ticket: { ...ticket, ...placeOf(next, next.url) },
    // The result itself is requested at once; otherwise the engine's own intervals apply.
    ...(afterMs === 0 && { afterMs }),
  };
}

function resultOf(wire: ImageWire, answer: WireAnswer, request: ImageRequest, target: WireTarget): JobReport {
  const made = wire.decodeAnswer(answer, request, target);
  return made instanceof Failure
    ? { state: 'failed', failure: made }
    : { state: 'done', result: imageResult(wire, made, request) };
}

/** Returns the images of an upstream as the result of a task. */
export function imageResult(
  { urlsExpireSoon }: Pick<ImageWire, 'urlsExpireSoon'>,
  made: ImageAnswer,
  request: Pick<ImageRequest, 'prompt'>,
): JobResult {
  const items = made.images.map((image) => itemOf(image, request, urlsExpireSoon === true));
  return { items, resolution: variantIn(made), model: made.model };
}

/**
 * Makes a task's item. The contract requires a revised prompt for every image; an upstream that reports none has used the prompt unchanged.
 */
function itemOf(image: MadeImage, { prompt }: Pick<ImageRequest, 'prompt'>, isShortLived: boolean): MadeItem {
  const { url, base64, mediaType, revisedPrompt } = image;
  const source: FileSource =
    url === undefined
      ? { kind: 'base64', base64: base64 ?? '' }
      : { kind: 'url', url, ...(isShortLived && { isShortLived }) };
  const byName = source.kind === 'url' ? mediaTypeByName(source.url) : null;
  return { source, mediaType: mediaType ?? byName, revisedPrompt: revisedPrompt ?? prompt };
}

function variantIn({ size, quality }: ImageAnswer): string | null {
  if (size === null) return quality;
  return quality === null ? size : `${size}/${quality}`;
}

/** Rebuilds the part of the request that answer decoders use; the rest is not kept. */
function requestOf({ prompt = '', format = '' }: JobTicket): ImageRequest {
  const fileFormat: ImageFileFormat | null = IMAGE_FILE_FORMATS.find((one) => one === format) ?? null;
  return { ...NOTHING_ASKED, prompt, fileFormat };
}

const NOTHING_ASKED: ImageRequest = {
  ...{ model: '', kind: 'generation', endpoint: 'generations', prompt: '', images: [], mask: null },
  ...{ negativePrompt: null, count: 1, size: null, aspectRatio: null, quality: null, style: null, background: null },
  ...{ moderation: null, inputFidelity: null, seed: null, responseFormat: null, fileFormat: null, compression: null },
  ...{ stream: false, partialImages: null, user: null, options: {}, bytes: null, body: {} },
};

const ofImages = new Map<string, PolledJobs | null>();

/** Returns the jobs of a wire by its name; `null` if this version does not know jobs over it. */
export function polledJobs(name: string): PolledJobs | null {
  const wire = taskWires.get(name);
  if (wire !== undefined) return wire;
  let jobs = ofImages.get(name);
  if (jobs === undefined) {
    jobs = imageJobs(name);
    ofImages.set(name, jobs);
  }
  return jobs;
}
