import type { RoutingFacts } from '../../domain/exchange/routing-info.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { AskedWork } from '../../domain/tasks/job.ts';
import type { TaskKind } from '../../domain/tasks/task-kind.ts';
import type { JobContext, TaskWire } from '../../formats/wire.ts';
import type { AnswerStream, Lane, LaneAnswer, LaneRequest } from '../call/lane.ts';
import type { NoAnswer } from '../call/no-channel.ts';
import type { Inbound, Job, KnownAnswer, OpenCall } from '../call/operation.ts';
import type { Ways } from '../directory/directory.ts';
import type { Target } from '../directory/target.ts';
import type { BillableRequest } from '../ports/billing.ts';
import type { MediaStore } from '../ports/media-store.ts';
import type { OpeningTask } from '../tasks/opening-task.ts';
import { taskView, type ViewMeans } from '../tasks/task-view.ts';
import type { Tasks } from '../tasks/tasks.ts';
import { laneRequestOf } from './several-requests.ts';
import { unknownOption } from './shared-channel.ts';
import { WorkBounds, type WorkDefaults } from './work-bounds.ts';

/** What a request for a job needs of a wire. */
export type SubmitWire<Request> = Pick<
  TaskWire,
  'name' | 'takesUrls' | 'harmlessOptions' | 'pricedOptions' | 'find'
> & {
  asks(request: Request, target: Target): AskedWork;
  encodeRequest(request: Request, target: Target, context: JobContext): ReturnType<TaskWire['encodeRequest']>;
  decodeSubmission(
    answer: Parameters<TaskWire['decodeSubmission']>[0],
    request: Request,
    target: Target,
  ): ReturnType<TaskWire['decodeSubmission']>;
};

/** A request that is answered with a task. */
export interface Generation<Request> {
  readonly kind: TaskKind;
  readonly request: Request & { readonly options: Readonly<Record<string, unknown>> };
  /** The request with the bytes of its images in place of their URLs. */
  readonly withBytes: (request: Request) => Promise<Request | Failure>;
  readonly wireOf: (target: Target) => SubmitWire<Request>;
  readonly defaults: WorkDefaults;
}

export interface GenerationMeans<Request> {
  readonly generation: Generation<Request>;
  readonly ways: Ways<Target>;
  readonly outcome: OpenCall['outcome'];
  readonly task: OpeningTask;
  readonly view: Omit<ViewMeans, 'routingJson'>;
}

export interface GenerationCall<Request> extends Pick<GenerationMeans<Request>, 'generation' | 'ways'> {
  readonly inbound: Pick<Inbound, 'origin'>;
  readonly call: OpenCall;
  readonly tasks: Pick<Tasks, 'open'>;
  readonly mediaStore: MediaStore;
}

/** The job of one call, with a task of its own. */
export function generationJob<Request, S extends AnswerStream = AnswerStream>({
  generation,
  ways,
  inbound,
  call: { principal, outcome },
  tasks,
  mediaStore,
}: GenerationCall<Request>): GenerationJob<Request, S> {
  const task = tasks.open({
    ...{ requestId: outcome.requestId, accountId: principal.account.id, keyId: principal.credential.id },
    ...{ kind: generation.kind, modelId: ways.model.id, createdAtMs: outcome.atMs, tags: outcome.tags },
  });
  const view = { mediaStore, origin: inbound.origin() };
  return new GenerationJob({ generation, ways, outcome, task, view });
}

/** Submits a job to one upstream, and answers with the task that stands for it. */
export class GenerationJob<Request, S extends AnswerStream = AnswerStream> implements Job<Target, S> {
  readonly stream = false;
  readonly outlivesClient = true;
  /** A submission that an upstream has refused may be sent to another one, but not twice to the same. */
  readonly repeats = 0;
  readonly modelId: string;
  readonly ways: Ways<Target>;
  private lastAsked: { readonly target: Target; readonly routing: RoutingFacts } | null = null;

  constructor(private readonly means: GenerationMeans<Request>) {
    this.ways = means.ways;
    this.modelId = means.ways.model.id;
  }

  bounds(): WorkBounds {
    const { kind, defaults } = this.means.generation;
    const targets = this.ways.targets.flatMap((target) => [target, ...target.alternatives]);
    return new WorkBounds(
      kind,
      targets.map((target) => this.askedOf(target)),
      defaults,
    );
  }

  hold(request: BillableRequest): Promise<Failure | null> {
    const { task, outcome } = this.means;
    outcome.whenOver(() => task.over());
    return task.begin(request);
  }

  lane(target: Target, routing: RoutingFacts): Lane<S> {
    const { generation } = this.means;
    const wire = generation.wireOf(target);
    return {
      isRelayed: false,
      request: () => this.prepared(wire, target, routing),
      answer: async (bytes, headers) => {
        const submission = wire.decodeSubmission({ bytes, headers }, generation.request, target);
        if (submission instanceof Failure) return submission;
        await this.means.task.taken(submission);
        return this.answer(routing);
      },
    };
  }

  judge(failure: Failure): Failure {
    return this.means.task.judge(failure);
  }

  async withoutAnswer(_noAnswer: NoAnswer, otherwise: () => Failure): Promise<KnownAnswer<Target, S> | Failure> {
    const { task, generation } = this.means;
    const { lastAsked } = this;
    // The upstream will be asked whether it has taken the job.
    if (task.isUnknown && lastAsked !== null && generation.wireOf(lastAsked.target).find !== undefined) {
      return { answer: this.answer(lastAsked.routing), ...lastAsked };
    }
    const failure = otherwise();
    await task.fails(failure);
    return failure;
  }

  private async prepared(
    wire: SubmitWire<Request>,
    target: Target,
    routing: RoutingFacts,
  ): Promise<LaneRequest | Failure> {
    const { generation, task } = this.means;
    const { request, withBytes } = generation;
    const { harmlessOptions = [], pricedOptions = [] } = wire;
    const refusal = unknownOption(target, request.options, [...harmlessOptions, ...pricedOptions]);
    if (refusal !== null) return refusal;
    const whole = wire.takesUrls === true ? request : await withBytes(request);
    if (whole instanceof Failure) return whole;
    const asked = this.askedOf(target);
    const { address } = asked;
    const context = { reference: task.current.id, ...(address !== undefined && { address }) };
    const encoded = await wire.encodeRequest(whole, target, context);
    if (encoded instanceof Failure) return encoded;
    const problem = await task.asks(target, asked);
    if (problem !== null) return problem;
    this.lastAsked = { target, routing };
    return laneRequestOf(encoded);
  }

  private askedOf(target: Target): AskedWork {
    const { request, wireOf, defaults } = this.means.generation;
    const asked = wireOf(target).asks(request, target);
    return {
      ...asked,
      seconds: asked.seconds ?? defaults.seconds,
      resolution: asked.resolution ?? defaults.resolution,
    };
  }

  private answer(routing: RoutingFacts): LaneAnswer {
    const { task, view, outcome } = this.means;
    outcome.continues();
    // What a new task shows is that it waits, whatever the upstream has said of the job already (contract, States).
    const shown = { ...task.current, stage: 'created', progress: null } as const;
    return {
      body: taskView(shown, { ...view, routingJson: routing.json }),
      billable: null,
      served: { model: null, serviceTier: null },
    };
  }
}
