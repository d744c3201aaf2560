import { type Gateway, startGatewayWith } from '../shared/gateway.ts';

/* Open Responses over the sandbox, and over channels of each format whose provider is the sandbox of another gateway. */

const CHANNELS = [
  { id: 'chat', provider: 'openai-compatible', format: 'openai-chat', path: '/v1' },
  { id: 'responses', provider: 'openai', format: 'openai-responses', path: '/v1' },
  { id: 'messages', provider: 'anthropic', format: 'anthropic-messages', path: '/v1' },
  { id: 'gemini', provider: 'google', format: 'gemini', path: '/v1beta' },
] as const;

export interface Place {
  /** The upstream, for the names of tests. */
  readonly over: string;
  readonly model: string;
  readonly thinking: string;
}

const SANDBOX: Place = { over: 'the sandbox', model: 'sandbox-chat', thinking: 'sandbox-reasoning' };

export const PLACES: readonly Place[] = [
  SANDBOX,
  ...CHANNELS.map(({ id, format }) => ({ over: format, model: id, thinking: `${id}-thinking` })),
];

export interface Answer {
  readonly status: number;
  readonly text: string;
}

export interface OpenResponsesBed {
  ask(body: Readonly<Record<string, unknown>>): Promise<Answer>;
  stop(): Promise<void>;
}

export async function startOpenResponsesBed(): Promise<OpenResponsesBed> {
  const sandbox = await startGatewayWith([], { sandbox: true });
  const channels = CHANNELS.map(({ id, provider, format, path }) => ({
    id,
    name: id,
    provider,
    base_url: sandbox.origin + path,
    api_key: sandbox.apiKey,
    formats: [format],
    models: { [id]: SANDBOX.model, [`${id}-thinking`]: SANDBOX.thinking },
  }));
  let gateway: Gateway;
  try {
    gateway = await startGatewayWith(channels, { sandbox: true });
  } catch (error) {
    await sandbox.stop();
    throw error;
  }
  const headers = { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' };
  return {
    async ask(body) {
      const url = `${gateway.baseUrl}/responses`;
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
      return { status: response.status, text: await response.text() };
    },
    stop: async () => {
      await gateway.stop();
      await sandbox.stop();
    },
  };
}
