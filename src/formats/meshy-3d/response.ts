import { Failure } from '../../domain/failure/failure.ts';
import type { ModelFormat, ThreeDRequest } from '../../domain/tasks/generation-request.ts';
import type { JobReport, JobTicket, MadeItem, Submission } from '../../domain/tasks/job.ts';
import { bodyNoAnswer, garbage } from '../shared/answer-failure.ts';
import { jobFailed, jobObject, percentOf } from '../shared/job-answer.ts';
import { fileAt, jobId, modelMediaType } from '../shared/job-file.ts';
import { isRecord } from '../shared/record.ts';
import type { PollRequest, WireAnswer } from '../wire.ts';
import { endpointNamed, endpointOf } from './endpoints.ts';

type Json = Readonly<Record<string, unknown>>;

/** As `TaskWire.decodeSubmission`: `{result: <id>}`. */
export function decodeSubmission({ bytes }: WireAnswer, { images, format }: ThreeDRequest): Submission | Failure {
  const body = jobObject(bytes);
  if (body instanceof Failure) return body;
  const id = jobId(body.result);
  if (id === null) return garbage('The upstream took the job and did not say its id.');
  const ticket = { id, endpoint: endpointOf(images.length).name, ...(format !== null && { format }) };
  return { ticket, report: { state: 'working', status: 'pending', progress: null } };
}

export function poll({ id = '', endpoint }: JobTicket): PollRequest {
  return { url: `${endpointNamed(endpoint).path}/${encodeURIComponent(id)}` };
}

/** As `TaskWire.decodePoll`. */
export function decodePoll({ bytes }: WireAnswer, ticket: JobTicket): JobReport | Failure {
  const body = jobObject(bytes);
  if (body instanceof Failure) return body;
  switch (body.status) {
    case 'PENDING':
      return { state: 'working', status: 'pending', progress: percentOf(body.progress) };
    case 'IN_PROGRESS':
      return { state: 'working', status: 'processing', progress: percentOf(body.progress) };
    case 'SUCCEEDED':
      return made(body, ticket);
    case 'FAILED':
      return failed(body.task_error);
    case 'CANCELED':
      return { state: 'failed', failure: jobFailed({ message: 'the provider has cancelled it' }) };
    default:
      return garbage('The upstream reported a state of the job that is not known.');
  }
}

/** `{type, code, message}`: what is wrong with the request itself is the client's to change. */
function failed(error: unknown): JobReport {
  const { type, code, message } = isRecord(error) ? error : { type: null, code: null, message: null };
  return { state: 'failed', failure: jobFailed({ message, code, isAboutInput: type === 'invalid_input' }) };
}

/** In the order in which they are given. Beside these there are materials of the OBJ, and the mesh before it was made anew. */
const FORMATS: readonly ModelFormat[] = ['glb', 'fbx', 'obj', 'usdz', 'stl', '3mf'];

/** Of a model whose format was named, that file; else all that there are. */
function made(body: Json, { format: wanted }: JobTicket): JobReport | Failure {
  const { model_urls: files } = body;
  if (!isRecord(files)) return bodyNoAnswer();
  const cover = fileAt(body.thumbnail_url);
  const items: MadeItem[] = [];
  for (const format of FORMATS) {
    if (wanted !== undefined && format !== wanted) continue;
    const source = fileAt(files[format]);
    if (source !== null) items.push({ source, mediaType: modelMediaType(format), format, cover });
  }
  if (items.length > 0) return { state: 'done', result: { items } };
  return {
    state: 'failed',
    failure: jobFailed({ message: 'there is no file of the model in the format that was asked for' }),
  };
}
