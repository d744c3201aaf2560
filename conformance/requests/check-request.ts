import { documentsMissing, FORMATS, type Format, judgeRequest } from '../judges/index.ts';
import { asArray, asObject, isObject, parseJson } from '../shared/json.ts';
import { strictProblem } from '../strict/check.ts';
import { hasPath } from './json-leaves.ts';
import { checkLeaves, isCut, type LeafCheck, namesOf, type ReportedLoss } from './leaf-check.ts';
import type { ClientRequest } from './recorded-requests.ts';
import type { ReceivedRequest } from './recording-upstream.ts';
import type { RequestBed } from './request-bed.ts';
import { bodyFor, send } from './send.ts';
import { publicModel, serviceOf, type TargetFormat } from './targets.ts';
import { UpstreamContent } from './upstream-content.ts';

/** The outcome of translating one client's request to one upstream format. */
export interface RequestVerdict {
  readonly request: ClientRequest;
  readonly target: TargetFormat;
  /** `refused`: a 400 that names what cannot be carried over. */
  readonly outcome: 'carried' | 'refused' | 'failed';
  /** The refused fields with their reasons, or the failures; empty if everything was carried over. */
  readonly problems: readonly string[];
  readonly losses: readonly ReportedLoss[];
  readonly leaves: LeafCheck | null;
}

/**
 * Sends the request to the target through the gateway, and judges what the upstream received or the client
 * was told.
 */
export async function checkRequest(
  bed: RequestBed,
  original: ClientRequest,
  target: TargetFormat,
): Promise<RequestVerdict> {
  const request = localized(bed, original, target);
  const base = { request, target, losses: [], leaves: null };
  bed.upstream.take(target);
  try {
    const response = await send(bed.gateway, request, publicModel(target, request.kind), request.text);
    const answer = await response.text();
    const received = bed.upstream.take(target);
    if (response.status === 400 && received.length === 0) return { ...base, ...judgeRefusal(request, answer) };
    const [only] = received;
    if (response.status !== 200 || only === undefined || received.length !== 1) {
      const problem = `status ${response.status} after ${received.length} upstream requests: ${answer.slice(0, 300)}`;
      return { ...base, outcome: 'failed', problems: [problem] };
    }
    return await judgeCarried(bed, request, only, target, lossesOf(response));
  } catch (error) {
    return { ...base, outcome: 'failed', problems: [String(error)] };
  }
}

function localized(bed: RequestBed, request: ClientRequest, target: TargetFormat): ClientRequest {
  const local = bed.media.localize(request.text, request.body);
  const text = bodyFor(request.format, local, publicModel(target, request.kind));
  return { ...request, text, body: asObject(JSON.parse(text)) };
}

function lossesOf(response: Response): readonly ReportedLoss[] {
  const header = response.headers.get('x-switchyard-losses');
  if (header === null) return [];
  // docs/translation.md documents the header; an entry of another shape covers nothing.
  return asArray(parseJson(header)).filter(isObject) as unknown as readonly ReportedLoss[];
}

async function judgeCarried(
  bed: RequestBed,
  request: ClientRequest,
  received: ReceivedRequest,
  target: TargetFormat,
  losses: readonly ReportedLoss[],
): Promise<RequestVerdict> {
  const upstream = new UpstreamContent(target, received);
  const leaves = checkLeaves(request, upstream, losses, bed.media);
  const vanished = isCut(losses) ? [] : leaves.vanished;
  const problems = [
    ...judgeBody(target, upstream.body).map((problem) => `the upstream body is not valid: ${problem}`),
    ...(await refusalsOf(request, received, target)),
    ...vanished.map(({ path, value }) => `vanished: ${path} = ${JSON.stringify(value).slice(0, 100)}`),
    ...unknownFields(request, losses).map((field) => `a loss names what the request does not have: ${field}`),
  ];
  return { request, target, outcome: problems.length === 0 ? 'carried' : 'failed', problems, losses, leaves };
}

/**
 * Returns why the provider would refuse the translated request. Requests in the provider's own format are not
 * judged.
 */
async function refusalsOf(
  { format }: ClientRequest,
  { method, url, headers, body }: ReceivedRequest,
  target: TargetFormat,
): Promise<readonly string[]> {
  if (format === target) return [];
  const { service, basePath } = serviceOf(target);
  const sent = { method, target: url.slice(basePath.length), headers, body: new Uint8Array(body) };
  const problem = await strictProblem(service, sent);
  return problem === null ? [] : [problem];
}

function judgeBody(target: TargetFormat, body: Readonly<Record<string, unknown>>): readonly string[] {
  const documented = FORMATS.find((format): format is Format => format === target);
  // Without the documents, the check that no value is lost still runs, and the run lists what is missing.
  if (documented !== undefined) return documentsMissing() === undefined ? judgeRequest(documented, body) : [];
  return Array.isArray(body.messages) ? [] : ['/messages: must be an array'];
}

function unknownFields(request: ClientRequest, losses: readonly ReportedLoss[]): readonly string[] {
  const fields = isCut(losses) ? losses.slice(0, -1) : losses;
  return fields.flatMap(({ field }) => (isInRequest(request, field) ? [] : [field]));
}

function isInRequest(request: ClientRequest, field: string): boolean {
  const named = namesOf(request);
  return hasPath(request.body, field, named);
}

function judgeRefusal(request: ClientRequest, answer: string): Pick<RequestVerdict, 'outcome' | 'problems'> {
  const error = asObject(asObject(parseJson(answer)).error);
  const quoted = /`([^`]+)`/.exec(String(error.message))?.[1];
  const named = typeof error.param === 'string' ? error.param : quoted;
  const isNamed = named !== undefined && isInRequest(request, named);
  return isNamed
    ? { outcome: 'refused', problems: [`${named}: ${String(error.message)}`] }
    : { outcome: 'failed', problems: [`a 400 that names nothing of the request: ${answer.slice(0, 300)}`] };
}
