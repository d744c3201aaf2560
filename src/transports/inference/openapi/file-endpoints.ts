import { z } from 'zod';
import { RELAYED_APIS, type RelayedApi } from '../../../providers/shared/relayed-apis.ts';
import type {
  DescribedEndpoint,
  DescribedTag,
  EnvelopeName,
  HttpMethod,
  SecurityName,
} from '../../shared/openapi/described-endpoint.ts';
import { pascalCase } from '../../shared/openapi/json-schema.ts';
import { ANTHROPIC_KEY, GOOGLE_KEY, JSON_TYPE, KEY } from './describe.ts';
import { RELAYED } from './errors.ts';

export const FILE_TAGS: readonly DescribedTag[] = [
  { name: 'Media', description: 'The files that models have made, by their links.' },
  {
    name: 'Passed on',
    description:
      'What a provider keeps for an account (files, batches, vector stores …): requests go unchanged to a channel of the account’s own, and are answered as the provider’s documentation says. `GET /v1/realtime` is the handshake of a WebSocket.',
  },
];

const anything = z.string().meta({ format: 'binary' });

const media: DescribedEndpoint = {
  method: 'get',
  path: '/media/{id}',
  operationId: 'getMedia',
  tag: 'Media',
  summary: 'Get a file',
  description: 'The link is the permission: it comes with an answer, and expires.',
  security: [],
  envelope: 'openai',
  pathParameters: z.object({ id: z.string().describe('The file’s name.') }),
  query: z.object({
    expires: z.string().describe('When the link ends to hold, as it was given.'),
    signature: z.string().describe('As it was given.'),
  }),
  headers: z.object({
    range: z.string().optional().describe('A part of the file.').meta({ example: 'bytes=0-1023' }),
    'if-none-match': z.string().optional().describe('The `ETag` of the file that you have.'),
  }),
  answers: [
    { status: 200, description: 'The file.', content: { '*/*': { schema: anything } } },
    { status: 206, description: 'The part of the file.', content: { '*/*': { schema: anything } } },
    { status: 304, description: 'You have it.' },
    { status: 416, description: 'The file has no such part.' },
  ],
  errors: ['object_not_found', 'internal_error', 'storage_unavailable', { code: 'invalid_value', status: 400 }],
};

const ENVELOPES: Readonly<Record<string, readonly [EnvelopeName, readonly SecurityName[]]>> = {
  'openai-chat': ['openai', KEY],
  'anthropic-messages': ['anthropic', ANTHROPIC_KEY],
  gemini: ['gemini', GOOGLE_KEY],
};

const VERBS: Readonly<Record<HttpMethod, string>> = {
  get: 'Read',
  post: 'Post to',
  put: 'Put to',
  patch: 'Change',
  delete: 'Delete',
};

/** A GET here is a WebSocket handshake, which OpenAPI cannot describe. */
const REALTIME = '/v1/realtime';

/** Describes each path by the first API at it: two vendors may share a path, distinguished by their clients' headers. */
function relayed(): DescribedEndpoint[] {
  const endpoints = new Map<string, DescribedEndpoint>();
  for (const api of Object.values<RelayedApi>(RELAYED_APIS)) {
    const version = api.format === 'gemini' ? '/v1beta' : '/v1';
    const roots = [version, ...(api.uploads === true ? [`/upload${version}`] : [])];
    for (const root of roots) {
      const path = `${root}/${api.path}`;
      const below = `${path}/{path}`;
      const made = [
        ...(path === REALTIME ? [] : [relayedEndpoint(api, 'get', path)]),
        relayedEndpoint(api, 'post', path),
        ...(['get', 'post', 'put', 'patch', 'delete'] as const).map((method) => relayedEndpoint(api, method, below)),
      ];
      for (const endpoint of made) {
        const key = `${endpoint.method} ${endpoint.path}`;
        if (!endpoints.has(key)) endpoints.set(key, endpoint);
      }
    }
  }
  return [...endpoints.values()];
}

function relayedEndpoint(api: RelayedApi, method: HttpMethod, path: string): DescribedEndpoint {
  const [envelope, security] = ENVELOPES[api.format] ?? ['openai', KEY];
  const isBelow = path.endsWith('/{path}');
  const name = path.replace('/{path}', '');
  const body = { '*/*': { schema: anything } };
  return {
    method,
    path,
    operationId: `relay${pascalCase(method)}${pascalCase(name)}${isBelow ? 'Path' : ''}`,
    tag: 'Passed on',
    summary: `${VERBS[method]} ${isBelow ? `what is below ${name}` : name}`,
    security,
    envelope,
    ...(isBelow && {
      pathParameters: z.object({ path: z.string().describe('The rest of the path, which may have slashes.') }),
    }),
    ...(['post', 'put', 'patch'].includes(method) && { body: { optional: true, content: body } }),
    answers: [
      { status: 200, description: 'The provider’s answer.', content: { [JSON_TYPE]: { schema: z.any() }, ...body } },
    ],
    errors: RELAYED,
  };
}

export function fileEndpoints(): readonly DescribedEndpoint[] {
  return [media, ...relayed()];
}
