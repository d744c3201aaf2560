import type { RoutingFacts } from '../../domain/exchange/routing-info.ts';
import { Failure } from '../../domain/failure/failure.ts';
import type { AskedWork } from '../../domain/tasks/job.ts';
import type { TaskKind } from '../../domain/tasks/task.ts';
import type { JobContext, TaskWire } from '../../formats/shared/tasks/wire.ts';
import type { Lane, LaneRequest, ResponseStream } from '../call/lane.ts';
import type { NoResponse } from '../call/no-channel.ts';
import type { Job, KnownResponse } from '../call/operation.ts';
import type { Ways } from '../directory/directory.ts';
import type { Target } from '../directory/target.ts';
import type { BillableRequest } from '../ports/billing.ts';
import { CallTask, type CallTaskMeans } from './call-task.ts';
import { laneRequestOf } from './several-requests.ts';
import { unknownOption } from './shared-channel.ts';
import { WorkBounds, type WorkDefaults } from './work-bounds.ts';

/** The members of a wire that a request for a job needs. */
export type SubmitWire<Request> = Pick<
  TaskWire,
  'name' | 'takesUrls' | 'harmlessOptions' | 'pricedOptions' | 'find'
> & {
  asks(request: Request, target: Target): AskedWork;
  /** Returns why this channel must not be asked, for reasons other than an unknown option. */
  refuses?(target: Target): Failure | null;
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
  /** Replaces the URLs of the request's images by their bytes. */
  readonly withBytes: (request: Request) => Promise<Request | Failure>;
  readonly wireOf: (target: Target) => SubmitWire<Request>;
  readonly defaults: WorkDefaults;
}

export interface GenerationMeans<Request> {
  readonly generation: Generation<Request>;
  readonly ways: Ways<Target>;
  readonly task: CallTask;
}

export interface GenerationCall<Request> extends Omit<CallTaskMeans, 'kind'> {
  readonly generation: Generation<Request>;
}

/** Makes the job of one call, with a separate task. */
export function generationJob<Request, S extends ResponseStream = ResponseStream>({
  generation,
  ...means
}: GenerationCall<Request>): GenerationJob<Request, S> {
  const task = new CallTask({ ...means, kind: generation.kind });
  return new GenerationJob({ generation, ways: means.ways, task });
}

/** Submits a job to one upstream, and answers with its task. */
export class GenerationJob<Request, S extends ResponseStream = ResponseStream> implements Job<Target, S> {
  readonly stream = false;
  readonly outlivesClient = true;
  /** A submission that an upstream has rejected may be sent to another, but not to the same one again. */
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
    return this.means.task.hold(request);
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
        await this.means.task.opening.taken(submission);
        return this.means.task.answer(routing);
      },
    };
  }

  judge(failure: Failure): Failure {
    return this.means.task.opening.judge(failure);
  }

  async withoutResponse(_noAnswer: NoResponse, otherwise: () => Failure): Promise<KnownResponse<Target, S> | Failure> {
    const { task, generation } = this.means;
    const { opening } = task;
    const { lastAsked } = this;
    // The poller will ask the upstream whether it has accepted the job.
    if (opening.isUnknown && lastAsked !== null && generation.wireOf(lastAsked.target).find !== undefined) {
      return { answer: task.answer(lastAsked.routing), ...lastAsked };
    }
    const failure = otherwise();
    await opening.fails(failure);
    return failure;
  }

  private async prepared(
    wire: SubmitWire<Request>,
    target: Target,
    routing: RoutingFacts,
  ): Promise<LaneRequest | Failure> {
    const { generation, task } = this.means;
    const { opening } = task;
    const { request, withBytes } = generation;
    const { harmlessOptions = [], pricedOptions = [] } = wire;
    const known = [...harmlessOptions, ...pricedOptions];
    const refusal = unknownOption(target, request.options, known) ?? wire.refuses?.(target) ?? null;
    if (refusal !== null) return refusal;
    const whole = wire.takesUrls === true ? request : await withBytes(request);
    if (whole instanceof Failure) return whole;
    const asked = this.askedOf(target);
    const { address } = asked;
    const context = { reference: opening.current.id, ...(address !== undefined && { address }) };
    const encoded = await wire.encodeRequest(whole, target, context);
    if (encoded instanceof Failure) return encoded;
    const problem = await opening.asks(target, asked);
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
}
