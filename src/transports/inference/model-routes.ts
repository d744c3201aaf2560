import { createHash } from 'node:crypto';
import { Failure } from '../../domain/failure/failure.ts';
import { percentDecoded } from '../../domain/text/percent-decoded.ts';
import type { AdmittedResult } from '../../engine/call/admitted-call.ts';
import type { ModelsView } from '../../engine/model-listing/models.ts';
import { requestIdHeaders } from '../../formats/shared/request/request-id.ts';
import { requestTarget } from '../../formats/shared/request/request-target.ts';
import { anthropicMessages } from '../../formats/text/anthropic-messages/index.ts';
import type { ClientFormat } from '../../formats/text/format.ts';
import { gemini } from '../../formats/text/gemini/index.ts';
import { openaiChat } from '../../formats/text/openai-chat/index.ts';
import { AnswerCache, type CachedAnswer, isNotModified } from './answer-cache.ts';
import type { ClientAddresses } from './client-address.ts';
import { failureResponse, methodNotAllowed } from './failure-response.ts';
import {
  anthropicShape,
  geminiShape,
  type ModelAnswer,
  type ModelAnswersOptions,
  type ModelShape,
  openaiShape,
  openRouterShape,
  pricingAnswer,
} from './model-answers.ts';
import { shapeOf } from './model-shape.ts';
import { type CallRoute, type ClientRequest, type Connections, type RouteHandler, secretOf } from './route.ts';

export interface ModelRoutesOptions extends ModelAnswersOptions {
  readonly newRequestId: () => string;
  readonly addresses: ClientAddresses;
}

/** The query parameters that filter the lists of all shapes. */
const NARROWING = ['category', 'recommended_for', 'provider', 'tag'];
/** The same address answers differently to another key, and to another vendor's client. */
const HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'private, no-cache',
  vary: 'authorization, x-api-key, api-key, x-goog-api-key, x-goog-api-client, anthropic-version',
};

/**
 * Returns the paths of the contract's "Models and pricing", and of the generative-content list. Two of them are also prefixes of model
 * calls (`/v1beta/models/{model}:generateContent`), which are passed to `calls`.
 */
export function modelRoutes(options: ModelRoutesOptions, calls: readonly CallRoute[]): Record<string, RouteHandler> {
  const handlers = modelHandlers(options);
  const reading =
    (path: string, formatFor: (request: ClientRequest) => ClientFormat, handler: ModelHandler): RouteHandler =>
    (request, connections) => {
      const call = calls.find(({ endpoint }) => endpoint.path === path);
      const isCall = call !== undefined && !(call.endpoint.call(request.url) instanceof Failure);
      // Google's clients get an error that lists the available calls, others one that says that a model can only be read here.
      if (request.method === 'POST' && call && (isCall || formatFor(request) === gemini))
        return call.post(request, connections);
      if ((request.method === 'GET' || request.method === 'HEAD') && !isCall) return handler(request, connections);
      const { newRequestId } = options;
      return methodNotAllowed(request, formatFor(request), { allow: isCall ? 'POST' : 'GET, HEAD', newRequestId });
    };
  const route = (path: string, formatFor: (request: ClientRequest) => ClientFormat, handler: ModelHandler) => ({
    [path]: reading(path, formatFor, handler),
  });
  return {
    ...route('/v1/models', shapeOf, handlers.list),
    ...route('/v1/models/*', shapeOf, handlers.one),
    ...route('/v1beta/models', () => gemini, handlers.geminiList),
    ...route('/v1beta/models/*', () => gemini, handlers.geminiOne),
    ...route('/v1/pricing', () => openaiChat, handlers.pricing),
  };
}

type ModelHandler = (request: ClientRequest, connections: Connections) => Promise<Response>;

