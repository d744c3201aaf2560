import type { Channel } from '../../../src/domain/catalog/channel.ts';
import { Failure } from '../../../src/domain/failure/failure.ts';
import { PriceSheet } from '../../../src/domain/money/price-sheet.ts';
import type { Submission } from '../../../src/domain/tasks/job.ts';
import type { Task } from '../../../src/domain/tasks/task.ts';
import { NO_CLIENT_IDS } from '../../../src/domain/trace/call-identity.ts';
import { NO_TAGS } from '../../../src/domain/usage/request-tags.ts';
import { FakeClock } from '../../../src/engine/admin/testing/fake-clock.ts';
import { AccountBilling } from '../../../src/engine/billing/account-billing.ts';
import { HoldBilling } from '../../../src/engine/billing/durable-billing.ts';
import { ResponseMemory } from '../../../src/engine/call/response-memory.ts';
import { FakeMediaStore } from '../../../src/engine/call/testing/fake-media-store.ts';
import { FakeUpstream, type Scripted } from '../../../src/engine/call/testing/fake-upstream.ts';
import { ObjectMemory } from '../../../src/engine/directory/object-memory.ts';
import type { Target } from '../../../src/engine/directory/target.ts';
import { sampleDirectory } from '../../../src/engine/directory/testing/sample-directory.ts';
import type { BillableRequest } from '../../../src/engine/ports/billing.ts';
import type { RequestRecord } from '../../../src/engine/ports/request-log.ts';
import type { Store } from '../../../src/engine/ports/store.ts';
import type { TaskStore } from '../../../src/engine/ports/task-store.ts';
import {
  sampleAccount,
  sampleChannel,
  sampleCredential,
  sampleEntry,
} from '../../../src/engine/ports/testing/samples.ts';
import type { UpstreamRequest } from '../../../src/engine/ports/upstream.ts';
import {
  DEFAULT_BILLING,
  DEFAULT_TASKS,
  LARGEST_MEMORY_BOUNDS,
  type TaskSettings,
} from '../../../src/engine/settings/settings.ts';
import { OpeningTask } from '../../../src/engine/tasks/opening-task.ts';
import { TaskPoller } from '../../../src/engine/tasks/task-poller.ts';
import type { FinishedPoll, TaskPorts } from '../../../src/engine/tasks/task-ports.ts';
import { kling } from '../../../src/providers/kling/manifest.ts';
import { runway } from '../../../src/providers/runway/manifest.ts';
import { suno } from '../../../src/providers/suno/manifest.ts';
import { volcengine } from '../../../src/providers/volcengine/manifest.ts';
import { xai } from '../../../src/providers/xai/manifest.ts';
import { openTestStore } from '../../../src/stores/sqlite/testing/test-store.ts';

/** The cost of a ten-second video in these tests. */
export const COST = 10_000n;
const PRICING = { per_second: '0.000001' };
const BALANCE = 1_000_000n;
const STEP_MS = 50;

/** Channels whose host names are their ids. */
export const CHANNELS: readonly Channel[] = ['xai', 'kling', 'suno', 'runway', 'volcengine'].map((id) =>
  sampleChannel({ id, name: id, provider: id, baseUrl: `http://${id}.example/v1`, models: { clip: 'up', song: 'up' } }),
);
const WIRES = {
  xai: 'xai-videos',
  kling: 'kling-videos',
  suno: 'suno-music',
  runway: 'runway-videos',
  volcengine: 'ark-videos',
} as const;
export type BedProvider = keyof typeof WIRES;

type StoreMethod = 'create' | 'find' | 'change' | 'changeAll' | 'claim' | 'countOpen' | 'giveBack' | 'askToCancel';

/** A store that fails on demand, before or after it has executed a call. */
export class FailingTasks {
  private readonly faults: { readonly method: StoreMethod; readonly isDone: boolean; left: number }[] = [];
  readonly store: TaskStore;

