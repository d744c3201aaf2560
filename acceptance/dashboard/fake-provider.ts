import { CERTIFICATE, CERTIFICATE_KEY } from '../../src/upstream/testing/self-signed-certificate.ts';

/** A local provider with OpenAI's API that accepts one key. */
export class FakeProvider {
  static readonly KEY = 'upstream-key-of-the-fake-provider';
  private readonly server;
  /** The accepted key. Assigning another one revokes it. */
  key = FakeProvider.KEY;
  /** Whether streams break off after the first words. */
  isBreaking = false;
  /** The models of the requests it responded to. */
  readonly asked: string[] = [];

  /** With TLS it uses the self-signed test certificate. */
  constructor(
    private readonly models: readonly string[],
    { isSecure = false } = {},
  ) {
    this.server = Bun.serve({
      ...{ port: 0, hostname: '127.0.0.1', fetch: (request: Request) => this.answer(request) },
      ...(isSecure && { tls: { cert: CERTIFICATE, key: CERTIFICATE_KEY } }),
    });
  }

  get baseUrl(): string {
    return `${this.server.url.origin}/v1`;
  }

  get host(): string {
    return this.server.url.host;
  }

  async stop(): Promise<void> {
    await this.server.stop(true);
  }

  private async answer(request: Request): Promise<Response> {
    if (request.headers.get('authorization') !== `Bearer ${this.key}`) {
      const error = { message: 'Incorrect API key provided.', type: 'invalid_request_error', code: 'invalid_api_key' };
      return Response.json({ error }, { status: 401 });
    }
    if (request.method === 'GET') return Response.json({ object: 'list', data: this.models.map((id) => ({ id })) });
    const { model, stream } = (await request.json()) as { readonly model: string; readonly stream?: boolean };
    this.asked.push(model);
    const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
    const frame = { id: 'chatcmpl-1', created: 1_760_000_000, model };
    const content = `Hello from ${model}.`;
    if (stream !== true) {
      const message = { role: 'assistant', content };
      const choices = [{ index: 0, message, finish_reason: 'stop' }];
      return Response.json({ ...frame, object: 'chat.completion', choices, usage });
    }
    const chunk = { ...frame, object: 'chat.completion.chunk' };
    const events = [
      { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { ...chunk, choices: [], usage },
    ];
    const lines = [...events.map((event) => JSON.stringify(event)), '[DONE]'];
    const sent = this.isBreaking ? lines.slice(0, 1) : lines;
    const body = sent.map((data) => `data: ${data}\n\n`);
    return new Response(body.join(''), { headers: { 'content-type': 'text/event-stream' } });
  }
}
