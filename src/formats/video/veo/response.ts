import { Failure } from '../../../domain/failure/failure.ts';
import type { FileSource, JobReport, JobTicket, MadeItem, Submission } from '../../../domain/tasks/job.ts';
import { garbage } from '../../shared/failure/answer-failure.ts';
import { failureInAnswer, jsonObject } from '../../shared/failure/error-in-answer.ts';
import { listOf } from '../../shared/json/json-values.ts';
import { isRecord } from '../../shared/json/record.ts';
import { contentRefused, isWebAddress, standardBase64 } from '../../shared/media/image-answer.ts';
import { failed, jobFailed, jobWithoutFile, taken, working } from '../../shared/tasks/job-answer.ts';
import type { PollRequest } from '../../shared/tasks/wire.ts';
import type { WireAnswer } from '../../wire.ts';

type Body = Readonly<Record<string, unknown>>;

const SEGMENT = /^(?=.*\w)[\w.@~-]{1,300}$/;
const MOST_SEGMENTS = 12;

/** Returns the name of a long-running operation as a path of harmless segments; `null` if it is not one. */
function operationName(name: unknown): string | null {
  if (typeof name !== 'string' || name.length > 1_000) return null;
  const segments = name.split('/');
  const isName = segments.length > 1 && segments.length <= MOST_SEGMENTS && segments.at(-2) === 'operations';
  // The id of a project may begin with a domain: `example.com:project`.
  const plain = segments.map((one, index) => (index === 1 && segments[0] === 'projects' ? one.replace(':', '') : one));
  return isName && plain.every((segment) => SEGMENT.test(segment)) ? name : null;
}

export function decodeSubmission({ bytes }: WireAnswer): Submission | Failure {
  const body = jsonObject(bytes);
  if (body instanceof Failure) return body;
  const operation = operationName(body.name);
  if (operation === null) {
    return failureInAnswer(body.error) ?? garbage('The upstream did not return the name of the operation.');
  }
  return taken({ operation }, reportOf(body));
}

/**
 * Polls an operation: the Gemini API has a URL for each; on Vertex AI the name is sent to the model, whose path is the beginning
 * of the name (Google Cloud, "Veo", `fetchPredictOperation`).
 */
export function poll({ operation = '' }: JobTicket): PollRequest {
  const resource = /^((?:projects|publishers)\/.+)\/operations\/[^/]+$/.exec(operation)?.[1];
  if (resource === undefined) return { url: `/${operation}` };
  return {
    method: 'POST',
    url: `/v1/${resource}:fetchPredictOperation`,
    headers: { 'content-type': 'application/json' },
    body: new TextEncoder().encode(JSON.stringify({ operationName: operation })),
  };
}

/** Decodes the answer; an error of the API itself, as opposed to the job's, has no `done`. */
export function decodePoll({ bytes }: WireAnswer): JobReport | Failure {
  const body = jsonObject(bytes);
  if (body instanceof Failure) return body;
  if (operationName(body.name) !== null || typeof body.done === 'boolean') return reportOf(body);
  return failureInAnswer(body.error) ?? garbage('The upstream did not return an operation.');
}

/** google.rpc.Code: INVALID_ARGUMENT, FAILED_PRECONDITION and OUT_OF_RANGE are about the request. */
const ABOUT_INPUT: ReadonlySet<unknown> = new Set([3, 9, 11]);

function reportOf(body: Body): JobReport {
  const { done, error, response } = body;
  const isDone = done === true || isRecord(error) || (isRecord(response) && done !== false);
  if (!isDone) return working('processing');
  if (isRecord(error)) {
    const { message, code } = error;
    return failed(jobFailed({ message, code, about: ABOUT_INPUT.has(code) ? 'input' : null }));
  }
  return isRecord(response) ? resultOf(response) : failed(garbage('The upstream finished the job without a response.'));
}

/** Returns the result. Some videos may have been filtered out; a job has failed only if all were. */
function resultOf(response: Body): JobReport {
  const made = isRecord(response.generateVideoResponse) ? response.generateVideoResponse : response;
  const list = [made.generatedSamples, made.generatedVideos, made.videos].find((one) => listOf(one).length > 0);
  const items: MadeItem[] = [];
  for (const sample of listOf(list)) {
    const item = itemOf(sample);
    if (item instanceof Failure) return failed(item);
    if (item !== null) items.push(item);
  }
  if (items.length > 0) return { state: 'done', result: { items } };
  const reasons = listOf(made.raiMediaFilteredReasons).filter((one) => typeof one === 'string');
  const { raiMediaFilteredCount: count } = made;
  if (reasons.length > 0 || (typeof count === 'number' && count > 0)) return failed(contentRefused(reasons.join(' ')));
  return failed(jobWithoutFile());
}

const MEDIA_TYPE = /^video\/[\w.+-]{1,40}$/;

/** Reads a sample: on the Gemini API the members are in `video`, on Vertex AI in the sample itself. */
function itemOf(sample: unknown): MadeItem | Failure | null {
  if (!isRecord(sample)) return null;
  const video = isRecord(sample.video) ? sample.video : sample;
  const type = [video.mimeType, video.encoding].find((one) => typeof one === 'string' && MEDIA_TYPE.test(one));
  const mediaType = typeof type === 'string' ? type : 'video/mp4';
  const data = [video.bytesBase64Encoded, video.encodedVideo, video.videoBytes, video.video].find(isText);
  if (isText(data)) {
    const base64 = standardBase64(data);
    return base64 === null
      ? garbage('The upstream returned an invalid video.')
      : { source: { kind: 'base64', base64 }, mediaType };
  }
  const address = [video.uri, video.gcsUri].find(isText);
  if (!isText(address)) return null;
  const source = sourceOf(address);
  return source instanceof Failure ? source : { source, mediaType };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** Matches a file of the Gemini API by its path below the version, with which a channel's base address ends. */
const FILE = /\/v\d+(?:alpha|beta)?\d*(\/(?:files|generatedFiles)\/[\w-]{1,200}:download(?:\?[\w=&.-]{0,200})?)$/;
const GEMINI_HOST = 'generativelanguage.googleapis.com';

function sourceOf(address: string): FileSource | Failure {
  if (address.startsWith('gs://')) {
    const message = 'The provider stored the video in a bucket that the gateway cannot read.';
    return new Failure('upstream_error', { kind: 'file_in_bucket', message });
  }
  if (!isWebAddress(address)) return garbage('The upstream returned a video with an invalid URL.');
  const path = FILE.exec(address)?.[1];
  if (path !== undefined) return { kind: 'channel', url: path, told: address };
  const isGemini = new URL(address).hostname === GEMINI_HOST;
  return isGemini ? { kind: 'channel', url: address, told: address } : { kind: 'url', url: address };
}
