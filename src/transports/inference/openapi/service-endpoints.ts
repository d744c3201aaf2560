import { z } from 'zod';
import type { DescribedEndpoint, DescribedTag } from '../../shared/openapi/described-endpoint.ts';
import { STATUS_DOCUMENT } from '../../shared/status-document.ts';
import { answerOf, JSON_TYPE } from './describe.ts';

export const SERVICE_TAGS: readonly DescribedTag[] = [
  { name: 'Service', description: 'Information about the gateway, and its health.' },
];

/** Every request may have an invalid `Host` header. */
const WRONG_HOST = { code: 'invalid_value', status: 400 } as const;

const open = {
  method: 'get',
  tag: 'Service',
  security: [],
  envelope: 'openai',
  errors: ['internal_error', WRONG_HOST],
} as const;

const frontPage = z
  .object({
    name: z.string(),
    description: z.string(),
    status: z.string(),
    base_urls: z.record(z.string(), z.string()).describe('The base URL for the clients of each format.'),
    authentication: z.string(),
    endpoints: z.record(z.string(), z.string()),
  })
  .meta({ id: 'FrontPage' });

const notReady = z.object({ status: z.literal('not_ready'), reason: z.string() });

export const serviceEndpoints: readonly DescribedEndpoint[] = [
  {
    ...open,
    path: '/',
    operationId: 'getFrontPage',
    summary: 'Describe the gateway',
    answers: [
      answerOf('What the gateway is, and the base URL for each client.', frontPage, {
        'text/html': { schema: z.string() },
      }),
    ],
  },
  {
    ...open,
    path: '/openapi.json',
    operationId: 'getOpenApiJson',
    summary: 'Get this document as JSON',
    answers: [
      answerOf('OpenAPI 3.0.3.', z.object({ openapi: z.string() })),
      { status: 304, description: 'Not modified.' },
    ],
  },
  {
    ...open,
    path: '/openapi.yaml',
    operationId: 'getOpenApiYaml',
    summary: 'Get this document as YAML',
    answers: [
      { status: 200, description: 'OpenAPI 3.0.3.', content: { 'application/yaml': { schema: z.string() } } },
      { status: 304, description: 'Not modified.' },
    ],
  },
  {
    ...open,
    path: '/healthz',
    operationId: 'getHealth',
    summary: 'Check whether the process runs',
    answers: [answerOf('It runs.', z.object({ status: z.literal('ok') }))],
  },
  {
    ...open,
    path: '/readyz',
    operationId: 'getReadiness',
    summary: 'Check whether the gateway accepts requests',
    answers: [
      answerOf('It accepts requests.', z.object({ status: z.literal('ready') })),
      {
        status: 503,
        description: 'It does not accept requests, with the reason.',
        content: { [JSON_TYPE]: { schema: notReady } },
      },
    ],
  },
  {
    ...open,
    path: '/status.json',
    operationId: 'getStatus',
    summary: 'Read the state of the gateway',
    description:
      'For operators: a management token with the scope `system:read`, the `server.metrics_token` of the configuration, or without one a request from ' +
      'the machine itself. The status is 200 whatever the state is: read the member `status`.',
    security: ['management_token', 'metrics_token'],
    isSecurityOptional: true,
    answers: [answerOf('The state.', STATUS_DOCUMENT.meta({ id: 'Status' }))],
    errors: [
      'access_denied',
      'expired_api_key',
      'internal_error',
      'invalid_api_key',
      'storage_unavailable',
      WRONG_HOST,
    ],
  },
  {
    ...open,
    path: '/metrics',
    operationId: 'getMetrics',
    summary: 'Get metrics for Prometheus',
    description: 'For requests from the machine itself, or with the `server.metrics_token` of the configuration.',
    security: ['metrics_token'],
    isSecurityOptional: true,
    answers: [
      {
        status: 200,
        description: 'The metrics in the Prometheus text format.',
        content: { 'text/plain': { schema: z.string() } },
      },
    ],
    errors: ['access_denied', 'internal_error', WRONG_HOST],
  },
];
