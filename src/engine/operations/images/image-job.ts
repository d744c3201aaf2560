import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { askedSize } from '../../../domain/images/image-size.ts';
import type { ImageAnswer, ImageRequest, ImageShape, ImageTokens } from '../../../domain/images/images.ts';
import type { Billable } from '../../../domain/money/quantity.ts';
import type { ImageWire } from '../../../formats/images/wire.ts';
import { imageWires } from '../../../formats/index.ts';
import { encodeStreamFailure } from '../../../formats/shared/failure/openai-failure.ts';
import { imagesField } from '../../../formats/shared/image-limits.ts';
import { READ_MEMBERS } from '../../../formats/shared/media/image-request.ts';
import { KEEP_ALIVE } from '../../../formats/shared/stream/sse.ts';
import { ruleModelOf, type WireRequest } from '../../../formats/wire.ts';
import type { AnswerPart, Lane, LaneRequest, WholeResponse } from '../../call/lane.ts';
import type { Job, Streaming } from '../../call/operation.ts';
import type { Ways } from '../../directory/directory.ts';
import type { Target } from '../../directory/target.ts';
import type { FetchedImages } from '../input-images.ts';
import { laneRequestOf } from '../several-requests.ts';
import { foreignFile, refusalOfParts, refusalOnSharedChannel, unknownOption } from '../shared-channel.ts';
import { encodeAnswer, encodeEvents } from './image-answer.ts';
import { billableOf, defaultsOf, expectedShape, hasTokenPrices, type ImageDefaults } from './image-billable.ts';
import { ImageBounds } from './image-bounds.ts';
import { type ImageStream, RelayedImages, streamOfAnswer } from './image-stream.ts';
import { type GivenImage, type GivingPorts, givenImages, wantedBy } from './made-images.ts';
import type { ParsedImages } from './parse-generation.ts';

/** The dependencies of an image request. */
export interface ImageMeans {
  readonly parsed: ParsedImages;
  readonly ways: Ways<Target>;
  readonly fetched: FetchedImages;
  readonly giving: GivingPorts;
  readonly nowMs: () => number;
}

/** An upstream's images and their billable quantities. */
export interface ReadImages {
  readonly made: ImageAnswer;
  readonly billable: Billable;
}

/** One request for new or edited images, over any image wire. */
export class ImageJob implements Job<Target, ImageStream> {
  readonly stream: boolean;
  readonly modelId: string;
  readonly ways: Ways<Target>;
  readonly request: ImageRequest;
  private readonly defaults: ImageDefaults;
  private readonly byTokens: boolean;

  readonly streaming: Streaming<ImageStream> = {
    contentType: () => 'text/event-stream; charset=utf-8',
    ping: KEEP_ALIVE,
    encodeFailure: encodeStreamFailure,
    isReported: ({ isReported }) => isReported,
    billableOf: ({ billable }) => billable,
  };

  constructor(private readonly means: ImageMeans) {
    const { parsed, ways } = means;
    this.request = parsed.request;
    this.stream = parsed.request.stream;
    this.modelId = parsed.request.model;
    this.ways = ways;
    this.defaults = defaultsOf(ways.model, parsed.request);
    this.byTokens = hasTokenPrices(ways.model.pricing);
  }

  bounds(): ImageBounds {
    const targets = this.ways.targets.flatMap((target) => [target, ...target.alternatives]);
    const expected = targets.map((target) => this.expectedOf(target));
    return new ImageBounds(this.request, expected);
  }

  lane(target: Target, routing: RoutingFacts): Lane<ImageStream> {
    const wire = imageWires.get(target.wire.name);
    if (wire === undefined) throw new Error(`${target.wire.name} is not a wire for images`);
    const parts = partsFor(wire, target, this.request);
    const reader = this.stream && parts.length === 1 ? (wire.openStream?.(this.request, target) ?? null) : null;
    const { next } = wire;
    const relayed = { routing, count: this.request.count, billableOf: this.billableOf(target, 1) };
    return {
      isRelayed: wire.isClients === true,
      request: () => this.prepared(wire, target, parts),
      ...(next !== undefined && { next: (answer: AnswerPart) => next(answer, target) }),
      answer: (bytes, headers) => this.answer(wire, target, [{ bytes, headers }], routing),
      answers: (answers) => this.answer(wire, target, answers, routing),
      ...(reader !== null && { stream: () => new RelayedImages({ reader, ...relayed }) }),
      streamOfAnswer,
    };
  }

  private async prepared(
    wire: ImageWire,
    target: Target,
    parts: readonly ImageRequest[],
  ): Promise<LaneRequest | Failure> {
    const refusal = refusalAt(target, wire, this.means.parsed);
    if (refusal !== null) return refusal;
    const encoded: WireRequest[] = [];
    for (const part of parts) {
      const whole = wire.takesUrls === true ? part : await withBytes(part, this.means.fetched);
      const request = whole instanceof Failure ? whole : await wire.encodeRequest(whole, target);
      if (request instanceof Failure) return request;
      encoded.push(request);
    }
    const [first, ...others] = encoded;
    if (first === undefined) throw new Error('no request was made for an image');
    return laneRequestOf(first, others);
  }

