import { type Answer, answerOf } from './answer.ts';

interface ChatInit {
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A running gateway from the outside: its output, its address, and HTTP. */
export abstract class Serving {
  stdout = '';
  stderr = '';
  /** `null` while it runs. */
  exitCode: number | null = null;
  /** Every request asks for the origin, and the output of a start with many channels is long. */
  private knownOrigin = '';
  abstract readonly exited: Promise<number>;

  /** Makes it reload its configuration, as SIGHUP does. */
  abstract reloadConfiguration(): void;

  /** Asks it to stop as SIGTERM does: it serves new requests for `server.drain_ms` first. */
  abstract drain(): void;

  /** Stops it as SIGINT does, which also ends a drain; resolves to its exit code. */
  abstract stop(): Promise<number>;

  get origin(): string {
    if (this.knownOrigin === '') {
      this.knownOrigin = /^Switchyard listens on (http:\S+)\r?\n/m.exec(this.stdout)?.[1] ?? '';
    }
    return this.knownOrigin;
  }

  get baseUrl(): string {
    return `${this.origin}/v1`;
  }

  get port(): number {
    return Number(new URL(this.origin).port);
  }

  /** The channels that were printed at the start. */
  get channels(): string {
    return /^Channels: (.*)$/m.exec(this.stdout)?.[1] ?? '';
  }

  /** The API key printed by a first start, or `null`. */
  get firstKey(): string | null {
    return /^ {2}(sk-\S+)$/m.exec(this.stdout)?.[1] ?? null;
  }

  get curlLine(): string {
    return /^ *curl .*$/m.exec(this.stdout)?.[0] ?? '';
  }

  /** Sends a chat request as plain HTTP. */
  async chat(key: string, body: object | string, init: ChatInit = {}): Promise<Answer> {
    return answerOf(await this.openChat(key, body, init));
  }

  openChat(key: string, body: object | string, { signal, headers = {} }: ChatInit = {}): Promise<Response> {
    return fetch(`${this.baseUrl}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
  }
}
