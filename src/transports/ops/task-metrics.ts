import { Gauge, type Registry } from 'prom-client';
import type { Clock } from '../../engine/ports/clock.ts';
import type { RequestRecord } from '../../engine/ports/request-log.ts';
import type { OpenTasks, TaskStore } from '../../engine/ports/task-store.ts';
import type { EndedTask, FinishedPoll } from '../../engine/tasks/task-ports.ts';
import { CounterFamily, HistogramFamily } from './fast-metrics.ts';
import type { NameLabels } from './name-labels.ts';

/** Bucket bounds in seconds: tasks take longer than requests. */
const DURATIONS = [1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 7_200];

/** Counts the outcomes of this process's tasks, and of its polls of upstreams. */
export class TaskCounters {
  private readonly finished: CounterFamily;
  private readonly durations: HistogramFamily;
  private readonly polls: CounterFamily;

  constructor(
    registry: Registry,
    private readonly labels: NameLabels,
  ) {
    this.finished = new CounterFamily(
      registry,
      'switchyard_tasks_total',
      'Finished tasks, by kind, provider, outcome and error code.',
    );
    this.durations = new HistogramFamily(
      registry,
      'switchyard_task_duration_seconds',
      'Time from the creation of a task to its end.',
      DURATIONS,
    );
    this.polls = new CounterFamily(
      registry,
      'switchyard_task_polls_total',
      'Polls of upstream jobs, by provider, channel and outcome: answered, or the kind of the error.',
    );
  }

  ended({ kind, provider }: EndedTask, { errorCode, latencyMs }: RequestRecord): void {
    const outcome = errorCode === null ? 'completed' : 'failed';
    const labels = { kind, provider: provider ?? '' };
    this.finished.labels({ ...labels, outcome, code: errorCode ?? '' }).add(1);
    this.durations.labels({ ...labels, outcome }).observe(latencyMs / 1_000);
  }

  polled({ provider, channelId, kind }: FinishedPoll): void {
    this.polls.labels({ provider, channel: this.labels.channel(channelId), outcome: kind ?? 'answered' }).add(1);
  }
}

/** Registers gauges for the open tasks of all processes, read from the store at each scrape. */
export function openTaskMetrics(registry: Registry, tasks: Pick<TaskStore, 'figures'>, clock: Clock): void {
  openTaskGauge(
    registry,
    { name: 'switchyard_tasks_open', help: 'Unfinished tasks of all processes on the database.' },
    async () => (await figuresOf(tasks)).map((figure) => ({ figure, value: figure.count })),
  );
  const age = ({ oldestAtMs }: OpenTasks) => Math.max(0, (clock.nowMs() - oldestAtMs) / 1_000);
  openTaskGauge(
    registry,
    { name: 'switchyard_tasks_oldest_seconds', help: 'Age of the oldest unfinished task.' },
    async () => (await figuresOf(tasks)).map((figure) => ({ figure, value: age(figure) })),
  );
}

interface Reading {
  readonly figure: OpenTasks;
  readonly value: number;
}

function openTaskGauge(
  registry: Registry,
  named: { readonly name: string; readonly help: string },
  read: () => Promise<readonly Reading[]>,
): void {
  const gauge = new Gauge({
    ...named,
    labelNames: ['kind', 'provider', 'stage'],
    registers: [registry],
    collect: async () => {
      const readings = await read();
      gauge.reset();
      for (const { figure, value } of readings) {
        gauge.set({ kind: figure.kind, provider: figure.provider ?? '', stage: figure.stage }, value);
      }
    },
  });
}

/** Resolves to no figures if the database is unreachable, so that the other metrics stay available. */
async function figuresOf(tasks: Pick<TaskStore, 'figures'>): Promise<readonly OpenTasks[]> {
  try {
    return await tasks.figures();
  } catch {
    return [];
  }
}