  private async answer(
    wire: ImageWire,
    target: Target,
    answers: readonly AnswerPart[],
    routing: RoutingFacts,
  ): Promise<WholeResponse | Failure> {
    const { request, means } = this;
    const read = this.read(wire, target, answers);
    if (read instanceof Failure) return read;
    const { made, billable } = read;
    const wanted = this.stream ? 'b64_json' : wantedBy(request);
    const given = await givenImages(made.images, wanted, made, means.giving);
    const failure = given.find((image) => image instanceof Failure);
    if (failure instanceof Failure) return failure;
    const images = given.filter((image): image is GivenImage => !(image instanceof Failure));
    const facts = { routing, nowMs: means.nowMs() };
    return {
      body: this.stream ? encodeEvents(request, made, images, facts) : encodeAnswer(made, images, facts),
      billable,
      served: { model: made.model, serviceTier: null },
    };
  }

  /** Returns the images of all answers with their billable quantities. */
  read(wire: ImageWire, target: Target, answers: readonly AnswerPart[]): ReadImages | Failure {
    const { request } = this;
    const decoded: ImageAnswer[] = [];
    for (const [index, part] of partsFor(wire, target, request).entries()) {
      const answer = answers[index];
      if (answer === undefined) break;
      const images = wire.decodeAnswer(answer, part, target);
      if (images instanceof Failure) return images;
      decoded.push(images);
    }
    const made = joined(decoded, request.count);
    return { made, billable: this.billableOf(target, decoded.length)(made, made.images.length) };
  }

  private billableOf(target: Target, requests: number) {
    const { byTokens } = this;
    const expected = this.expectedOf(target);
    return (made: Omit<ImageAnswer, 'images'>, count: number) =>
      billableOf(this.request, made, { count, expected, requests, byTokens });
  }

  private expectedOf(target: Target): ImageShape {
    const { request } = this;
    const asked = imageWires.get(target.wire.name)?.asks?.(request, target);
    return expectedShape(asked ?? { size: askedSize(request), quality: request.quality }, this.defaults);
  }
}

/** Returns why this channel must not be asked: the request names an object of another account, or a member with an unknown cost. */
export function refusalAt(
  target: Target,
  { harmlessOptions = [] }: Pick<ImageWire, 'harmlessOptions'>,
  { request, names }: Pick<ParsedImages, 'request' | 'names'>,
): Failure | null {
  return (
    foreignFile(target, request.body) ??
    unknownOption(target, request.options, harmlessOptions) ??
    (names === null
      ? refusalOfParts(target, unreadParts(request))
      : refusalOnSharedChannel(target, request.body, names))
  );
}

/** Returns the text parts of a form that the gateway does not read. */
function unreadParts({ body }: ImageRequest): (readonly [name: string, values: readonly string[]])[] {
  const unread = Object.entries(body).filter(([name]) => !READ_MEMBERS.has(name));
  return unread.map(([name, value]) => [name, [String(value)]]);
}

/** Returns the requests to the upstream: several if one cannot ask for all images. */
function partsFor(wire: ImageWire, target: Target, request: ImageRequest): readonly ImageRequest[] {
  const most = Math.max(1, wire.mostImages?.(ruleModelOf(target)) ?? request.count);
  const parts: ImageRequest[] = [];
  for (let left = request.count; left > 0; left -= most) parts.push({ ...request, count: Math.min(most, left) });
  return parts;
}

/** Joins the answers, with at most the requested number of images. The token count is unknown if that of any answer is. */
function joined(answers: readonly ImageAnswer[], count: number): ImageAnswer {
  const [first, ...others] = answers;
  if (first === undefined) throw new Error('no answer has been read');
  const images = answers.flatMap((answer) => answer.images).slice(0, count);
  if (others.length === 0) return { ...first, images };
  const { details: _details, ...rest } = first;
  return { ...rest, images, tokens: answers.map(({ tokens }) => tokens).reduce(summed) };
}

function summed(left: ImageTokens | null, right: ImageTokens | null): ImageTokens | null {
  if (left === null || right === null) return null;
  return {
    textInput: left.textInput + right.textInput,
    imageInput: left.imageInput + right.imageInput,
    textOutput: left.textOutput + right.textOutput,
    imageOutput: left.imageOutput + right.imageOutput,
  };
}

/** Resolves to the request with all image URLs replaced by bytes, for a wire that takes no URLs. */
export async function withBytes(request: ImageRequest, fetched: FetchedImages): Promise<ImageRequest | Failure> {
  const field = imagesField(request);
  const located = request.images.map((image, index) => ({
    image,
    path: field === 'image_urls' ? `${field}[${index}]` : field,
  }));
  const images = await fetched.bytesOf(located, field);
  return images instanceof Failure ? images : { ...request, images };
}
