import type { RoutingFacts } from '../../domain/exchange/routing-info.ts';
import type { Failure } from '../../domain/failure/failure.ts';
import type { TaskKind, TaskRequest } from '../../domain/tasks/task.ts';
import type { WholeResponse } from '../call/lane.ts';
import type { Inbound, OpenCall } from '../call/operation.ts';
import { MOST_VERDICTS } from '../call/record-members.ts';
import type { Ways } from '../directory/directory.ts';
import type { Target } from '../directory/target.ts';
import type { BillableRequest } from '../ports/billing.ts';
import type { MediaStore } from '../ports/media-store.ts';
import type { NewTask, OpeningTask } from '../tasks/opening-task.ts';
import { type TaskViewer, taskView, type ViewMeans } from '../tasks/task-view.ts';
import type { Tasks } from '../tasks/tasks.ts';

export interface CallTaskMeans {
  readonly kind: TaskKind;
  /** See `Task.request`; absent for `null`. */
  readonly shown?: TaskRequest | null;
  /** Writes the response; `taskView` if absent. */
  readonly view?: TaskViewer | undefined;
  readonly ways: Ways<Target>;
  readonly inbound: Pick<Inbound, 'origin'>;
  readonly call: OpenCall;
  readonly tasks: Pick<Tasks, 'open'>;
  readonly mediaStore: MediaStore;
}

/** The task that answers a call. */
export class CallTask {
  readonly opening: OpeningTask;
  private readonly outcome: OpenCall['outcome'];
  private readonly means: ViewMeans;
  private readonly view: TaskViewer;

  constructor(means: CallTaskMeans) {
    const { kind, shown = null, ways, inbound, tasks, mediaStore, view = taskView } = means;
    const { principal, outcome } = means.call;
    this.opening = tasks.open({
      ...{
        requestId: outcome.requestId,
        clientIds: outcome.identity,
        accountId: principal.account.id,
        keyId: principal.credential.id,
      },
      ...{ kind, modelId: ways.model.id, createdAtMs: outcome.atMs, tags: outcome.tags },
      request: shown,
      ...verdictsOf(outcome.guard),
    });
    this.outcome = outcome;
    this.means = { mediaStore, origin: inbound.origin() };
    this.view = view;
  }

  hold(request: BillableRequest): Promise<Failure | null> {
    this.outcome.whenOver(() => this.opening.over());
    return this.opening.begin(request);
  }

  /** Returns the response to the client. The request log has an entry for the end of the task only. */
  answer(routing: RoutingFacts): WholeResponse {
    this.outcome.continues();
    // A new task is always shown as waiting, whatever the upstream has already reported (contract, States).
    const shown = { ...this.opening.current, stage: 'created', progress: null } as const;
    return {
      body: this.view(shown, { ...this.means, routingJson: routing.json }),
      billable: null,
      served: { model: null, serviceTier: null },
    };
  }
}

/** Returns the member of a task with what the guards of its request have found. */
function verdictsOf(guard: OpenCall['outcome']['guard']): Pick<NewTask, 'guards'> {
  const verdicts = guard?.verdicts ?? [];
  return verdicts.length === 0 ? {} : { guards: verdicts.slice(0, MOST_VERDICTS) };
}
