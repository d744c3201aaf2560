import { asObject, parseJson } from '../shared/json.ts';

/* The client formats, as plain HTTP: only where the response came from matters. */

export const FORMATS = ['chat', 'responses', 'messages', 'gemini', 'completions'] as const;
export type Format = (typeof FORMATS)[number];

export interface Question {
  readonly format?: Format;
  readonly stream?: boolean;
  readonly model?: string;
  /** The prompt; `body` holds all other fields. */
  readonly prompt: string;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The header `x-switchyard-cache`. */
  readonly control?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Readonly<Record<string, unknown>>;
  /** The upstream's text, such as `answer-7`. */
  readonly said: string | null;
  /** The value in the header `x-routing`. */
  readonly cached: boolean;
  readonly entryId: string | null;
  /** The error's message and parameter; Gemini's envelope has the parameter in its details. */
  readonly error: Readonly<Record<string, unknown>>;
}

export function pathOf(format: Format, model: string, stream: boolean): string {
  switch (format) {
    case 'chat':
      return '/v1/chat/completions';
    case 'gemini':
      return `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
    default:
      return `/v1/${format}`;
  }
}

export function bodyOf(format: Format, prompt: string): Readonly<Record<string, unknown>> {
  const messages = [{ role: 'user', content: prompt }];
  switch (format) {
    case 'chat':
      return { messages, max_tokens: 100 };
    case 'responses':
      return { input: prompt, max_output_tokens: 100, store: false };
    case 'messages':
      return { messages, max_tokens: 100 };
    case 'gemini':
      return { contents: [{ role: 'user', parts: [{ text: prompt }] }], generationConfig: { maxOutputTokens: 100 } };
    case 'completions':
      return { prompt };
  }
}

export class CacheClient {
  constructor(
    private readonly origin: string,
    private readonly key: string,
  ) {}

  open({ format = 'chat', stream = false, model = 'plain', prompt, body, control, headers, signal }: Question) {
    const own = format === 'gemini' ? {} : { model, stream };
    return fetch(this.origin + pathOf(format, model, stream), {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${this.key}`, 'content-type': 'application/json', ...headers },
        ...(control === undefined ? {} : { 'x-switchyard-cache': control }),
      },
      body: JSON.stringify({ ...own, ...bodyOf(format, prompt), ...body }),
      signal: signal ?? AbortSignal.timeout(300_000),
    });
  }

  async ask(question: Question): Promise<Told> {
    const response = await this.open(question);
    const { status, headers } = response;
    const text = await response.text();
    const json = asObject(parseJson(text));
    const routing = asObject(parseJson(headers.get('x-routing') ?? ''));
    return {
      ...{ status, headers, text, json, error: asObject(json.error) },
      said: /answer-\d+/.exec(text)?.[0] ?? null,
      cached: routing.cached === true,
      entryId: headers.get('x-cache-entry-id'),
    };
  }

  async report(body: object): Promise<Told> {
    const response = await fetch(`${this.origin}/v1/cache/feedback`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    const json = asObject(parseJson(text));
    const { status, headers } = response;
    return { status, headers, text, json, error: asObject(json.error), said: null, cached: false, entryId: null };
  }
}
