import { Failure } from '../../../domain/failure/failure.ts';
import type { ModelFormat, ThreeDRequest } from '../../../domain/tasks/generation-request.ts';
import type { JobReport, JobTicket, MadeItem, Submission } from '../../../domain/tasks/job.ts';
import { bodyNoAnswer } from '../../shared/failure/answer-failure.ts';
import { isRecord } from '../../shared/json/record.ts';
import { mediaTypeOf } from '../../shared/tasks/file-types.ts';
import {
  failed,
  jobEnded,
  jobFailed,
  jobObject,
  jobWithoutId,
  percentOf,
  taken,
  unknownState,
  working,
} from '../../shared/tasks/job-answer.ts';
import { fileAt, jobId } from '../../shared/tasks/job-file.ts';
import type { PollRequest } from '../../shared/tasks/wire.ts';
import type { WireAnswer } from '../../wire.ts';
import { endpointNamed, endpointOf } from './endpoints.ts';

type Json = Readonly<Record<string, unknown>>;

/** Implements `TaskWire.decodeSubmission`: `{result: <id>}`. */
export function decodeSubmission({ bytes }: WireAnswer, { images, format }: ThreeDRequest): Submission | Failure {
  const body = jobObject(bytes);
  if (body instanceof Failure) return body;
  const id = jobId(body.result);
  if (id === null) return jobWithoutId();
  const ticket = { id, endpoint: endpointOf(images.length).name, ...(format !== null && { format }) };
  return taken(ticket);
}

export function poll({ id = '', endpoint }: JobTicket): PollRequest {
  return { url: `${endpointNamed(endpoint).path}/${encodeURIComponent(id)}` };
}

/** Implements `TaskWire.decodePoll`. */
export function decodePoll({ bytes }: WireAnswer, ticket: JobTicket): JobReport | Failure {
  const body = jobObject(bytes);
  if (body instanceof Failure) return body;
  switch (body.status) {
    case 'PENDING':
      return working('pending', percentOf(body.progress));
    case 'IN_PROGRESS':
      return working('processing', percentOf(body.progress));
    case 'SUCCEEDED':
      return made(body, ticket);
    case 'FAILED':
      return failed(failureOf(body.task_error));
    case 'CANCELED':
      return failed(jobEnded('job_canceled'));
    default:
      return unknownState();
  }
}

/** Decodes `{type, code, message}`; a fault in the request itself is the client's to fix. */
function failureOf(error: unknown): Failure {
  const { type, code, message } = isRecord(error) ? error : { type: null, code: null, message: null };
  return jobFailed({ message, code, about: type === 'invalid_input' ? 'input' : null });
}

/** The order in which files are returned. Materials of the OBJ and the original mesh also exist but are left out. */
const FORMATS: readonly ModelFormat[] = ['glb', 'fbx', 'obj', 'usdz', 'stl', '3mf'];

/** Returns the requested format's file, or all files if none was requested. */
function made(body: Json, { format: wanted }: JobTicket): JobReport | Failure {
  const { model_urls: files } = body;
  if (!isRecord(files)) return bodyNoAnswer();
  const cover = fileAt(body.thumbnail_url);
  const items: MadeItem[] = [];
  for (const format of FORMATS) {
    if (wanted !== undefined && format !== wanted) continue;
    const source = fileAt(files[format]);
    if (source !== null) items.push({ source, mediaType: mediaTypeOf(format), format, cover });
  }
  if (items.length > 0) return { state: 'done', result: { items } };
  return failed(jobFailed({ message: 'the result has no file in the requested format' }));
}
