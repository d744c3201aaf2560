import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { asObject, parseJson } from '../../conformance/shared/json.ts';

/* Three local video providers that fail in every possible way, and record the jobs they accepted. */

/** Kling keeps the gateway's reference of a job. OpenAI's videos can be read only with the channel's key. */
export const PROVIDERS = ['xai', 'kling', 'openai'] as const;
export type ProviderName = (typeof PROVIDERS)[number];

/** The events at the provider at which a gateway can be killed. */
export const MOMENTS = ['arrived', 'taken', 'answered', 'asked', 'finished', 'read'] as const;
export type Moment = (typeof MOMENTS)[number];

export interface TakenJob {
  readonly id: string;
  readonly provider: ProviderName;
  readonly prompt: string;
  /** The gateway's reference of the job, if the API has one. */
  readonly reference: string | null;
  readonly takenAtMs: number;
  readonly readyAfterMs: number;
  readonly fails: boolean;
  /** The length of the video, sometimes shorter than requested. */
  readonly seconds: number;
}

const LEAST_LIFE_MS = 150;
const MORE_LIFE_MS = 1_200;
const FAILING = 0.12;
const SHORTER = 0.2;
const PAGE = '<html><title>Something in front of the provider</title></html>';

export class HostileProvider {
  readonly jobs = new Map<string, TakenJob>();
  /** The number of requests by prompt, accepted or not. */
  readonly arrivals = new Map<string, number>();
  /** Called at each moment. */
  onMoment: (moment: Moment) => void = () => undefined;
  /** Stops injecting faults, so that the end of all tasks can be awaited. */
  isCalm = false;
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      this.answer(request, response).catch(() => request.socket.destroy());
    });
  }

  static async start(): Promise<HostileProvider> {
    const provider = new HostileProvider();
    await new Promise<void>((resolve) => provider.server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  get origin(): string {
    // The server listens on a port, so its address is never a pipe.
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://host');
    const [, place = '', path = ''] = /^\/(\w+)(?:\/v1)?\/(.*)$/.exec(pathname) ?? [];
    if (place === 'files') return this.file(response, path);
    const provider = PROVIDERS.find((name) => name === place);
    if (provider === undefined) return send(response, 404, { error: { message: 'no such address' } });
    if (request.method === 'POST') return await this.create(provider, request, response);
    const [, content] = /^videos\/([\w-]+)\/content$/.exec(path) ?? [];
    if (content !== undefined) return this.file(response, content);
    await this.poll(provider, path.split('/').at(-1) ?? '', request, response);
  }

  private async create(provider: ProviderName, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = asObject(parseJson(await textOf(request)));
    const prompt = String(body.prompt);
    this.arrivals.set(prompt, (this.arrivals.get(prompt) ?? 0) + 1);
    this.onMoment('arrived');
    const roll = this.isCalm ? 1 : Math.random();
    if (roll < 0.04) return send(response, 503, { error: { message: 'overloaded' } });
    if (roll < 0.07) return send(response, 400, { error: { message: 'There is no such model.' } });
    if (roll < 0.1) return cut(request);
    const job = this.take(provider, prompt, body);
    this.onMoment('taken');
    await Bun.sleep(Math.random() * (roll < 0.2 ? 400 : 60));
    if (roll < 0.14) return cut(request);
    if (roll < 0.17) return page(response, 502);
    if (roll < 0.19) return page(response, 200);
    send(response, 200, submissionOf(job));
    setTimeout(() => this.onMoment('answered'), Math.random() * 5);
  }

  private take(provider: ProviderName, prompt: string, body: Readonly<Record<string, unknown>>): TakenJob {
    const asked = Number(body.duration ?? body.seconds);
    const job: TakenJob = {
      ...{ id: `job-${this.jobs.size}-${crypto.randomUUID()}`, provider, prompt },
      reference: typeof body.external_task_id === 'string' ? body.external_task_id : null,
      ...{ takenAtMs: performance.now(), readyAfterMs: LEAST_LIFE_MS + Math.random() * MORE_LIFE_MS },
      fails: Math.random() < FAILING,
      seconds: Math.random() < SHORTER ? asked - 1 : asked,
    };
    this.jobs.set(job.id, job);
    return job;
  }

  private async poll(
    provider: ProviderName,
    name: string,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    this.onMoment('asked');
    const job = this.jobs.get(name) ?? [...this.jobs.values()].find(({ reference }) => reference === name);
    if (job?.provider !== provider) return send(response, 404, { error: { message: 'no such job' } });
    const roll = this.isCalm ? 1 : Math.random();
    if (roll < 0.05) return send(response, 503, { error: { message: 'overloaded' } });
    if (roll < 0.07) return send(response, 404, { error: { message: 'no such job' } });
    if (roll < 0.1) return cut(request);
    if (roll < 0.13) return page(response, 200);
    if (roll < 0.15) return send(response, 200, { data: [], status: { __proto__: null }, code: 'x' });
    const share = (performance.now() - job.takenAtMs) / job.readyAfterMs;
    // Simulates a replica with stale state.
    if (roll < 0.22 && share < 1) return send(response, 200, stateOf(job, share / 2, this.origin));
    if (roll < 0.26) await Bun.sleep(100 + Math.random() * 200);
    send(response, 200, stateOf(job, share, this.origin));
    if (share >= 1) setTimeout(() => this.onMoment('finished'), Math.random() * 12);
  }

  private file(response: ServerResponse, id: string): void {
    this.onMoment('read');
    const isAway = !this.isCalm && Math.random() < 0.05;
    const isThere = this.jobs.has(id) && !isAway;
    response.writeHead(isThere ? 200 : isAway ? 503 : 404, { 'content-type': isThere ? 'video/mp4' : 'text/plain' });
    response.end(isThere ? fileOf(id) : 'no such file');
  }
}

/** Returns the content of a job's file. */
export const fileOf = (jobId: string) => `the video of ${jobId}`;

function submissionOf({ provider, id }: TakenJob): object {
  if (provider === 'xai') return { request_id: id };
  if (provider === 'openai') return { id, object: 'video', status: 'queued', progress: 0 };
  return { code: 0, data: { task_id: id, task_status: 'submitted' } };
}

const STATES = {
  xai: ['queued', 'pending', 'done', 'failed'],
  kling: ['submitted', 'processing', 'succeed', 'failed'],
  openai: ['queued', 'in_progress', 'completed', 'failed'],
} as const satisfies Record<ProviderName, readonly string[]>;

/** Returns the job's state at a progress of `share`; it is finished from 1 on. */
function stateOf(job: TakenJob, share: number, origin: string): object {
  const { provider, id, seconds, fails } = job;
  const [waiting, working, done, failed] = STATES[provider];
  const state = share < 0.2 ? waiting : share < 1 ? working : fails ? failed : done;
  const url = `${origin}/files/${id}`;
  const message = 'The machine has melted.';
  if (provider === 'kling') {
    const result = state === done ? { task_result: { videos: [{ url, duration: String(seconds) }] } } : {};
    return { code: 0, data: { task_id: id, task_status: state, task_status_msg: fails ? message : '', ...result } };
  }
  const common = { status: state, progress: Math.min(100, Math.round(share * 100)) };
  if (state === failed) return { ...common, id, error: { code: 'internal_error', message } };
  if (provider === 'openai') return { ...common, id, object: 'video', seconds: String(seconds) };
  return state === done ? { ...common, video: { url, duration: seconds } } : common;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function page(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'text/html' });
  response.end(PAGE);
}

function cut(request: IncomingMessage): void {
  request.socket.destroy();
}
