import { z } from 'zod';
import type {
  DescribedAnswer,
  DescribedApi,
  DescribedEndpoint,
  DescribedError,
  SecurityName,
} from '../shared/openapi/described-endpoint.ts';
import type { Access } from './access.ts';
import { MANAGEMENT_PATH } from './base-path.ts';
import { querySchema } from './read-query.ts';
import type { ManagementRoute } from './route.ts';
import { MANAGEMENT_TAGS } from './tags.ts';

/** A prefix for the names of tags, since inference uses some of the same. */
const GROUP = 'Management: ';
const JSON_TYPE = 'application/json';

/** Describes the management API from its routes, which need no further description. */
export function managementApi(routes: readonly ManagementRoute[]): DescribedApi {
  const used = new Set(routes.map(({ tag }) => tag));
  return {
    schemaPrefix: 'Management',
    tags: MANAGEMENT_TAGS.filter(({ name }) => used.has(name)).map(({ name, description }) => ({
      name: GROUP + name,
      description,
    })),
    endpoints: routes.map(endpointOf),
  };
}

function endpointOf(route: ManagementRoute): DescribedEndpoint {
  const { method, path, operationId, tag, summary, description, access, body } = route;
  const params = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const headers = headersOf(route);
  const query = querySchema(route);
  return {
    method,
    path: MANAGEMENT_PATH + path,
    operationId,
    tag: GROUP + tag,
    summary,
    description: [...(description === undefined ? [] : [description]), whoMay(access)].join('\n\n'),
    security: securityOf(access),
    envelope: 'openai',
    ...(params.length > 0 && {
      pathParameters: z.object(Object.fromEntries(params.map((name) => [name, z.string()]))),
    }),
    ...(Object.keys(query.shape).length > 0 && { query }),
    ...(Object.keys(headers.shape).length > 0 && { headers }),
    ...(body && {
      body: {
        optional: body.optional === true,
        ...(body.description !== undefined && { description: body.description }),
        content: {
          [JSON_TYPE]: {
            schema: method === 'patch' ? partial(body.schema) : body.schema,
            ...(body.examples && { examples: body.examples }),
          },
        },
      },
    }),
    answers: answersOf(route),
    errors: errorsOf(route),
  };
}

/** Returns the schema of a change: each member may be omitted, and `null` restores its default. */
function partial(schema: z.ZodType): z.ZodType {
  if (!(schema instanceof z.ZodObject)) return schema;
  const members = Object.entries(schema.shape).map(([name, member]) => [name, (member as z.ZodType).nullish()]);
  return z.strictObject(Object.fromEntries(members));
}

function securityOf({ who }: Access): readonly SecurityName[] {
  if (who === 'anyone') return [];
  return who === 'person' ? ['session'] : ['management_token', 'session'];
}

const ROLES = {
  viewer: 'all members of the account',
  member: 'members with the role `member` or `owner`',
  owner: 'owners of the account',
};

function whoMay(access: Access): string {
  switch (access.who) {
    case 'anyone':
      return 'Needs no credential.';
    case 'person':
      return 'For signed-in people.';
    case 'account':
      return `For ${ROLES[access.role]}, tokens of the account with the scope \`${access.scope}\`, and operators.`;
    case 'operator':
      return `For operators, and their tokens with the scope \`${access.scope}\`.`;
  }
}

function headersOf({ method, path, isList }: ManagementRoute): z.ZodObject {
  const changes = method === 'patch' || method === 'put' || method === 'delete';
  return z.object({
    ...(method === 'post' && {
      'Idempotency-Key': z
        .string()
        .max(200)
        .optional()
        .describe('A key of your choice. For 24 hours, a repeated request with the same key gets the first response.'),
    }),
    ...(changes &&
      path.includes('{') && {
        'If-Match': z
          .string()
          .optional()
          .describe('The `ETag` of the object. If the object has changed since, the request is refused.'),
      }),
    ...(method === 'get' &&
      isList !== true && { 'If-None-Match': z.string().optional().describe('The `ETag` of your copy.') }),
  });
}

function answersOf({ method, isList, answer }: ManagementRoute): readonly DescribedAnswer[] {
  const { status = 200, description, schema, contentType = JSON_TYPE } = answer;
  const types = typeof contentType === 'string' ? [contentType] : contentType;
  const content = schema === undefined ? {} : { content: Object.fromEntries(types.map((type) => [type, { schema }])) };
  const headers =
    isList === true || schema === undefined ? {} : { headers: { etag: 'The version of the object, for `If-Match`.' } };
  const given: DescribedAnswer = { status, description, ...headers, ...content };
  if (method === 'get' && isList !== true) return [given, { status: 304, description: 'Not modified.' }];
  if (status !== 201) return [given];
  return [given, { status: 200, description: 'It already existed with the same content.', ...headers, ...content }];
}

const ALWAYS: readonly DescribedError[] = [
  'invalid_value',
  'internal_error',
  'storage_unavailable',
  'rate_limit_exceeded',
];
const WITH_BODY: readonly DescribedError[] = [
  'request_timeout',
  'invalid_json',
  'empty_body',
  { code: 'unsupported_content_type', status: 400 },
  'invalid_type',
  'missing_required_parameter',
  'payload_too_large',
];

function errorsOf({ method, path, access, body, errors = [] }: ManagementRoute): readonly DescribedError[] {
  return [
    ...ALWAYS,
    ...(access.who === 'anyone' ? [] : (['invalid_api_key', 'expired_api_key', 'access_denied'] as const)),
    ...(access.who === 'account' ? (['missing_required_parameter', 'not_found'] as const) : []),
    ...(path.includes('{') ? (['not_found'] as const) : []),
    ...(method === 'get' ? [] : (['conflict'] as const)),
    ...(method === 'get' || method === 'post' ? [] : (['precondition_failed'] as const)),
    ...(body === undefined ? [] : WITH_BODY),
    ...errors,
  ];
}
