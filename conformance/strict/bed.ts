import { afterAll, beforeAll, beforeEach } from 'bun:test';
import { type ConfiguredChannel, type Gateway, startGatewayWith } from '../shared/gateway.ts';
import type { StrictUpstream } from './rule.ts';
import { type StrictServer, startStrictServer } from './server.ts';

const PATHS = {
  chat: () => '/v1/chat/completions',
  responses: () => '/v1/responses',
  messages: () => '/v1/messages',
  gemini: (model: string) => `/v1beta/models/${encodeURIComponent(model)}:generateContent`,
} as const;

export type StrictClient = keyof typeof PATHS;
type Headers = Readonly<Record<string, string>>;

export interface StrictBed {
  readonly server: StrictServer;
  readonly gateway: Gateway;
  /** Sends a JSON body to a path of the gateway with a key of the gateway. */
  post(path: string, body: object, headers?: Headers): Promise<{ readonly status: number; readonly text: string }>;
  ask(client: StrictClient, model: string, body: object, headers?: Headers): ReturnType<StrictBed['post']>;
  /** The refusals of the upstreams, oldest first, each as `rule: message`. */
  refusals(): readonly string[];
  /**
   * Sends a request, and resolves to the upstreams' refusals. The gateway's own refusal is included unless it says that
   * the model does not support the request.
   */
  refusalsOf(client: StrictClient, model: string, body: object, headers?: Headers): Promise<readonly string[]>;
}

/** Returns the public id of an upstream's model, for upstreams whose models may have the same ids. */
export const prefixedModel = ({ name }: StrictUpstream, model: string) => `${name}/${model}`;

/** Returns the channel to an upstream, with all models that have rules. */
export function channelTo(
  server: StrictServer,
  upstream: StrictUpstream,
  idOf: (upstream: StrictUpstream, model: string) => string = prefixedModel,
): ConfiguredChannel {
  const { name, provider, models } = upstream;
  return {
    ...{ id: name, name, provider, base_url: server.baseUrlOf(name), api_key: 'upstream-key' },
    models: Object.fromEntries(models.map((model) => [idOf(upstream, model), model])),
  };
}

/**
 * Starts these upstreams, and a gateway with the channels to them, before the tests of the calling file or group. The
 * received requests are cleared before each test.
 */
export function strictBed(
  upstreams: readonly StrictUpstream[],
  channelOf: (server: StrictServer, upstream: StrictUpstream) => ConfiguredChannel = channelTo,
): StrictBed {
  let server: StrictServer;
  let gateway: Gateway;
  beforeAll(async () => {
    server = startStrictServer(upstreams);
    gateway = await startGatewayWith(upstreams.map((upstream) => channelOf(server, upstream)));
  });
  afterAll(async () => {
    await gateway?.stop();
    await server?.stop();
  });
  beforeEach(() => server.clear());

  const bed: StrictBed = {
    get server() {
      return server;
    },
    get gateway() {
      return gateway;
    },
    async post(path, body, headers = {}) {
      const response = await fetch(gateway.origin + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
      return { status: response.status, text: await response.text() };
    },
    ask: (client, model, body, headers) =>
      bed.post(PATHS[client](model), client === 'gemini' ? body : { model, ...body }, headers),
    refusals: () => server.refusals.map(({ rule, message }) => `${rule.id}: ${message}`),
    async refusalsOf(client, model, body, headers) {
      const { status, text } = await bed.ask(client, model, body, headers);
      const refused = bed.refusals();
      server.clear();
      if (status === 200 || refused.length > 0 || text.includes('cannot be carried to')) return refused;
      return [`${status}: ${text}`];
    },
  };
  return bed;
}
