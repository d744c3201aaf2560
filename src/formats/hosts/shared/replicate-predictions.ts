import type { Loss } from '../../../domain/exchange/loss.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../../domain/http/answer-headers.ts';
import type { GenerationRequest } from '../../../domain/tasks/generation-request.ts';
import type { JobReport, JobTicket } from '../../../domain/tasks/job.ts';
import { jsonObject } from '../../shared/failure/error-in-answer.ts';
import { decodeFailure as decodeUsual, withParam } from '../../shared/failure/upstream-failure.ts';
import { parseJsonBytes } from '../../shared/json/json-text.ts';
import { textOrEmpty, textOrNull } from '../../shared/json/json-values.ts';
import { addMembers, entryOf, isRecord } from '../../shared/json/record.ts';
import { jsonRequest, type Members, mergeOptions } from '../../shared/media/image-request.ts';
import {
  failed,
  jobEnded,
  jobFailed,
  jobWithoutId,
  taken,
  unknownState,
  working,
} from '../../shared/tasks/job-answer.ts';
import { type GeneratedKind, madeItems, nothingMade } from '../../shared/tasks/made-files.ts';
import type { JobCancel, TaskWire } from '../../shared/tasks/wire.ts';
import type { WireAnswer, WireRequest } from '../../wire.ts';
import { type HostedKind, wantedFormat } from './hosted.ts';

/*
 * Replicate's predictions (replicate.com/docs/reference/http): `POST /predictions` with a version, or `POST
 * /models/{owner}/{name}/predictions`, creates one, and `GET /predictions/{id}` returns its state.
 */

/** The state of a prediction. */
export type Prediction =
  | {
      readonly state: 'working';
      readonly status: 'pending' | 'processing';
      /** `null` if the id may not be part of a URL. */
      readonly id: string | null;
      /** Whole percent, from the model's logs. */
      readonly progress: number | null;
    }
  | { readonly state: 'done'; readonly id: string | null; readonly output: unknown; readonly model: string | null }
  | { readonly state: 'failed'; readonly failure: Failure };

const WORKING: Readonly<Record<string, 'pending' | 'processing'>> = { starting: 'pending', processing: 'processing' };
const ID = /^[a-z0-9]{1,64}$/i;

/** Returns a failure if the answer is not a prediction, or its state is unknown. */
export function readPrediction({ bytes }: Pick<WireAnswer, 'bytes'>): Prediction | Failure {
  const body = jsonObject(bytes);
  if (body instanceof Failure) return body;
  const { status, id, output, model, error, logs } = body;
  const known = typeof id === 'string' && ID.test(id) ? id : null;
  if (status === 'succeeded') return { state: 'done', id: known, output, model: textOrNull(model) };
  if (status === 'failed') return { state: 'failed', failure: failureOf(textOrEmpty(error)) };
  if (status === 'canceled' || status === 'aborted') {
    return { state: 'failed', failure: jobEnded('job_canceled') };
  }
  const stage = typeof status === 'string' ? entryOf(WORKING, status) : undefined;
  if (stage === undefined) return unknownState();
  return { state: 'working', status: stage, id: known, progress: progressIn(logs) };
}

/** Returns the URL path of a prediction, built from its id alone and never from the URLs in an answer. */
export function predictionPath(id: string): string {
  return `/predictions/${encodeURIComponent(id)}`;
}

/** How much of the logs' end is read: models log a progress bar for each step. */
const EXAMINED_CHARACTERS = 2_000;

/** Reads the last progress bar of Python's tqdm: ` 36%|███▌      | 18/50`. */
function progressIn(logs: unknown): number | null {
  if (typeof logs !== 'string') return null;
  const bars = [...logs.slice(-EXAMINED_CHARACTERS).matchAll(/(?<!\d)(\d{1,3})%\|/g)];
  const percent = Number(bars.at(-1)?.[1] ?? Number.NaN);
  return percent <= 100 ? percent : null;
}

/** Messages of models' own filters, and of Replicate's (E005). */
const FLAGGED =
  /\bnsfw\b|\bflagged as sensitive\b|\(E005\)|\b(?:content|safety) (?:policy|filter|checker)\b|\bmoderat/i;
/** E006, and the messages of models' Python code about invalid values. */
const BAD_INPUT = /\(E006\)|\binvalid input\b/i;

function failureOf(said: string): Failure {
  const about = FLAGGED.test(said) ? 'content' : BAD_INPUT.test(said) ? 'input' : null;
  return jobFailed({ message: said, about });
}

// ---- where predictions are made

/**
 * Returns where predictions are created: models that Replicate maintains have their own path; for others the version is named.
 */
function predictionPlace(id: string): { readonly suffix: string; readonly version: string | null } {
  const [owner = '', name, ...more] = id.split('/');
  const isOfficial = name !== undefined && more.length === 0 && !name.includes(':');
  if (!isOfficial) return { suffix: '/predictions', version: id };
  return { suffix: `/models/${encodeURIComponent(owner)}/${encodeURIComponent(name)}/predictions`, version: null };
}

