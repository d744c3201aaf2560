import { Failure } from '../../../domain/failure/failure.ts';
import { MOST_AUDIO_BYTES, MOST_IMAGE_BYTES } from '../../../domain/media/uploaded-file.ts';
import { Turns } from '../../../formats/shared/json/large-json.ts';
import type { InlineFile } from '../../../formats/shared/media/media-fields.ts';
import { LARGE_BODY_BYTES, readLargeBody } from '../../../formats/shared/request/body.ts';
import type { BodySource } from '../../../formats/shared/request/body-scan.ts';
import {
  fallbackMembers,
  withFirstModel,
  withoutFallbackMembers,
} from '../../../formats/shared/request/fallback-members.ts';
import { formatPath } from '../../../formats/shared/request/schema-error.ts';
import { statedModel } from '../../../formats/shared/request/stated-model.ts';
import type { InboundCall, ParsedRequest } from '../../../formats/text/client-request.ts';
import type { ClientFormat, StreamRelay } from '../../../formats/text/format.ts';
import { CACHE_HEADER, headerControl } from '../../cache/read-control.ts';
import type { SentRequest } from '../../cache/replays.ts';
import type { Asking, OpenCall } from '../../call/operation.ts';
import type { TextTarget } from '../../directory/target.ts';
import type { TextInbound } from './inbound.ts';
import type { PreparedText } from './prepared/prepared-texts.ts';
import { TextPreparing } from './prepared/text-preparing.ts';
import { headerProblem } from './relayed-headers.ts';
import { fingerprint, ReplayedRequest, replayOf } from './replayed-request.ts';
import type { TextJob, TextJobInput } from './text-job.ts';
import { TextRequest } from './text-request.ts';
import type { TextServices } from './text-services.ts';
import { tracedParameters } from './traced-parameters.ts';

type JobOf = (input: TextJobInput) => TextJob;

/** Reads a text request. `jobOf` decides what is done with it. */
export function readText(
  services: TextServices,
  inbound: TextInbound,
  call: OpenCall,
  jobOf: JobOf,
): Promise<Asking<TextTarget, StreamRelay> | Failure> {
  const accountId = call.principal.account.id;
  let print: SentRequest | null = null;
  const preparing = TextPreparing.of(services, inbound, call);
  const look = (bytes: Uint8Array): ReplayedRequest | TextRequest | null => {
    print = fingerprint(services, inbound, accountId, bytes);
    const replay = print === null ? null : replayOf(services, call, print);
    if (replay === null) {
      const prepared = preparing === null ? null : preparing.find(bytes);
      return preparing === null || prepared === null ? null : preparedRequest(preparing, prepared);
    }
    call.outcome.asks({ stream: replay.stream });
    return new ReplayedRequest(services, inbound, call, replay);
  };
  const preparedRequest = (by: TextPreparing, prepared: PreparedText): TextRequest => {
    const parsed = by.requestOf(prepared);
    call.outcome.asks({ stream: parsed.stream });
    call.outcome.wants(parsed.model);
    call.outcome.trace?.asks(prepared.parameters);
    return new TextRequest(services, inbound, call, { ...PREPARED, parsed, prepared, jobOf });
  };
  const read = (parsed: ParsedRequest, fallbacks: readonly string[] | null): TextRequest | Failure => {
    call.outcome.asks({ stream: parsed.stream });
    call.outcome.wants(parsed.model);
    call.outcome.trace?.asks(tracedParameters(parsed.body));
    labelled(call, parsed.body);
    if (inbound.format.wantsUsageCost?.(parsed.body)) call.outcome.wantsUsageCost = true;
    const problem = headerProblem(inbound.format, inbound) ?? tooLargeFile(inbound.format, parsed);
    if (problem !== null) return problem;
    const cacheControl = inbound.format.cacheControl?.(parsed) ?? headerControl(inbound.header(CACHE_HEADER));
    if (cacheControl instanceof Failure) return cacheControl;
    return new TextRequest(services, inbound, call, { parsed, fallbacks, cacheControl, print, jobOf, preparing });
  };
  const refused = (source: BodySource) => call.outcome.wants(inbound.call.model ?? statedModel(source));
  return parsedBody(inbound, accountId, { look, read, refused, preparing });
}

/** A prepared request has none of these. */
const PREPARED = { fallbacks: null, cacheControl: null, print: null };

/** Takes the tags and the end user of the body, whose fields have the same names in all formats that have them. */
function labelled(
  { outcome }: OpenCall,
  { metadata, user, safety_identifier: identifier }: ParsedRequest['body'],
): void {
  const labels = typeof metadata === 'object' && metadata !== null ? metadata : {};
  outcome.labelledBy(labels);
  outcome.servesUser(user ?? identifier ?? ('user_id' in labels ? labels.user_id : undefined));
}