  constructor(inner: TaskStore) {
    this.store = new Proxy(inner, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return async (...values: readonly unknown[]) => {
          const fault = this.faults.find((one) => one.method === name && one.left > 0);
          if (fault !== undefined) fault.left--;
          if (fault?.isDone === false) throw new Error('the store is away');
          const result: unknown = await method.apply(target, values);
          if (fault?.isDone === true) throw new Error('the answer of the store was lost');
          return result;
        };
      },
    });
  }

  /** Fails the next calls; with `isDone` after they were executed. */
  fail(method: StoreMethod, { times = 1, isDone = false } = {}): void {
    this.faults.push({ method, isDone, left: times });
  }

  heal(): void {
    this.faults.length = 0;
  }
}

type Answering = (request: UpstreamRequest, body: string) => Scripted | Failure | Promise<Scripted | Failure>;

/** One store of tasks and money that any number of processes use. */
export class TaskBed {
  readonly mediaStore = new FakeMediaStore();
  readonly records: RequestRecord[] = [];
  readonly polls: FinishedPoll[] = [];
  readonly lines: string[] = [];
  directory = sampleDirectory({ channels: CHANNELS }, [xai, kling, suno, runway, volcengine]);
  /** The upstream's answer, and the requests that it got. */
  answer: Answering = () => ({ status: 503, pieces: ['{}'] });
  readonly asked: string[] = [];
  private readonly nodes: TaskNode[] = [];
  private requests = 0;

  private constructor(
    readonly store: Store,
    readonly clock: FakeClock,
  ) {}

  static async open(): Promise<TaskBed> {
    const clock = new FakeClock(1_790_000_000_000);
    const store = await openTestStore({ clock });
    await store.ledger.append(sampleEntry({ accountId: 'acme', amountNanoUsd: BALANCE }));
    return new TaskBed(store, clock);
  }

  /** Starts a process, which follows tasks from now on. */
  async node(settings: Partial<TaskSettings> = {}): Promise<TaskNode> {
    const node = new TaskNode(this, `node-${this.nodes.length + 1}`, { ...DEFAULT_TASKS, ...settings });
    this.nodes.push(node);
    await node.poller.start();
    return node;
  }

  /** Advances the time of all processes in small steps. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      this.clock.advance(STEP_MS);
      for (const node of this.nodes) node.run(this.clock.monotonicMs());
      await quiet();
    }
  }

  /** Advances the time in one leap, as for processes that were asleep. */
  async leap(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.pass(2 * STEP_MS);
  }

  request(kind: Task['kind'] = 'video') {
    const requestId = `req-${++this.requests}`;
    const modelId = kind === 'music' ? 'song' : 'clip';
    return { requestId, accountId: 'acme', keyId: 'ci', kind, modelId, createdAtMs: this.clock.nowMs() };
  }

  task(id: string): Promise<Task | null> {
    return this.store.tasks.find(id);
  }

  /** Resolves to the amounts spent and reserved. */
  async money(): Promise<{ readonly spent: bigint; readonly held: bigint }> {
    const { balanceNanoUsd, leasedNanoUsd } = await this.store.ledger.balance('acme');
    return { spent: BALANCE - balanceNanoUsd, held: leasedNanoUsd };
  }
}

