import { type Gateway, startGatewayWith } from '../shared/gateway.ts';

export const OPERATOR_TOKEN = 'mt-operator-of-this-scene-00000001';
export const ACME_TOKEN = 'mt-acme-of-this-scene-0000000001';
export const ACME_KEY = 'sk-acme-of-this-scene-0000000001';
/** The account that requests are about. */
export const ACME = 'acme';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // Tests know its shape.
  readonly body: any;
}

export interface Ask {
  readonly method?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as JSON; a string is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The operators' token by default; `null` for none. */
  readonly token?: string | null;
}

/** A gateway with an operators' account, and one of a customer that the file does not declare. */
export class Scene {
  private constructor(readonly gateway: Gateway) {}

  static async open(environment: Readonly<Record<string, string>> = {}): Promise<Scene> {
    const accounts = [
      {
        id: 'house',
        admin: true,
        billing: 'unlimited',
        keys: [],
        management_tokens: [{ id: 'ops', name: 'Ops', secret: OPERATOR_TOKEN }],
      },
      {
        id: 'filed',
        name: 'Filed & Sons',
        keys: [{ id: 'ci', name: 'CI', secret: ACME_KEY }],
        management_tokens: [{ id: 'own', name: 'Own', secret: ACME_TOKEN }],
      },
    ];
    const gateway = await startGatewayWith(
      [],
      { sandbox: true, server: { wrong_keys_per_minute: 10_000 }, accounts },
      environment,
    );
    const scene = new Scene(gateway);
    await scene.ask('/accounts', { body: { id: ACME, balance_usd: '10' } });
    return scene;
  }

  /** Sends a request to the management API; `path` is below it, or starts with `/v1/`. */
  async ask(
    path: string,
    { method, query = {}, body, headers = {}, token = OPERATOR_TOKEN }: Ask = {},
  ): Promise<Answer> {
    const whole = path.startsWith('/v1/') ? path : `/v1/management${path}`;
    const search = new URLSearchParams(query).toString();
    const answer = await fetch(`${this.gateway.origin}${whole}${search === '' ? '' : `?${search}`}`, {
      method: method?.toUpperCase() ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type') === 'application/json';
    return { status: answer.status, headers: answer.headers, body: isJson && text !== '' ? JSON.parse(text) : text };
  }

  stop(): Promise<void> {
    return this.gateway.stop();
  }
}