const LIMITS: Readonly<Record<string, { readonly bytes: number; readonly file: string }>> = {
  image: { bytes: MOST_IMAGE_BYTES, file: 'an image' },
  audio: { bytes: MOST_AUDIO_BYTES, file: 'an audio file' },
};

/** Returns the failure (413) for the first inline file that exceeds the limit of its kind, or `null`. */
function tooLargeFile(format: ClientFormat, request: ParsedRequest): Failure | null {
  for (const file of format.media.filesIn(request)) {
    const limit = LIMITS[kindOf(file)];
    if (limit !== undefined && file.bytes > limit.bytes) return tooLarge(formatPath(file.path), limit);
  }
  return null;
}

function kindOf({ mediaType }: InlineFile): string {
  return mediaType?.split('/', 1)[0] ?? '';
}

function tooLarge(param: string, { bytes, file }: { readonly bytes: number; readonly file: string }): Failure {
  const most = `${bytes / (1024 * 1024)} MB`;
  const message = `\`${param}\` is larger than ${most}, the limit for ${file}. Send a smaller one.`;
  return new Failure('payload_too_large', { message, param });
}

interface Sent {
  readonly format: ClientFormat;
  readonly call: InboundCall;
  readBody(accountId: string): Promise<Uint8Array | Failure>;
}

interface BodyReader<Known, Read> {
  /** May have scanned the body already. */
  readonly preparing: TextPreparing | null;
  /** Returns the known facts of a repeated body, or `null`. */
  look(bytes: Uint8Array): Known | null;
  /** `fallbacks` are the fallback models that the body names; `null` for none. */
  read(parsed: ParsedRequest, fallbacks: readonly string[] | null): Read;
  /** Called with a body that the format refuses. */
  refused(source: BodySource): void;
}

/** Reads and parses the body, unless it is known already. A separate function, so that only the parsed request keeps the bytes alive. */
async function parsedBody<Known, Read>(
  sent: Sent,
  accountId: string,
  reader: BodyReader<Known, Read>,
): Promise<Known | Read | Failure> {
  const bytes = await sent.readBody(accountId);
  if (bytes instanceof Failure) return bytes;
  const known = reader.look(bytes);
  if (known !== null) return known;
  if (bytes.length <= LARGE_BODY_BYTES) {
    const source = reader.preparing === null ? bytes : reader.preparing.source(bytes);
    const parsed = source instanceof Failure ? source : sent.format.parseRequest(source, sent.call);
    return readBy(reader, sent, parsed, bytes);
  }
  const source = await readLargeBody(bytes, sent.format.ownNames.table);
  if (source instanceof Failure) return source;
  const parsed = sent.format.parseRequest(source, sent.call);
  // Checking a hundred thousand values takes 10 ms, and so does the next step: other requests get a turn in between.
  await new Turns().next();
  return readBy(reader, sent, parsed, source);
}

function readBy<Read>(
  reader: Omit<BodyReader<unknown, Read>, 'look' | 'preparing'>,
  sent: Sent,
  parsed: ParsedRequest | Failure,
  source: BodySource,
): Read | Failure | Promise<Read | Failure> {
  const { namesFallbacks = false } = sent.format;
  if (parsed instanceof Failure) {
    const bytes = source instanceof Uint8Array ? source : source.bytes;
    const completed = namesFallbacks && parsed.details.param === 'model' ? withFirstModel(bytes) : null;
    if (completed !== null) return readAgain(reader, sent, completed);
    reader.refused(source);
    return parsed;
  }
  const { models } = parsed.body;
  if (!namesFallbacks || models === undefined || models === null) return reader.read(parsed, null);
  const fallbacks = fallbackMembers(parsed.body);
  if (!(fallbacks instanceof Failure)) {
    const read = (stripped: ParsedRequest) => reader.read(stripped, fallbacks);
    return readAgain({ ...reader, read }, sent, withoutFallbackMembers(parsed.bytes));
  }
  reader.refused(source);
  return fallbacks;
}

/** Reads a changed body. The first reading has found that its fallback models are to be read, so few requests are read twice. */
function readAgain<Read>(
  reader: Omit<BodyReader<unknown, Read>, 'look' | 'preparing'>,
  sent: Sent,
  bytes: Uint8Array,
): Promise<Read | Failure> {
  const { format, call } = sent;
  return parsedBody<never, Read>({ format, call, readBody: async () => bytes }, '', {
    ...reader,
    look: () => null,
    preparing: null,
  });
}