/** Lets all begun work proceed until it waits. */
async function quiet(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A process of the bed. */
export class TaskNode {
  readonly tasks: FailingTasks;
  readonly ports: TaskPorts;
  readonly poller: TaskPoller;
  /** Whether the process hangs or was killed, so that it does nothing more. */
  isAsleep = false;
  private readonly timers: { readonly ms: number; readonly work: () => void; dueAtMs: number }[] = [];

  constructor(
    private readonly bed: TaskBed,
    readonly name: string,
    settings: TaskSettings,
  ) {
    const { clock, store, mediaStore } = bed;
    this.tasks = new FailingTasks(store.tasks);
    const line = (_: unknown, message: string) => void bed.lines.push(message);
    const logger = { debug: line, info: line, warn: line, error: line };
    const { ledger, heldCharges, holds } = store;
    const books = {
      ...{ store: { problem: null }, ledger, heldCharges, holds, clock, logger },
      ...{ metrics: { chargeHeld() {} }, settings: DEFAULT_BILLING },
    };
    this.ports = {
      ...{
        clock,
        logger,
        mediaStore,
        settings,
        owner: name,
        answers: new ResponseMemory({ maxHeldBytes: LARGEST_MEMORY_BOUNDS.maxHeldAnswerBytes }),
      },
      tasks: this.tasks.store,
      billing: new HoldBilling(books, new AccountBilling(books).wallets),
      log: { append: (record) => void bed.records.push(record) },
      objects: new ObjectMemory({ objects: store.objects, clock, logger }),
      metrics: { taskEnded() {}, taskPolled: (poll) => void bed.polls.push(poll) },
      directory: () => bed.directory,
      upstream: new AnsweringUpstream(bed),
      media: {
        maxUrls: 0,
        open: () => ({
          fetch: () => Promise.reject(new Error('nothing is fetched whole')),
          open: async () => new Failure('invalid_request', { message: 'The URL cannot be read.', kind: 'media_gone' }),
          release: () => undefined,
        }),
      },
      random: () => 0,
      every: (ms, work) => {
        const timer = { ms, work, dueAtMs: clock.monotonicMs() + ms };
        this.timers.push(timer);
        return () => void this.timers.splice(this.timers.indexOf(timer), 1);
      },
    };
    this.poller = new TaskPoller(this.ports);
  }

  run(nowMs: number): void {
    if (this.isAsleep) return;
    for (const timer of [...this.timers]) {
      if (timer.dueAtMs > nowMs) continue;
      timer.dueAtMs = nowMs + timer.ms;
      timer.work();
    }
  }

  /** Makes a task for a request that has just arrived. */
  opening(kind: Task['kind'] = 'video'): OpeningTask {
    const id = `task_${crypto.randomUUID().replaceAll('-', '')}`;
    return new OpeningTask(this.ports, this.poller, {
      ...this.bed.request(kind),
      id,
      request: null,
      tags: NO_TAGS,
      clientIds: NO_CLIENT_IDS,
    });
  }

  target(provider: BedProvider): Target {
    const modelId = provider === 'suno' ? 'song' : 'clip';
    const place = { channelId: provider, wire: WIRES[provider], upstreamModel: 'up' };
    const target = this.bed.directory.jobWay(place, modelId);
    if (target === null) throw new Error(`there is no way to ${provider}`);
    return target;
  }

  /** Makes a task whose job an upstream has accepted. */
  async submitted(provider: BedProvider, job: string): Promise<string> {
    const opening = this.opening(provider === 'suno' ? 'music' : 'video');
    await begun(opening);
    await opening.asks(this.target(provider), ASKED);
    await opening.taken(submission(provider, job));
    opening.over();
    return opening.current.id;
  }
}

export const ASKED = { count: 1, seconds: 10, resolution: null };

export function submission(provider: BedProvider, job: string): Submission {
  const path = provider === 'kling' ? { path: 'text2video' } : { action: 'MUSIC' };
  return { ticket: { id: job, ...path }, report: { state: 'working', status: 'pending', progress: null } };
}

/** Writes the task and reserves the money for ten seconds. */
export function begun(opening: OpeningTask): Promise<Failure | null> {
  return opening.begin(billable(opening.current));
}

function billable({ requestId, modelId }: Task): BillableRequest {
  const tenSeconds = { inputTokens: 0, outputTokens: 0, pieces: [{ unit: 'millisecond' as const, amount: 10_000 }] };
  return {
    ...{ requestId, modelId, prices: PriceSheet.parse(PRICING), mayUsePlatform: true, mayUseOwn: false },
    principal: {
      account: sampleAccount({ id: 'acme', billing: 'prepaid' }),
      credential: sampleCredential({ accountId: 'acme', id: 'ci', limitNanoUsd: null }),
    },
    bounds: {
      certain: () => tenSeconds,
      counted: async () => tenSeconds,
      isPlausible: () => true,
      plausible: () => tenSeconds,
    },
  };
}

class AnsweringUpstream extends FakeUpstream {
  constructor(private readonly bed: TaskBed) {
    super();
  }

  override send(request: UpstreamRequest) {
    const { hostname, pathname } = new URL(request.url);
    this.bed.asked.push(`${request.method} ${pathname}`);
    const body = request.body instanceof Uint8Array ? new TextDecoder().decode(request.body) : '';
    this.script(hostname.split('.')[0] ?? '', () => this.bed.answer(request, body));
    return super.send(request);
  }
}
