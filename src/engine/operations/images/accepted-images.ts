import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import type { AskedWork } from '../../../domain/tasks/job.ts';
import { imageWires } from '../../../formats/index.ts';
import type { AnswerPart, Lane, LaneRequest, WholeResponse } from '../../call/lane.ts';
import type { NoResponse } from '../../call/no-channel.ts';
import type { Job, KnownResponse } from '../../call/operation.ts';
import type { Ways } from '../../directory/directory.ts';
import type { Target } from '../../directory/target.ts';
import type { BillableRequest, RequestBounds } from '../../ports/billing.ts';
import { imageResult } from '../../tasks/pollable-jobs.ts';
import type { CallTask } from '../call-task.ts';
import type { ImageJob } from './image-job.ts';
import type { ImageStream } from './image-stream.ts';

/** Images in an upstream's answer cannot be polled: if the gateway ends before it has kept them, they are lost. */
const NO_TICKET = { url: '' };

/**
 * Images of a synchronous upstream, as a task: the client gets its response when the upstream is asked, and the gateway waits instead of
 * the client. Requests and answers are the same as for a waiting client.
 */
export class AcceptedImages implements Job<Target, ImageStream> {
  readonly stream = false;
  readonly outlivesClient = true;
  /** A rejected request is not sent to the same upstream again. */
  readonly repeats = 0;
  readonly modelId: string;
  readonly ways: Ways<Target>;
  private lastAsked: { readonly target: Target; readonly routing: RoutingFacts } | null = null;

  constructor(
    private readonly images: ImageJob,
    private readonly task: CallTask,
    private readonly asks: (target: Target) => AskedWork,
  ) {
    this.modelId = images.modelId;
    this.ways = images.ways;
  }

  bounds(): RequestBounds {
    return this.images.bounds();
  }

  hold(request: BillableRequest): Promise<Failure | null> {
    return this.task.hold(request);
  }

  accepted(): KnownResponse<Target, ImageStream> {
    if (this.lastAsked === null) throw new Error('a job is accepted only after a request to a channel');
    this.task.opening.told();
    return { answer: this.task.answer(this.lastAsked.routing), ...this.lastAsked };
  }

  async ended(failure: Failure | null): Promise<void> {
    if (failure !== null) await this.task.opening.fails(failure);
  }

  lane(target: Target, routing: RoutingFacts): Lane<ImageStream> {
    const { request, next, isRelayed } = this.images.lane(target, routing);
    const answers = (parts: readonly AnswerPart[]) => this.taken(target, routing, parts);
    return {
      isRelayed,
      request: () => this.prepared(target, routing, request),
      ...(next !== undefined && { next }),
      answer: (bytes, headers) => answers([{ bytes, headers }]),
      answers,
    };
  }

  judge(failure: Failure): Failure {
    return this.task.opening.judge(failure);
  }

  async withoutResponse(_noAnswer: NoResponse, otherwise: () => Failure): Promise<Failure> {
    const failure = otherwise();
    await this.task.opening.fails(failure);
    return failure;
  }

  private async prepared(
    target: Target,
    routing: RoutingFacts,
    request: Lane<ImageStream>['request'],
  ): Promise<LaneRequest | Failure> {
    const prepared = await request();
    if (prepared instanceof Failure) return prepared;
    const problem = await this.task.opening.asks(target, this.asks(target));
    if (problem !== null) return problem;
    this.lastAsked = { target, routing };
    return prepared;
  }

  private async taken(
    target: Target,
    routing: RoutingFacts,
    answers: readonly AnswerPart[],
  ): Promise<WholeResponse | Failure> {
    const { images, task } = this;
    const wire = imageWires.get(target.wire.name);
    if (wire === undefined) throw new Error(`${target.wire.name} is not a wire for images`);
    const read = images.read(wire, target, answers);
    if (read instanceof Failure) return read;
    const result = { ...imageResult(wire, read.made, images.request), billable: read.billable };
    await task.opening.taken({ ticket: NO_TICKET, report: { state: 'done', result } });
    return task.answer(routing);
  }
}
