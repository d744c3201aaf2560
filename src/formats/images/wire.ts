import type { Failure } from '../../domain/failure/failure.ts';
import type { ImageAnswer, ImageRequest, ImageShape } from '../../domain/images/images.ts';
import type { JobCancel } from '../shared/tasks/wire.ts';
import type { OperationWire, OptionsWire, PolledWire, WireAnswer, WireRequest, WireTarget } from '../wire.ts';

/** A wire for making and editing images. */
export interface ImageWire extends OperationWire, PolledWire, OptionsWire {
  /**
   * Returns how many images one request to this model can produce, at least 1; more are made by further requests. Absent if the
   * limit is no lower than a client's.
   */
  mostImages?(upstreamModel: string): number;
  /** The upstream takes images by URL. For other wires the gateway fetches them. */
  readonly takesUrls?: true;
  /** The URLs of the resulting images expire within minutes. */
  readonly urlsExpireSoon?: true;
  /**
   * The upstream answers like OpenAI's API: all members are passed on, except for declared patches, and so is a stream. Other
   * wires answer a client that wants a stream with the last event only.
   */
  readonly isClients?: true;
  /**
   * Returns the size and quality that `encodeRequest` sends, which determine the price: the client's are often approximated.
   * Absent if they are sent as the client wrote them.
   */
  asks?(request: ImageRequest, target: WireTarget): ImageShape;
  encodeRequest(request: ImageRequest, target: WireTarget): WireRequest | Failure | Promise<WireRequest | Failure>;
  /** Cancels the job whose next poll is `url` of the ticket. Absent if the upstream cannot cancel jobs. */
  readonly cancel?: JobCancel;
  /** Fails if there is no image in the answer; a refusal by a content filter is a failure of side `client`. */
  decodeAnswer(answer: WireAnswer, request: ImageRequest, target: WireTarget): ImageAnswer | Failure;
  /**
   * Opens a reader for a relayed stream, for a request with `stream` on a wire with `isClients`. `null` if the model does not
   * stream and answers as it would without `stream`. Absent if no model streams.
   */
  openStream?(request: ImageRequest, target: WireTarget): ImageStreamReader | null;
}

/** Reads a stream of unfinished and finished images. The input may be split at any byte. */
export interface ImageStreamReader {
  /** Returns the events that the piece completes; none after a failure. */
  push(piece: Uint8Array): readonly ImageStreamEvent[];
  end(): readonly ImageStreamEvent[];
  /** Set if the stream carried an error, or ended without a finished image. */
  readonly failure: Failure | null;
  /** The result so far. */
  readonly result: ImageStreamResult;
}

/** One server-sent event with an image, in the upstream's bytes. */
export interface ImageStreamEvent {
  /** The bytes, including the blank line that ends the event. */
  readonly bytes: Uint8Array;
  /** Whether the event has a finished image. */
  readonly isCompleted: boolean;
  /** Whether the event has an unfinished image. */
  readonly isPartial: boolean;
}

/** The facts about a stream's finished images, without the images themselves. */
export interface ImageStreamResult extends Omit<ImageAnswer, 'images'> {
  readonly count: number;
}
