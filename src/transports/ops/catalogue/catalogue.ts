import { ATTEMPTS, CACHE, CHANNELS } from './channels.ts';
import type { MetricDefinition, MetricSection } from './definition.ts';
import { EXPORTS } from './exports.ts';
import { GEN_AI } from './gen-ai.ts';
import { HOST } from './host.ts';
import { ACCOUNTS, MONEY, REQUESTS } from './requests.ts';
import { PROCESSES, QUEUES, STORES } from './resources.ts';
import { ALERTS, TASKS } from './tasks.ts';

/** The sections of docs/metrics.md, in order. */
export const METRIC_SECTIONS: readonly MetricSection[] = [
  REQUESTS,
  MONEY,
  ATTEMPTS,
  CHANNELS,
  GEN_AI,
  CACHE,
  TASKS,
  ALERTS,
  EXPORTS,
  QUEUES,
  STORES,
  PROCESSES,
  HOST,
  ACCOUNTS,
];

/** All metrics of the gateway's own, by name. `process_*` and `nodejs_*` are those of prom-client. */
export const METRICS = {
  ...REQUESTS.families,
  ...MONEY.families,
  ...ATTEMPTS.families,
  ...CHANNELS.families,
  ...GEN_AI.families,
  ...CACHE.families,
  ...TASKS.families,
  ...ALERTS.families,
  ...EXPORTS.families,
  ...QUEUES.families,
  ...STORES.families,
  ...PROCESSES.families,
  ...HOST.families,
  ...ACCOUNTS.families,
} as const satisfies Readonly<Record<string, MetricDefinition>>;

export type MetricName = keyof typeof METRICS;

/** The names of metrics of one type. */
export type NameOf<Type extends MetricDefinition['type']> = {
  [Name in MetricName]: (typeof METRICS)[Name]['type'] extends Type ? Name : never;
}[MetricName];

/** The labels of a metric. */
export type LabelsOf<Name extends MetricName> = Readonly<Record<(typeof METRICS)[Name]['labels'][number], string>>;

export function definitionOf(name: MetricName): MetricDefinition {
  return METRICS[name];
}
