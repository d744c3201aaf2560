import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  accountWith,
  channelTo,
  clientKey,
  type FakeUpstream,
  keyNamed,
  type ReceivedRequest,
  startUpstream,
  streamedAnswer,
  wholeAnswer,
} from '../../conformance/first-light/upstream.ts';
import { freePort } from '../../conformance/shared/free-port.ts';
import type { Serving } from '../../conformance/shared/serving.ts';
import { until } from '../../conformance/shared/until.ts';
import { PROJECT, Workspace } from '../../conformance/shared/workspace.ts';
import { CERTIFICATE, CERTIFICATE_KEY } from '../../src/upstream/testing/self-signed-certificate.ts';

/* A client, a reverse proxy, a gateway and an upstream. */

export const KEY = clientKey('main');
export const TOKEN = `mt-${'proxies'.repeat(6)}`;
export const PREFIX = '/llm';

/** The ports, files and folder with which a test starts a proxy. */
export interface ProxySite {
  readonly gatewayPort: number;
  /** The port of the gateway at an address of its own, and that of the gateway below a path. */
  readonly port: number;
  readonly prefixPort: number;
  readonly certificate: string;
  readonly privateKey: string;
  /** An empty folder for the proxy's files. */
  readonly folder: string;
}

export interface ProxyProcess {
  readonly command: readonly string[];
  /** The file to which the proxy writes a line per request; `null` for its standard error. */
  readonly log: string | null;
}

export type StartProxy = (site: ProxySite) => Promise<ProxyProcess>;

/** A running proxy with everything before and behind it. */
export class ProxyBed {
  /** Releases the rest of the streams that the upstream holds after their first chunk. */
  #release = Promise.withResolvers<void>();
  #output = '';
  readonly upstream: FakeUpstream;
  private constructor(
    readonly space: Workspace,
    readonly site: ProxySite,
    readonly serving: Serving,
    private readonly child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>,
    private readonly log: string | null,
    upstream: FakeUpstream,
    held: { answer: (request: ReceivedRequest) => Response },
  ) {
    this.upstream = upstream;
    held.answer = (request) => this.#answer(request);
    void this.#collect(child.stdout);
    void this.#collect(child.stderr);
  }

  static async start(startProxy: StartProxy): Promise<ProxyBed> {
    const space = await Workspace.create();
    const held = { answer: (request: ReceivedRequest): Response => wholeAnswer(request) };
    const upstream = startUpstream((request) => held.answer(request));
    const SWITCHYARD_CONFIG = await space.write('switchyard.yaml', {
      server: { trusted_proxies: ['127.0.0.1/32'] },
      channels: [channelTo(upstream, { models: ['paced', 'whole'] })],
      accounts: [
        accountWith('acme', [keyNamed('main')], {
          admin: true,
          management_tokens: [{ id: 'operator', secret: TOKEN }],
        }),
      ],
    });
    const serving = await space.serve({ env: { SWITCHYARD_CONFIG } });
    const [certificate, privateKey] = [space.path('certificate.pem'), space.path('key.pem')];
    await Bun.write(certificate, CERTIFICATE);
    await Bun.write(privateKey, CERTIFICATE_KEY);
    const [port, prefixPort] = [await freePort(), await freePort()];
    const folder = space.path('proxy');
    await Bun.write(join(folder, '.keep'), '');
    const site = { gatewayPort: serving.port, port, prefixPort, certificate, privateKey, folder };
    const { command, log } = await startProxy(site);
    const child = Bun.spawn([...command], {
      env: { PATH: process.env.PATH ?? '', HOME: folder },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const bed = new ProxyBed(space, site, serving, child, log, upstream, held);
    await until(`the proxy answers (${command[0]})`, () => {
      if (child.exitCode !== null) throw new Error(`the proxy ended with ${child.exitCode}: ${bed.#output}`);
      return bed.fetch('/healthz').then(
        ({ status }) => status === 200,
        () => false,
      );
    });
    return bed;
  }

  get origin(): string {
    return `https://127.0.0.1:${this.site.port}`;
  }

  /** The address of the gateway below a path. */
  get prefixed(): string {
    return `https://127.0.0.1:${this.site.prefixPort}${PREFIX}`;
  }

  /** Sends a request through the proxy; the address is a path, or a URL. */
  fetch(address: string, init: RequestInit = {}): Promise<Response> {
    const url = address.startsWith('/') ? this.origin + address : address;
    return fetch(url, { ...init, tls: { rejectUnauthorized: false } } as RequestInit);
  }

  async openSocket(base: string): Promise<WebSocket> {
    const options = { headers: { authorization: `Bearer ${KEY}` }, tls: { rejectUnauthorized: false } };
    // Bun's own WebSocket takes these options.
    const socket = new WebSocket(`${base.replace('https', 'wss')}/v1/responses`, options as unknown as string);
    await new Promise<void>((resolve, reject) => {
      socket.onopen = () => resolve();
      socket.onerror = () => reject(new Error('the WebSocket was not opened'));
    });
    return socket;
  }

  #answer(request: ReceivedRequest): Response {
    if (!request.stream) return wholeAnswer(request);
    return streamedAnswer(request, request.model === 'paced' ? { rest: this.#release.promise } : {});
  }

  /** Lets all held streams go on; later ones are held again. */
  release(): void {
    this.#release.resolve();
    this.#release = Promise.withResolvers();
  }

  /** Resolves to what the proxy has logged about requests. */
  async logged(): Promise<string> {
    return this.log === null ? this.#output : Bun.file(this.log).text();
  }

  async #collect(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of stream) this.#output += decoder.decode(bytes, { stream: true });
  }

  async stop(): Promise<void> {
    this.release();
    this.child.kill('SIGTERM');
    await this.child.exited;
    await this.space.remove();
    await this.upstream.stop();
    await rm(this.site.folder, { recursive: true, force: true });
  }
}

/** Reads an example, and puts the test's values in place of those that an operator replaces. Throws if one is not in the file. */
export async function example(file: string, replacements: Readonly<Record<string, string>>): Promise<string> {
  let text = await Bun.file(join(PROJECT, 'deploy', 'proxies', file)).text();
  for (const [from, to] of Object.entries(replacements)) {
    if (!text.includes(from)) throw new Error(`deploy/proxies/${file} does not contain ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}