/** Encodes the request; `provider_options` become members of `input`, which has all of a model's parameters. */
export function predictionRequest(
  upstreamModel: string,
  members: Members,
  options: Members,
  losses: readonly Loss[],
): WireRequest | Failure {
  const isSaid = ([, value]: readonly [string, unknown]) => value !== null && value !== undefined;
  const input = addMembers({}, Object.fromEntries(Object.entries(members).filter(isSaid)));
  const problem = mergeOptions(input, options);
  if (problem !== null) return problem;
  const { suffix, version } = predictionPlace(upstreamModel);
  return jsonRequest({ version, input }, { options: {} }, losses, { suffix });
}

// ---- predictions as jobs

/** Makes a wire for tasks of one kind. `names` are the client's names of members that errors name. */
export function replicateTasks<Request extends GenerationRequest, Model>(
  name: string,
  { kind, wire, asks, input }: HostedKind<Request, Model>,
  modelOf: (upstreamModel: string) => Model,
  names: Readonly<Record<string, string>>,
): TaskWire<Request> {
  return {
    name,
    ...wire,
    asks: (request, { upstreamModel }) => asks(request, modelOf(upstreamModel)),
    async encodeRequest(request, { upstreamModel }) {
      const encoded = await input(request, modelOf(upstreamModel));
      if (encoded instanceof Failure) return encoded;
      return predictionRequest(upstreamModel, encoded.members, request.options, encoded.losses);
    },
    decodeSubmission(answer, request) {
      const prediction = readPrediction(answer);
      if (prediction instanceof Failure) return prediction;
      const format = wantedFormat(request);
      const report = reportOf(prediction, kind, format);
      if (report.state === 'failed') return report.failure;
      if (prediction.state === 'failed' || prediction.id === null) return jobWithoutId();
      return taken({ id: prediction.id, ...(format !== null && { format }) }, report);
    },
    poll: ({ id = '' }) => ({ url: predictionPath(id) }),
    cancel: cancelPrediction(({ id = '' }) => predictionPath(id)),
    decodePoll(answer, { format = null }) {
      const prediction = readPrediction(answer);
      return prediction instanceof Failure ? prediction : reportOf(prediction, kind, format);
    },
    decodeFailure: (status, headers, bytes) => predictionFailure(status, headers, bytes, names),
  };
}

/** Cancels a prediction ("Cancel a prediction"); the answer is the prediction, which may still be ending. */
export function cancelPrediction(pathOf: (ticket: JobTicket) => string | null): JobCancel {
  return {
    endsBegun: 'billed',
    request(ticket) {
      const path = pathOf(ticket);
      return path === null ? null : { method: 'POST', url: `${path}/cancel` };
    },
    decode(answer) {
      const prediction = readPrediction(answer);
      if (prediction instanceof Failure) return prediction;
      return prediction.state === 'failed' ? 'ended' : 'asked';
    },
  };
}

function reportOf(prediction: Prediction, kind: GeneratedKind, format: string | null): JobReport {
  if (prediction.state === 'failed') return prediction;
  if (prediction.state === 'working') return working(prediction.status, prediction.progress);
  const items = madeItems(prediction.output, kind, format);
  if (items.length === 0) return failed(nothingMade());
  return { state: 'done', result: { items, model: prediction.model } };
}

/** Returns a model's entry in a table. An id is `owner/name`, `owner/name:version`, or a version alone. */
export function replicateModel<Model>(models: Readonly<Record<string, Model>>, usual: Model, id: string): Model {
  const [name = ''] = id.split(':');
  return entryOf(models, name) ?? usual;
}

// ---- errors

const NO_VERSION = /^invalid version\b|\bversion does not exist\b/i;

/**
 * Decodes `{title, detail, status, invalid_fields: [{type, field: "input.width", description}]}`. `names` are the client's names
 * for members of `input` that it names differently.
 */
export function predictionFailure(
  status: number,
  headers: AnswerHeaders,
  bytes: Uint8Array,
  names: Readonly<Record<string, string>>,
): Failure {
  const failure = decodeUsual(status, headers, bytes);
  if (status !== 422) return failure;
  const body: unknown = parseJsonBytes(bytes);
  if (!isRecord(body)) return failure;
  if (NO_VERSION.test(textOrEmpty(body.title)) || NO_VERSION.test(textOrEmpty(body.detail))) {
    return new Failure('upstream_error', {
      kind: 'http_404',
      message: `The provider does not have the model or address that the channel names (HTTP ${status})`,
      retry: 'other-target',
    });
  }
  const [first]: readonly unknown[] = Array.isArray(body.invalid_fields) ? body.invalid_fields : [];
  const field = isRecord(first) ? textOrEmpty(first.field).replace(/^input\./, '') : '';
  if (!/^[\w.[\]]{1,100}$/.test(field)) return failure;
  return withParam(failure, entryOf(names, field) ?? field);
}
