import { expect, test } from 'bun:test';
import { MUSIC_NAMES } from '../../../engine/operations/generation/parse-music.ts';
import { THREE_D_NAMES } from '../../../engine/operations/generation/parse-three-d.ts';
import { VIDEO_NAMES } from '../../../engine/operations/generation/parse-video.ts';
import { NAMES as IMAGE_NAMES } from '../../../engine/operations/images/parse-generation.ts';
import { NAMES as EMBEDDING_NAMES } from '../../../formats/embeddings/openai-embeddings/request.ts';
import { NAMES as RERANK_NAMES } from '../../../formats/rerank/jina-rerank/request.ts';
import type { GovernedNames } from '../../../formats/shared/request/governed-names.ts';
import { NAMES as SPEECH_NAMES } from '../../../formats/speech/openai-speech/request.ts';
import { OPS_PATHS } from '../../ops/ops.ts';
import { assemble, type OpenApiDocument } from '../../shared/openapi/assemble.ts';
import { isSchema, type JsonSchema } from '../../shared/openapi/json-schema.ts';
import { type InferenceOptions, inferenceRoutes } from '../inference.ts';
import { UNAVAILABLE } from '../video-routes.ts';
import { inferenceApi } from './inference-api.ts';

const api = inferenceApi('vendor');
const document = await assemble([api], { title: 'Gateway', version: '1', serverUrl: '/' });

/** Returns the members of a request's body by name. */
function membersOf({ paths, components }: OpenApiDocument, path: string): Readonly<Record<string, JsonSchema>> {
  const schemas = (components as { schemas: Record<string, JsonSchema> }).schemas;
  const { requestBody } = paths[path]?.post ?? {};
  const [content] = Object.values((requestBody as { content: Record<string, { schema: JsonSchema }> }).content);
  const { $ref } = content?.schema ?? {};
  const { properties } = schemas[String($ref).split('/').at(-1) ?? ''] ?? {};
  return (isSchema(properties) ? properties : {}) as Record<string, JsonSchema>;
}

test('a request for a response requires a model and an input, by the contract', () => {
  const { schemas } = document.components as { schemas: Record<string, JsonSchema> };
  expect(JSON.stringify(document.paths['/v1/responses']?.post?.requestBody)).toContain('/CreateResponseRequest"');
  expect(schemas.CreateResponseRequest?.required).toEqual(['model', 'input']);
});

/** Returns all mounted paths; the routes are never called, so their options may be stubs. */
function mountedPaths(): string[] {
  const nothing = { operations: {}, calls: { answering: {} }, addresses: {}, realtime: {}, models: {}, mediaStore: {} };
  const options = { ...nothing, vendorKey: 'vendor', newRequestId: () => 'req_1' } as unknown as InferenceOptions;
  return [...Object.keys(inferenceRoutes(options).routes), ...OPS_PATHS];
}

/** The other addresses of OpenRouter's key and credits. */
const OPENROUTER = /^\/(?:api\/)?v1\/(?:auth\/(key)|(credits))$/;

/** Maps a path to its described form: Google's newer SDKs use `v1` for what is described under `v1beta`. */
const asDescribed = (path: string) =>
  path
    .replace(/^(\/upload)?\/v1\/(cachedContents|interactions|files)\b/, '$1/v1beta/$2')
    .replace(OPENROUTER, '/api/v1/$1$2')
    .replace(/:(\w+)/g, '{$1}');

test('every mounted path is described, and every description has a route', () => {
  const described = Object.keys(document.paths);
  const patternOf = (path: string) => path.replace(/\{[^}]+\}(?::\w+)?$/, '*');
  const matches = (mounted: string, path: string) =>
    mounted === path || (mounted.endsWith('*') && patternOf(path) === mounted);
  const mounted = mountedPaths().filter((path) => !Object.hasOwn(UNAVAILABLE, path));
  const isDescribed = (path: string) => described.some((one) => matches(path, one) || matches(asDescribed(path), one));
  expect(mounted.filter((path) => !isDescribed(path))).toEqual([]);
  const routed = mounted.flatMap((path) => [path, asDescribed(path)]);
  expect(
    described.filter(
      (path) => !routed.some((one) => matches(one, path) || matches(one.replace(/:(\w+)/g, '{$1}'), path)),
    ),
  ).toEqual([]);
});

test('operation ids are unique method names, and tags are described', () => {
  const ids = api.endpoints.map(({ operationId }) => operationId);
  expect(ids.filter((id) => !/^[a-z][a-zA-Z0-9]+$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
  const tags = api.tags.map(({ name }) => name);
  expect([...new Set(api.endpoints.map(({ tag }) => tag))].filter((tag) => !tags.includes(tag))).toEqual([]);
});

const READ_BY_HAND: readonly (readonly [string, GovernedNames])[] = [
  ['/v1/embeddings', EMBEDDING_NAMES],
  ['/v1/rerank', RERANK_NAMES],
  ['/v1/images/generations', IMAGE_NAMES],
  ['/v1/audio/speech', SPEECH_NAMES],
  ['/v1/videos/generations', VIDEO_NAMES],
  ['/v1/music/generations', MUSIC_NAMES],
  ['/v1/3d/generations', THREE_D_NAMES],
];
/** Aliases of members that are described. */
const ALIASES: ReadonlySet<string> = new Set(['generate_audio']);

test.each(READ_BY_HAND)('%s: exactly the members that are read are described', (path, names) => {
  const paths = Object.keys(Reflect.get(names, 'fields') as object);
  const read = new Set(paths.map((name) => name.split(/[.[]/)[0] ?? '').filter((name) => !ALIASES.has(name)));
  expect(Object.keys(membersOf(document, path)).sort()).toEqual([...read].sort());
});

test('every member of a body has a description', () => {
  const posts = Object.keys(document.paths).filter((path) =>
    api.endpoints.some(
      (one) => one.path === path && one.method === 'post' && one.body !== undefined && one.tag !== 'Passed on',
    ),
  );
  const silent = posts.flatMap((path) =>
    Object.entries(membersOf(document, path))
      .filter(([, schema]) => typeof schema.description !== 'string' || schema.description === '')
      .map(([name]) => `${path} ${name}`),
  );
  expect(silent).toEqual([]);
});
