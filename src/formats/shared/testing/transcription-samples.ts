import type { Transcript, TranscriptEvent, TranscriptionRequest } from '../../../domain/audio/transcription.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { MemoryFile } from '../../../domain/media/memory-file.ts';
import { PiecedBody } from '../../../domain/media/pieced-body.ts';
import type { TranscriptionWire } from '../../transcription/wire.ts';
import type { WireTarget } from '../../wire.ts';

export const SAMPLE_BYTES = Uint8Array.from({ length: 100 }, (_, index) => index * 3);

/** Returns a client's request to transcribe a recording of ten seconds, with additional members. */
export function transcriptionOf(more: Partial<TranscriptionRequest> = {}): TranscriptionRequest {
  return {
    model: 'public',
    kind: 'transcription',
    file: new MemoryFile(SAMPLE_BYTES, { name: 'talk.mp3', declaredType: 'audio/mpeg' }),
    mediaType: 'audio/mpeg',
    durationMs: 10_000,
    language: null,
    languages: [],
    prompt: null,
    keywords: [],
    format: 'json',
    temperature: null,
    granularities: [],
    logprobs: false,
    stream: false,
    chunking: null,
    speakerNames: [],
    speakerReferences: [],
    options: {},
    others: new Map(),
    ...more,
  };
}

/** A wire's request, with the bytes of the file. */
export interface SentTranscription {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly headers: Readonly<Record<string, string>>;
  readonly suffix: string | undefined;
  readonly lost: readonly string[];
}

/** Returns what the wire sends to a model; a failure if it refuses. */
export async function sentOver(
  wire: TranscriptionWire,
  request: TranscriptionRequest,
  target: WireTarget = { upstreamModel: 'theirs' },
): Promise<SentTranscription | Failure> {
  const encoded = wire.encodeRequest(request, target);
  if (encoded instanceof Failure) return encoded;
  const { body, headers = {}, suffix, losses } = encoded;
  return { bytes: await bytesOf(body), headers, suffix, lost: losses.map(({ field }) => field) };
}

async function bytesOf(body: Uint8Array<ArrayBuffer> | PiecedBody | null): Promise<Uint8Array<ArrayBuffer>> {
  if (body === null) return new Uint8Array(0);
  if (!(body instanceof PiecedBody)) return body;
  const parts: Uint8Array[] = [];
  for (const piece of body.pieces) {
    if (piece instanceof Uint8Array) parts.push(piece);
    else
      parts.push(piece.as === 'bytes' ? await piece.file.bytes() : Buffer.from((await piece.file.bytes()).toBase64()));
  }
  const bytes = Uint8Array.from(Buffer.concat(parts));
  if (bytes.length !== body.length) throw new Error('the length of a body is not what it says');
  return bytes;
}

/** Returns a form as a server reads it: text parts as lists in order, and the file last, with its name, type and bytes. */
export async function formOver(
  wire: TranscriptionWire,
  request: TranscriptionRequest,
  target?: WireTarget,
): Promise<{ readonly parts: readonly (readonly [string, unknown])[]; readonly lost: readonly string[] }> {
  const sent = await sentOver(wire, request, target);
  if (sent instanceof Failure) throw new Error(sent.message);
  const form = await new Response(sent.bytes, { headers: sent.headers }).formData();
  const parts: [string, unknown][] = [];
  for (const [name, value] of form.entries()) {
    if (typeof value === 'string') parts.push([name, value]);
    else parts.push([name, { name: value.name, type: value.type, bytes: new Uint8Array(await value.arrayBuffer()) }]);
  }
  return { parts, lost: sent.lost };
}

/** The sample file in a form. */
export const SAMPLE_FILE = ['file', { name: 'talk.mp3', type: 'audio/mpeg', bytes: SAMPLE_BYTES }] as const;

/** Returns a JSON body as a server reads it. */
export async function jsonOver(
  wire: TranscriptionWire,
  request: TranscriptionRequest,
  target?: WireTarget,
): Promise<{ readonly body: unknown; readonly suffix: string | undefined; readonly lost: readonly string[] }> {
  const sent = await sentOver(wire, request, target);
  if (sent instanceof Failure) throw new Error(sent.message);
  return { body: JSON.parse(new TextDecoder().decode(sent.bytes)), suffix: sent.suffix, lost: sent.lost };
}

/** Returns how a wire decodes an answer, given as a text or a value. */
export function decodedOver(
  wire: TranscriptionWire,
  answer: unknown,
  request: Partial<TranscriptionRequest> = {},
  target: WireTarget = { upstreamModel: 'theirs' },
): Transcript | Failure {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
  const bytes = new TextEncoder().encode(text);
  return wire.decodeAnswer({ bytes, headers: new Headers() }, transcriptionOf(request), target);
}

/** Returns the events of a stream that arrives in pieces of this many bytes. */
export function streamedOver(
  wire: TranscriptionWire,
  text: string,
  request: Partial<TranscriptionRequest> = {},
  pieceBytes = Number.POSITIVE_INFINITY,
): { readonly events: readonly TranscriptEvent[]; readonly failure: Failure | null } {
  const reader = wire.openStream?.(transcriptionOf({ stream: true, ...request }));
  if (reader === undefined) throw new Error(`${wire.name} has no streams`);
  const bytes = new TextEncoder().encode(text);
  const events: TranscriptEvent[] = [];
  for (let at = 0; at < bytes.length; at += pieceBytes)
    events.push(...reader.push(bytes.subarray(at, at + pieceBytes)));
  events.push(...reader.end());
  return { events, failure: reader.failure };
}

/** Returns what a client sees of the failure that a wire returns. */
export function refusalOver(wire: TranscriptionWire, more: Partial<TranscriptionRequest>, target?: WireTarget) {
  const encoded = wire.encodeRequest(transcriptionOf(more), target ?? { upstreamModel: 'theirs' });
  if (!(encoded instanceof Failure)) return null;
  const { status, retry, kind, details } = encoded;
  return { status, retry, kind, param: details.param };
}
