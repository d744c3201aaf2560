import type { SpeechFormat, SpeechReader, SpeechRequest } from '../../domain/audio/speech.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { AnswerHeaders } from '../../domain/http/answer-headers.ts';
import type { OperationWire, OptionsWire, PolledWire, WireAnswer, WireRequest, WireTarget } from '../wire.ts';
import type { SpeechTraits } from './shared/speech-request.ts';

/** A wire for text-to-speech. */
export interface SpeechWire extends OperationWire, PolledWire, OptionsWire {
  /** The client's bytes are relayed, except for declared patches. */
  readonly isClients?: true;
  encodeRequest(request: SpeechRequest, target: SpeechTarget): WireRequest | Failure;
  /** Returns where the audio is, for upstreams that answer with a URL. The gateway fetches it and passes it to the reader. */
  fileOf?(answer: WireAnswer): MadeFile | Failure;
  /**
   * Opens a reader, given the headers of a 2xx answer or of the file that it refers to. A whole JSON answer is pushed to the
   * reader as well.
   */
  openAnswer(headers: AnswerHeaders, request: SpeechRequest, target: SpeechTarget): SpeechReader | Failure;
}

/** A file that an upstream has produced and serves at a URL, possibly on any host. */
export interface MadeFile {
  readonly url: string;
  /** The type that the upstream declares; `null` if it declares none. */
  readonly mediaType: string | null;
}

export interface SpeechTarget extends WireTarget {
  /** Used by the wire `openai-speech`: the first dialect whose `models` match applies. */
  readonly speech?: readonly SpeechDialect[];
}

/** How a server with OpenAI's speech API differs from one that takes all of OpenAI's members and voices. */
export interface SpeechDialect extends SpeechTraits {
  /** The upstream models that this applies to; absent means all. */
  readonly models?: RegExp;
  /** Other names for formats. */
  readonly formatNames?: Readonly<Partial<Record<SpeechFormat, string>>>;
  /** The format of an answer to a request that names none; mp3 if absent. */
  readonly defaultFormat?: SpeechFormat;
  /** Further members that belong to a format. */
  readonly formatMembers?: Readonly<Partial<Record<SpeechFormat, Readonly<Record<string, unknown>>>>>;
  /** The server can answer with events that report tokens (`stream_format: sse`), and is asked for them on every request. */
  readonly hasEvents?: true;
  /** The server takes a voice as an object (`{id}`). */
  readonly hasVoiceObjects?: true;
  /** The server refuses members that it does not know. */
  readonly isStrict?: true;
}
