import type { Transcript, TranscriptEvent, TranscriptionRequest } from '../../domain/audio/transcription.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { OperationWire, OptionsWire, PolledWire, WireAnswer, WireRequest, WireTarget } from '../wire.ts';

/** A wire for transcribing speech in its own language, or translating it into English. */
export interface TranscriptionWire extends OperationWire, PolledWire, OptionsWire {
  /** Requests and answers are OpenAI's, which the gateway's own clients speak. */
  readonly isClients?: true;
  encodeRequest(request: TranscriptionRequest, target: TranscriptionTarget): WireRequest | Failure;
  decodeAnswer(answer: WireAnswer, request: TranscriptionRequest, target: TranscriptionTarget): Transcript | Failure;
  /**
   * Opens a reader for a stream. Absent if no model streams: the client then gets the whole transcript as a stream of one piece.
   */
  openStream?(request: TranscriptionRequest): TranscriptReader;
}

/** Reads a transcript stream. The input may be split at any byte. The last event is `done`, unless there is a failure. */
export interface TranscriptReader {
  push(piece: Uint8Array): readonly TranscriptEvent[];
  end(): readonly TranscriptEvent[];
  /** Set if the stream carried an error, or ended before its natural end. */
  readonly failure: Failure | null;
}

export interface TranscriptionTarget extends WireTarget {
  /** Used by the wires `openai-transcriptions` and `openai-translations`. */
  readonly transcription?: TranscriptionTraits;
}

/** How a server with OpenAI's transcription API differs from one that takes all of OpenAI's members. */
export interface TranscriptionTraits {
  /** The longest `prompt`, in characters. */
  readonly longestPrompt?: number;
  /** The server refuses form parts that it does not know. */
  readonly isStrict?: true;
}