function modelHandlers(options: ModelRoutesOptions) {
  const { models } = options;
  const openai = openaiShape(options);
  const openRouter = openRouterShape(options);
  const shapes = new Map<ClientFormat, ModelShape>([
    [anthropicMessages, anthropicShape()],
    [gemini, geminiShape(options)],
  ]);
  const answering = new Answering(options);
  const list = (format: ClientFormat, isKeyOptional: boolean) => (request: ClientRequest, connections: Connections) => {
    const isOpenRouters = request.isOpenRouters === true && format === openaiChat;
    const shape = isOpenRouters ? openRouter : (shapes.get(format) ?? openai);
    const parameters = requestTarget(request.url).query;
    const keyed = [...NARROWING, ...shape.parameters].map((name) => parameters.get(name));
    const isCounted = parameters.has('recommended_for');
    return answering.answer(
      { request, connections },
      format,
      { isKeyOptional, isCounted, keyed: [isOpenRouters ? 'openrouter-list' : 'list', ...keyed] },
      (view) => {
        const found = models.list(view, parameters);
        return found instanceof Failure ? found : shape.list(view, found, parameters);
      },
    );
  };
  const one = (format: ClientFormat, isKeyOptional: boolean) => (request: ClientRequest, connections: Connections) => {
    const id = modelIdIn(request.url);
    if (id === '') return list(format, isKeyOptional)(request, connections);
    return answering.answer(
      { request, connections },
      format,
      { isKeyOptional, isCounted: format === openaiChat, keyed: ['one', id] },
      (view) => {
        const model = models.find(view, id);
        return model instanceof Failure ? model : (shapes.get(format) ?? openai).one(view, model);
      },
    );
  };
  return {
    list: (request: ClientRequest, connections: Connections) => list(shapeOf(request), false)(request, connections),
    one: (request: ClientRequest, connections: Connections) => one(shapeOf(request), false)(request, connections),
    geminiList: list(gemini, true),
    geminiOne: one(gemini, true),
    pricing: (request: ClientRequest, connections: Connections) => {
      const id = requestTarget(request.url).query.get('model');
      const call = { isKeyOptional: false, isCounted: false, keyed: ['pricing', id] };
      return answering.answer({ request, connections }, openaiChat, call, (view) => {
        const priced = models.priced(view, id);
        return priced instanceof Failure ? priced : pricingAnswer(view, priced);
      });
    },
  };
}

interface Asked {
  readonly request: ClientRequest;
  readonly connections: Connections;
}

interface Call {
  readonly isKeyOptional: boolean;
  /** Whether the answer includes the success rates of models. */
  readonly isCounted: boolean;
  /** The parts of the request that the answer depends on. */
  readonly keyed: readonly (string | null)[];
}

class Answering {
  private readonly cache = new AnswerCache();

  constructor(private readonly options: ModelRoutesOptions) {}

  /** Authenticates, computes or finds the answer, and omits the body if the caller has it already. */
  async answer(
    { request, connections }: Asked,
    format: ClientFormat,
    { isKeyOptional, isCounted, keyed }: Call,
    make: (view: ModelsView) => ModelAnswer | Failure,
  ): Promise<Response> {
    const { models, newRequestId, addresses } = this.options;
    const secret = secretOf(format, request) ?? (hasCredential(request.headers) ? '' : null);
    const caller = { envelope: format, secret, address: () => addresses.of(request, connections) };
    const use = (view: ModelsView) => {
      const key = JSON.stringify([format.name, keyed, seenBy(view), isCounted ? view.snapshot?.atMs : null]);
      return this.cache.get(view.directory, key, view.nowMs, () => make(view));
    };
    const { result, headers }: AdmittedResult<CachedAnswer> = isKeyOptional
      ? await models.withOptionalKey(caller, use)
      : await models.withKey(caller, use);
    const requestId = newRequestId();
    if (result instanceof Failure) return failureResponse(format, result, requestId, headers);
    const own = { ...HEADERS, etag: result.etag, ...requestIdHeaders(format, requestId), ...headers };
    if (isNotModified(request.headers.get('if-none-match'), result.etag)) {
      return new Response(null, { status: 304, headers: own });
    }
    return new Response(result.body, { headers: own });
  }
}

/** Returns whether there is a key in an unusual place or of another kind: it counts as wrong, not as absent. */
function hasCredential(headers: Headers): boolean {
  return headers.has('authorization') || headers.has('x-api-key');
}

/** Returns what the list depends on: accounts without channels of their own see the same models if their keys allow the same. */
function seenBy({ directory, principal }: ModelsView): readonly unknown[] {
  if (principal === null) return [];
  const { account, credential } = principal;
  return [directory.hasOwnChannels(account.id) ? account.id : null, credential.models && digestOf(credential.models)];
}

/** Returns the digest of a key's allow-list, which may be long and lives as long as the key. */
function digestOf(list: readonly string[]): string {
  let digest = digests.get(list);
  if (digest === undefined) {
    digest = createHash('sha256').update(JSON.stringify(list)).digest('base64url');
    digests.set(list, digest);
  }
  return digest;
}

const digests = new WeakMap<readonly string[], string>();

/** Returns what follows `/models/`; an id may contain slashes, plain or percent-encoded. */
function modelIdIn(url: string): string {
  const encoded = requestTarget(url).path.replace(/^\/v1(?:beta)?\/models\//, '');
  return percentDecoded(encoded) ?? encoded;
}
