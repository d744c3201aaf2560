import type { SpeechReader, SpeechRequest } from '../../../domain/audio/speech.ts';
import { wavHeader } from '../../../domain/audio/wav.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { parseRequest } from '../../speech/openai-speech/request.ts';
import type { SpeechWire } from '../../speech/wire.ts';
import type { WireTarget } from '../../wire.ts';

/** A silent frame of MPEG-2 layer III: 24 kHz, one channel, 32 kbit/s, 24 ms. */
export const MP3_FRAME = Uint8Array.from([0xff, 0xf3, 0x44, 0xc4, ...new Array<number>(92).fill(0)]);
export const MP3 = new Uint8Array(Buffer.concat([MP3_FRAME, MP3_FRAME, MP3_FRAME]));
/** 10 ms of samples that are not valid text. */
export const PCM = Uint8Array.from({ length: 480 }, (_, index) => (index % 2 === 0 ? index % 251 : 0));
export const WAV = new Uint8Array(Buffer.concat([wavHeader(PCM.length), PCM]));

export function speechRequest(body: object): SpeechRequest {
  const text = JSON.stringify({ model: 'm', input: 'Hello', ...body });
  const parsed = parseRequest(new TextEncoder().encode(text));
  if (parsed instanceof Failure) throw new Error(parsed.message);
  return parsed.request;
}

/**
 * Returns the request that a wire sends: the body as JSON, the suffix, and the fields of its losses; for a failure, its status
 * and field.
 */
export function sentOver(wire: SpeechWire, body: object, target: WireTarget = { upstreamModel: 'up' }) {
  const encoded = wire.encodeRequest(speechRequest(body), target);
  if (encoded instanceof Failure) return `${encoded.status} ${encoded.details.param} ${encoded.retry}`;
  if (!(encoded.body instanceof Uint8Array)) throw new Error('the body of a speech request is in memory');
  const sent: unknown = JSON.parse(new TextDecoder().decode(encoded.body));
  const losses = encoded.losses.map(({ field, verdict }) => `${field} ${verdict}`);
  return { body: sent, suffix: encoded.suffix, losses };
}

interface Answered {
  readonly body: object;
  readonly type: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly pieces: readonly Uint8Array[];
  readonly target?: WireTarget;
}

export interface ReadSpeech extends Pick<SpeechReader, 'mediaType' | 'usage' | 'characters'> {
  readonly audio: Uint8Array;
  /** The kind of the failure. */
  readonly failure: string | null;
}

/** Returns how a wire reads an answer that arrives in these pieces. */
export function readOver(wire: SpeechWire, answered: Answered): ReadSpeech | string {
  const { body, type, headers = {}, pieces, target = { upstreamModel: 'up' } } = answered;
  const all = new Headers(type === null ? headers : { ...headers, 'content-type': type });
  const reader = wire.openAnswer(all, speechRequest(body), target);
  if (reader instanceof Failure) return reader.kind;
  const audio = [...pieces.map((piece) => reader.push(piece)), reader.end()];
  const { mediaType, usage, characters, failure } = reader;
  return { audio: new Uint8Array(Buffer.concat(audio)), mediaType, usage, characters, failure: failure?.kind ?? null };
}

/** Yields the bytes in two pieces, split at every `step`-th offset. */
export function* splits(bytes: Uint8Array, step = 1): Generator<readonly Uint8Array[]> {
  for (let at = 0; at <= bytes.length; at += step) yield [bytes.subarray(0, at), bytes.subarray(at)];
}

export function eventsOf(...events: readonly (object | string)[]): Uint8Array {
  const text = events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('');
  return new TextEncoder().encode(text);
}
