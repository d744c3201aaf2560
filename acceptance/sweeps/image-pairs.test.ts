import { describe, expect, test } from 'bun:test';
import { IMAGE_URIS, SQUARE } from '../../conformance/strict/media/image-samples.ts';
import { imageUpstreams } from '../../conformance/strict/media/index.ts';
import { receivedOf } from '../../conformance/strict/received.ts';
import { refusalOf, type StrictUpstream } from '../../conformance/strict/rule.ts';
import type { CatalogModel } from '../../src/domain/catalog/catalog-model.ts';
import { Failure } from '../../src/domain/failure/failure.ts';
import type { ImageRequest } from '../../src/domain/images/images.ts';
import { MemoryFile } from '../../src/domain/media/memory-file.ts';
import { PiecedBody } from '../../src/domain/media/pieced-body.ts';
import type { UploadedFile } from '../../src/domain/media/uploaded-file.ts';
import { FIELD_NAMES } from '../../src/engine/operations/images/image-fields.ts';
import { parseEdit } from '../../src/engine/operations/images/parse-edit.ts';
import { parseGeneration } from '../../src/engine/operations/images/parse-generation.ts';
import type { ImageWire } from '../../src/formats/images/wire.ts';
import { imageWires } from '../../src/formats/index.ts';
import type { WireRequest } from '../../src/formats/wire.ts';
import { providers } from '../../src/providers/index.ts';
import type { ProviderWire } from '../../src/providers/manifest.ts';

/*
 * Every member of our contract, alone and in pairs, in every accepted spelling: the gateway sends what the provider
 * accepts, or refuses the request itself and names the field.
 */

const { png = '', ...OTHER_URIS } = IMAGE_URIS;

/** The most significant values of each member first. */
const COMMON: Readonly<Record<string, readonly unknown[]>> = {
  prompt: ['x'.repeat(1_001), 'x'.repeat(10_001), 'x'.repeat(32_000)],
  negative_prompt: ['fog', 'x'.repeat(10_001)],
  n: [1, 10],
  size: ['1000x333', 'auto', '1024x1024', '256x256', '1792x1024', '16x16', '8192x8192'],
  aspect_ratio: ['16:9', '1:3', 'auto', '1:1', '21:9', '9:19.5', '100:1'],
  quality: ['high', 'standard', 'auto', 'low', 'medium', 'hd', 'xhigh', 'max'],
  style: ['vivid', 'photorealism', 'natural', 'Vector art', 'anime', 'realistic', 'unheard of'],
  background: ['transparent', 'opaque', 'auto'],
  moderation: ['auto', 'low'],
  input_fidelity: ['low', 'high'],
  seed: [2 ** 53 - 1, 0, 2 ** 31],
  response_format: ['url', 'b64_json'],
  output_format: ['jpeg', 'webp', 'svg', 'png', 'gif'],
  output_compression: [50, 100, 0],
  stream: [true, false],
  partial_images: [0],
  user: ['somebody'],
};

const OF_GENERATIONS: Readonly<Record<string, readonly unknown[]>> = {
  ...COMMON,
  operation: ['text-to-image', 'image-to-image'],
  image_url: Object.values(IMAGE_URIS),
  image_urls: [[png], [png, png, png], Object.values(OTHER_URIS).slice(0, 2), new Array<string>(16).fill(png)],
};

const OF_EDITS: Readonly<Record<string, readonly unknown[]>> = {
  ...COMMON,
  size: ['256x256', '512x512', '1024x1024'],
  image: [1, 2, 5, 16],
  mask: [true],
};

type Members = Readonly<Record<string, unknown>>;
type Asked = readonly Members[];

const alone = (values: Readonly<Record<string, readonly unknown[]>>): Asked =>
  Object.entries(values).flatMap(([name, all]) => all.map((value) => ({ [name]: value })));

/** The number of each member's values that are used in pairs. */
const PAIRED_VALUES = 2;

function inPairs(values: Readonly<Record<string, readonly unknown[]>>): Asked {
  const all = alone(
    Object.fromEntries(Object.entries(values).map(([name, each]) => [name, each.slice(0, PAIRED_VALUES)])),
  );
  const isNew = (one: Members, other: Members) => Object.keys(one)[0] !== Object.keys(other)[0];
  return all.flatMap((one, at) =>
    all.slice(at + 1).flatMap((other) => (isNew(one, other) ? [{ ...one, ...other }] : [])),
  );
}

/** Returns the request as our contract reads it; `null` if the contract refuses it. */
function generationOf(members: Members): ImageRequest | null {
  const body = { model: 'any', prompt: 'a fox', ...members };
  const parsed = parseGeneration(new TextEncoder().encode(JSON.stringify(body)));
  return parsed instanceof Failure ? null : parsed.request;
}

const FILE: UploadedFile = new MemoryFile(new Uint8Array(SQUARE), { name: 'photo.jpg' });

async function editOf({ image = 1, mask, ...members }: Members): Promise<ImageRequest | null> {
  const texts = Object.entries({ model: 'any', prompt: 'a fox', ...members });
  const files = new Map([['image', new Array<UploadedFile>(Number(image)).fill(FILE)]]);
  if (mask === true) files.set('mask', [FILE]);
  const form = {
    fields: new Map(texts.map(([name, value]) => [name, [String(value)]])),
    files,
    remove: () => undefined,
  };
  const checkPng = () => Promise.resolve({ width: 64, height: 64, hasAlpha: true });
  const parsed = await parseEdit(form, { checkPng, defaultModel: null });
  return parsed instanceof Failure ? null : parsed.request;
}

interface Way {
  readonly upstream: StrictUpstream;
  readonly wire: ImageWire;
  /** The manifest's entry for the wire. */
  readonly served: ProviderWire;
  readonly model: string;
}

