import { sampleFile } from './samples.ts';
import type { SimulatedJobs, TaskSimulator } from './simulator.ts';

interface PlayedJob {
  readonly request: unknown;
  readonly states: readonly string[];
  asked: number;
}

/** A response of the provider other than 2xx, or a request to an unknown address. */
export interface Complaint {
  readonly request: string;
  readonly status: number;
  readonly text: string;
}

/** A response that the provider's document does not describe. */
export type Disturbance = () => Response;

/** Marks an error response that reports a failed job, so it does not count as a complaint about a request. */
export const REPORTS_A_FAILURE = 'x-simulator-reports-failure';

/** A provider, simulated by a local server. */
export class SimulatedProvider implements SimulatedJobs {
  /** The ids of all jobs. */
  readonly begun: string[] = [];
  readonly complaints: Complaint[] = [];
  private readonly jobs = new Map<string, PlayedJob>();
  private readonly server: ReturnType<typeof Bun.serve>;
  private states: readonly string[] = [];
  private disturbances: Disturbance[] = [];
  private losesSubmission = false;

  constructor(
    private readonly simulator: TaskSimulator,
    private readonly files: PublicFiles,
  ) {
    this.server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => this.answer(request) });
  }

  get origin(): string {
    return `http://127.0.0.1:${this.server.port}`;
  }

  /** Sets the states of the next job, which stays in the last one. */
  play(states: readonly string[]): void {
    this.states = states;
    this.disturbances = [];
    this.losesSubmission = false;
    this.begun.length = 0;
    this.complaints.length = 0;
  }

  /** Answers the next polls with these instead of the provider's own responses. */
  disturb(disturbances: readonly Disturbance[]): void {
    this.disturbances = [...disturbances];
  }

  /** Something in front of the provider replaces the response after the provider has accepted the job. */
  loseSubmission(): void {
    this.losesSubmission = true;
  }

  async stop(): Promise<void> {
    await this.server.stop(true);
  }

  private isDisturbedNext = true;

  private async answer(request: Request): Promise<Response> {
    const name = `${request.method} ${new URL(request.url).pathname}`;
    const hasBegun = this.begun.length > 0;
    if (hasBegun && this.disturbances.length > 0) {
      this.isDisturbedNext = !this.isDisturbedNext;
      const disturbance = this.isDisturbedNext ? undefined : this.disturbances.shift();
      if (disturbance !== undefined) return disturbance();
    }
    const answer = (await this.simulator.answer(request, this)) ?? new Response('no such address', { status: 404 });
    if (answer.status >= 400 && answer.headers.get(REPORTS_A_FAILURE) === null) {
      this.complaints.push({ request: name, status: answer.status, text: await answer.clone().text() });
    }
    const isSubmission = !hasBegun && this.begun.length > 0;
    return isSubmission && this.losesSubmission ? new Response('Gateway Timeout', { status: 504 }) : answer;
  }

  begin(id: string, request: unknown): void {
    if (this.jobs.has(id)) throw new Error(`the job ${id} was started twice`);
    this.begun.push(id);
    this.jobs.set(id, { request, states: this.states, asked: 0 });
  }

  stateOf(id: string): string | null {
    const job = this.jobs.get(id);
    if (job === undefined) return null;
    job.asked++;
    return this.look(id);
  }

  look(id: string): string | null {
    const job = this.jobs.get(id);
    if (job === undefined) return null;
    return job.states[Math.min(Math.max(job.asked, 1), job.states.length) - 1] ?? null;
  }

  requestOf(id: string): unknown {
    return this.jobs.get(id)?.request;
  }

  fileUrl(name: string): string {
    return this.files.url(name);
  }

  fileBytes(name: string): Uint8Array<ArrayBuffer> {
    return sampleFile(name).bytes;
  }
}

/** Public files, which providers serve from another address. */
export class PublicFiles {
  /** The requests to read them, so that a test can check that no key was sent. */
  readonly received: string[] = [];
  private readonly server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => this.answer(request) });

  url(name: string): string {
    sampleFile(name);
    return `http://127.0.0.1:${this.server.port}/files/${name}`;
  }

  async stop(): Promise<void> {
    await this.server.stop(true);
  }

  private answer({ url, headers }: Request): Response {
    this.received.push(url, ...headers.values());
    const { mediaType, bytes } = sampleFile(new URL(url).pathname.split('/').at(-1) ?? '');
    return new Response(bytes, { headers: { 'content-type': mediaType } });
  }
}
