/** The pages of docs/runbooks. */
export const RUNBOOK_PAGES = [
  'requests',
  'channels',
  'money',
  'tasks',
  'cache',
  'stores',
  'nodes',
  'telemetry',
] as const;

export type RunbookPage = (typeof RUNBOOK_PAGES)[number];

/** One alerting rule of Prometheus. */
export interface Alert {
  /** Begins with `Switchyard`. The section of the runbook has the same name. */
  readonly name: string;
  readonly page: RunbookPage;
  /** `critical`: clients fail or money is at risk, wake someone. `warning`: look at it in working hours. */
  readonly severity: 'critical' | 'warning';
  /** How long the expression must hold, as `5m`; absent if at once. */
  readonly for?: string;
  readonly expr: string;
  /** One line for the notification's subject. May use `{{ $labels.… }}`. */
  readonly summary: string;
  /** The meaning of the value, in one or two sentences. May use `{{ $value | … }}`. */
  readonly description: string;
}

/** A rule that stores the value of an expression under another name. */
export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
}

/**
 * The labels that tell deployments apart: Prometheus' job, and the namespace, which only Kubernetes has. Rules keep them, so that one
 * deployment cannot hide the failures of another.
 */
export const DEPLOYMENT = 'namespace, job';

/** Returns an aggregation over all labels but those of the deployment and the given ones. */
export function by(operator: 'sum' | 'min' | 'max' | 'count', expr: string, ...labels: readonly string[]): string {
  return `${operator} by (${[DEPLOYMENT, ...labels].join(', ')}) (${expr})`;
}

/**
 * Returns how much a counter has grown within a time, if it has. `increase` alone misses the first event of a series that appears with it,
 * so the value of a series that did not exist before counts, too.
 */
export function grown(counter: string, within: string, ...labels: readonly string[]): string {
  const newSeries = `${counter} unless ${counter} offset ${within}`;
  return `${by('sum', `increase(${counter}[${within}])`, ...labels)} > 0 or ${by('sum', newSeries, ...labels)} > 0`;
}
