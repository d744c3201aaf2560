import type { LineOutcome } from '../../domain/batches/batch.ts';
import type { Clock } from '../../engine/ports/clock.ts';
import type { RequestRecord } from '../../engine/ports/request-log.ts';
import type { OpenTasks, TaskStore } from '../../engine/ports/task-store.ts';
import type { EndedTask, FinishedPoll } from '../../engine/tasks/task-ports.ts';
import { CounterFamily, HistogramFamily, ReadFamily, sharedRead } from './families.ts';
import type { MetricRegistry } from './metric-registry.ts';
import type { NameLabels } from './name-labels.ts';

/** Counts the outcomes of this process's tasks, and of its polls of upstreams. */
export class TaskCounters {
  private readonly finished: CounterFamily<'switchyard_tasks_total'>;
  private readonly durations: HistogramFamily<'switchyard_task_duration_seconds'>;
  private readonly polls: CounterFamily<'switchyard_task_polls_total'>;
  private readonly lines: CounterFamily<'switchyard_batch_lines_total'>;

  constructor(
    registry: MetricRegistry,
    private readonly labels: NameLabels,
  ) {
    this.finished = new CounterFamily(registry, 'switchyard_tasks_total');
    this.durations = new HistogramFamily(registry, 'switchyard_task_duration_seconds');
    this.polls = new CounterFamily(registry, 'switchyard_task_polls_total');
    this.lines = new CounterFamily(registry, 'switchyard_batch_lines_total');
  }

  ended({ kind, provider }: EndedTask, { errorCode, latencyMs }: RequestRecord): void {
    const outcome = errorCode === null ? 'completed' : 'failed';
    const labels = { kind, provider: provider ?? '' };
    this.finished.labels({ ...labels, outcome, code: errorCode ?? '' }).add(1);
    this.durations.labels({ ...labels, outcome }).observe(latencyMs / 1_000);
  }

  batchLineEnded(outcome: LineOutcome): void {
    this.lines.labels({ outcome }).add(1);
  }

  polled({ provider, channelId, kind }: FinishedPoll): void {
    const outcome = kind === null ? 'answered' : this.labels.kind(channelId, kind);
    this.polls.labels({ provider, channel: this.labels.channel(channelId), outcome }).add(1);
  }
}

/** Registers gauges for the open tasks of all processes, read from the store at each scrape; none if the database is unreachable. */
export function openTaskMetrics(registry: MetricRegistry, tasks: Pick<TaskStore, 'figures'>, clock: Clock): void {
  const figures = sharedRead(() => tasks.figures());
  const labelsOf = ({ kind, provider, stage }: OpenTasks) => ({ kind, provider: provider ?? '', stage });
  new ReadFamily(registry, 'switchyard_tasks_open', async () =>
    (await figures()).map((figure) => ({ labels: labelsOf(figure), value: figure.count })),
  );
  const age = ({ oldestAtMs }: OpenTasks) => Math.max(0, (clock.nowMs() - oldestAtMs) / 1_000);
  new ReadFamily(registry, 'switchyard_tasks_oldest_seconds', async () =>
    (await figures()).map((figure) => ({ labels: labelsOf(figure), value: age(figure) })),
  );
}