function wayTo(upstream: StrictUpstream, model: string): Way {
  const wire = imageWires.get(upstream.wire);
  const wires = providers.get(upstream.provider)?.wires ?? [];
  const served = wires.find((one) => one.wire === upstream.wire && (one.models?.test(model) ?? true));
  if (wire === undefined || served === undefined)
    throw new Error(`${upstream.provider} has no ${upstream.wire} for ${model}`);
  return { upstream, wire, served, model };
}

/**
 * Returns whether the engine may give this request to the wire: it supports the operation, and gets the bytes of all
 * images if it does not accept URLs.
 */
function isGiven({ takesUrls, operations }: ImageWire, { kind, images }: ImageRequest): boolean {
  const operation = kind === 'edit' ? 'images.edits' : 'images.generations';
  return (
    operations.some((one) => one === operation) && (takesUrls === true || images.every((image) => image.kind !== 'url'))
  );
}

/**
 * Resolves to the problem of what is sent for a request; `null` if it is accepted, or refused with one of the client's
 * fields.
 */
async function problemOf({ upstream, wire, served, model }: Way, request: ImageRequest, members: Members) {
  if (!isGiven(wire, request)) return null;
  const count = Math.min(request.count, wire.mostImages?.(model) ?? request.count);
  const target = { upstreamModel: model, ...(served.members !== undefined && { members: served.members }) };
  const sent = await wire.encodeRequest({ ...request, count }, target);
  if (sent instanceof Failure) return refusalProblem(sent, members);
  const headers = new Headers({ 'content-type': 'application/json', ...sent.headers });
  const path = typeof served.path === 'string' ? served.path : served.path({ model, stream: false, settings: {} });
  const raw = { method: 'POST', target: path + (sent.suffix ?? ''), headers, bytes: await bytesOf(sent) };
  return refusalOf(upstream, await receivedOf(raw))?.message ?? null;
}

/** A refusal of ours must name a field that the client sent or has to send. */
function refusalProblem({ status, details }: Failure, members: Members): string | null {
  const [field = ''] = (details.param ?? '').split('[');
  const isNamed = status === 400 && (field === 'image' || Object.hasOwn(members, field));
  return isNamed ? null : `refused with ${status} for \`${details.param}\`: ${details.message}`;
}

async function bytesOf({ body }: WireRequest): Promise<Uint8Array<ArrayBuffer>> {
  if (!(body instanceof PiecedBody)) return body ?? new Uint8Array();
  const pieces = await Promise.all(
    body.pieces.map((piece) => (piece instanceof Uint8Array ? piece : piece.file.bytes())),
  );
  return new Uint8Array(Buffer.concat(pieces));
}

type Read = readonly (readonly [Members, ImageRequest])[];

/** Resolves to the requests that the contract accepts. They are the same for all models, so they are read once. */
function readOnce(
  values: Asked,
  read: (members: Members) => ImageRequest | null | Promise<ImageRequest | null>,
): () => Promise<Read> {
  let all: Promise<Read> | null = null;
  return () => {
    all ??= Promise.all(values.map(async (members) => [members, await read(members)] as const)).then((requests) =>
      requests.flatMap(([members, request]) => (request === null ? [] : [[members, request] as const])),
    );
    return all;
  };
}

const generationsAlone = readOnce(alone(OF_GENERATIONS), generationOf);
const editsAlone = readOnce(alone(OF_EDITS), editOf);
const generationsInPairs = readOnce(inPairs(OF_GENERATIONS), generationOf);
const editsInPairs = readOnce(inPairs(OF_EDITS), editOf);

/** Returns each problem once, with the first request that has it. */
async function problemsOf(way: Way, requests: Read) {
  const problems = new Map<string, string>();
  for (const [members, request] of requests) {
    const problem = await problemOf(way, request, members);
    if (problem === null || problems.has(problem)) continue;
    problems.set(problem, JSON.stringify(members).slice(0, 200));
  }
  return Object.fromEntries(problems);
}

test('there are values for every member of the contract', () => {
  const read = FIELD_NAMES.filter((name) => name !== 'model' && name !== 'provider_options');
  expect(Object.keys(COMMON).sort()).toEqual([...read].sort());
});

const isImages = ({ category, operations }: CatalogModel) =>
  category === 'image' && operations.some((operation) => operation.startsWith('images.'));

function catalogModels({ provider, wire, models }: StrictUpstream): readonly string[] {
  const manifest = providers.get(provider);
  const listed = (manifest?.models?.() ?? []).filter(isImages).map(({ id }) => id);
  const own = manifest?.wires?.find((one) => one.wire === wire)?.models;
  const served = listed.filter((id) => own?.test(id) ?? true);
  return [...new Set([...served, ...(wire === 'ideogram-images' ? [] : models)])];
}

/** Two services get the same bodies, so one of them is enough. */
const judged = imageUpstreams.filter(({ name }) => name !== 'vertex-gemini-images');

describe.each(judged.map((upstream) => [upstream.name, upstream] as const))('%s', (_, upstream) => {
  test.each(catalogModels(upstream))('%s gets every member in a form that it accepts', async (model) => {
    const way = wayTo(upstream, model);
    expect(await problemsOf(way, await generationsAlone())).toEqual({});
    expect(await problemsOf(way, await editsAlone())).toEqual({});
  });

  const paired = upstream.models.filter((model) => catalogModels(upstream).includes(model));
  test.each(paired)('%s gets every pair of members in a form that it accepts', async (model) => {
    const way = wayTo(upstream, model);
    expect(await problemsOf(way, await generationsInPairs())).toEqual({});
    expect(await problemsOf(way, await editsInPairs())).toEqual({});
  });
});
