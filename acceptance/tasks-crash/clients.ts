import { inParallel } from '../../conformance/routing/client.ts';
import { type Answer, answerOf } from '../../conformance/shared/answer.ts';
import type { CrashBed } from './bed.ts';
import { KEY, modelOf, SHARED_MODEL } from './bed.ts';
import type { ProviderName } from './hostile-provider.ts';

const RANKS: Readonly<Record<string, number>> = { pending: 0, processing: 1, completed: 2, failed: 2 };
const AT_ONCE = 16;
const REQUEST_TIMEOUT_MS = 300_000;

/** A task whose id a client has received. */
export interface KnownTask {
  readonly id: string;
  readonly prompt: string;
  status: string;
  /** The first response about a final task. */
  told: string | null;
}

export type View = Readonly<Record<string, unknown>>;

/** The status is 0 if there was no response. */
type Heard = Pick<Answer, 'status' | 'json'>;

/** Clients that create and poll videos. They retry nothing, and keep every id that they receive. */
export class Clients {
  readonly tasks: KnownTask[] = [];
  /** Observations that must never happen. */
  readonly problems: string[] = [];
  /** The number of video requests by status; 0 for no response. */
  readonly statuses = new Map<number, number>();
  private readonly looking = new Set<KnownTask>();
  private requests = 0;

  constructor(
    private readonly bed: CrashBed,
    private readonly providers: readonly ProviderName[],
  ) {}

  /** Requests one video. */
  async create(): Promise<void> {
    const origin = this.bed.origin(Math.floor(Math.random() * this.bed.count));
    if (origin === null) return;
    const number = this.requests++;
    const prompt = `video number ${number}`;
    const provider = this.providers[number % (this.providers.length + 1)];
    const model = provider === undefined ? SHARED_MODEL : modelOf(provider);
    const body = JSON.stringify({ model, prompt, duration: 2 + (number % 7) });
    const answer = await this.ask(`${origin}/v1/videos/generations`, { method: 'POST', body });
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
    if (answer.status === 0 || answer.status >= 500) return;
    const { id, status, poll_url: pollUrl } = answer.json;
    const isTask = answer.status === 200 && typeof id === 'string' && pollUrl === `/v1/tasks/${id}`;
    if (isTask && status === 'pending') this.tasks.push({ id, prompt, status, told: null });
    else if (answer.status !== 400) this.problems.push(`${prompt} got ${answer.status} ${JSON.stringify(answer.json)}`);
  }

  /** Skips a task that is being polled: of two overtaking responses the older one might come last. */
  async lookAlone(task: KnownTask): Promise<void> {
    if (this.looking.has(task)) return;
    this.looking.add(task);
    await this.look(task).finally(() => this.looking.delete(task));
  }

  /** Polls a task once, and checks the response against earlier ones. */
  private async look(task: KnownTask): Promise<void> {
    const view = await this.view(task.id);
    if (view === null) return;
    const { status } = view;
    const told = comparable(view);
    const isFinal = RANKS[String(status)] === 2;
    const isBackwards = typeof status !== 'string' || (RANKS[status] ?? -1) < (RANKS[task.status] ?? 0);
    if (isBackwards || (task.told !== null && task.told !== told)) {
      this.problems.push(`${task.id} was ${task.told ?? task.status} and is ${told}`);
      return;
    }
    task.status = status;
    if (isFinal) task.told = told;
  }

  async lookAtAll(): Promise<void> {
    await inParallel(this.tasks.length, AT_ONCE, (index) => this.lookAlone(this.tasks[index]!));
  }

  /** Resolves to `null` if no gateway responded. */
  async view(id: string, node = Math.floor(Math.random() * this.bed.count)): Promise<View | null> {
    const origin = this.bed.origin(node);
    if (origin === null) return null;
    const { status, json } = await this.ask(`${origin}/v1/tasks/${id}`);
    // A gateway that was just killed, or is starting.
    if (status === 0 || status >= 500) return null;
    if (status === 200) return json;
    this.problems.push(`${id} got ${status} ${JSON.stringify(json)}`);
    return null;
  }

  private async ask(url: string, init: Pick<RequestInit, 'method' | 'body'> = {}): Promise<Heard> {
    const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    try {
      return await answerOf(await fetch(url, { ...init, headers, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) }));
    } catch {
      return { status: 0, json: {} };
    }
  }
}

/** Leaves out what changes with a restart, such as the gateway's port. */
function comparable({ status, data, error, progress, ended, expires }: View): string {
  return JSON.stringify({ status, data, error, progress, ended, expires }).replaceAll(
    /http:\/\/127\.0\.0\.1:\d+\/media/g,
    '/media',
  );
}
