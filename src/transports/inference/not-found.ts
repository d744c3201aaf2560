import { OPERATION_CONTRACTS } from '../../domain/catalog/operation-contracts.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { ClientFormat } from '../../formats/text/format.ts';
import { baseUrlsAt } from '../shared/base-urls.ts';
import { failureResponse } from './failure-response.ts';
import { formatFor } from './guard.ts';
import { type PublicOriginOptions, publicOrigin, shownPath } from './public-origin.ts';
import type { ClientRequest, Connections } from './route.ts';
import { endpointPath } from './tolerant-paths.ts';

export interface NotFoundOptions extends PublicOriginOptions {
  readonly newRequestId: () => string;
}

/**
 * The first path segments of the vendors' APIs and of the gateway's own operations. Endpoints that the gateway serves have a route and
 * never get here.
 */
const KNOWN_ENDPOINTS = new Set([
  ...Object.values(OPERATION_CONTRACTS).map(({ endpoint }) => endpoint.split('/')[2]),
  ...['assistants', 'batches', 'chatkit', 'completions', 'containers', 'conversations', 'engines', 'evals', 'files'],
  ...['fine_tuning', 'fine-tunes', 'organization', 'projects', 'realtime', 'threads', 'uploads', 'usage'],
  ...['vector_stores', 'complete', 'organizations', 'skills', 'batch', 'cachedContents', 'corpora'],
  ...['fileSearchStores', 'interactions', 'operations', 'tunedModels', 'cache', 'tasks'],
  // OpenRouter's.
  ...['generation', 'providers', 'keys', 'activity', 'benchmarks', 'byok', 'presets', 'endpoints'],
]);

const SERVED = '`GET /` lists its endpoints, and `GET /v1/models` the operations of each model.';

/** Answers 404 in the format that the path or the headers indicate, with a hint at what the client may have wanted. */
export function notFound(request: ClientRequest, connections: Connections, options: NotFoundOptions): Response {
  const format = formatFor(request);
  const path = shownPath(request);
  const [, , first = ''] = endpointPath(path)?.split('/') ?? [];
  // `models/x:predict` is one of Google's methods.
  const isKnown = KNOWN_ENDPOINTS.has(first.split(':')[0] ?? '');
  const call = `${request.method} ${path}`;
  const failure = new Failure('unknown_url', {
    message: isKnown ? `This gateway does not serve ${call}.` : `There is no endpoint ${call}.`,
    hint: isKnown ? SERVED : baseUrlHint(format, publicOrigin(request, connections, options)),
  });
  return failureResponse(format, failure, options.newRequestId());
}

function baseUrlHint({ name }: ClientFormat, origin: string): string {
  const urls = baseUrlsAt(origin);
  if (name === 'anthropic-messages')
    return `The base URL for Anthropic's SDKs and Claude Code is ${urls.anthropic} here.`;
  if (name === 'gemini') return `The base URL for Google's SDKs and Gemini CLI is ${urls.gemini} here.`;
  return `The base URL for OpenAI's SDKs is ${urls.openai} here; for Anthropic's and Google's, it is ${urls.anthropic}.`;
}
