import type { LiveBranding } from '../engine/admin/settings/live-branding.ts';
import { AlertDeliverer } from '../engine/alerts/deliverer.ts';
import { AlertEvaluator } from '../engine/alerts/evaluator.ts';
import type { Clock } from '../engine/ports/clock.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { Mailer } from '../engine/ports/mailer.ts';
import type { Store } from '../engine/ports/store.ts';
import type { AlertSettings } from '../engine/settings/settings.ts';
import { AlertCounters, openAlertMetrics } from '../transports/ops/alert-metrics.ts';
import type { MetricRegistry } from '../transports/ops/metric-registry.ts';
import { GuardedWebhooks } from '../upstream/guarded-webhooks.ts';
import { newId } from './system.ts';

export interface AlertOptions {
  readonly clock: Clock;
  readonly store: Store;
  readonly logger: Logger;
  readonly alerting: AlertSettings;
  readonly mailer: Mailer | null;
  readonly branding: Pick<LiveBranding, 'current'>;
}

const EVALUATE_MS = 15_000;
const DELIVER_MS = 2_000;
/** The delay after a change of a rule, so that related changes are evaluated together. */
const SOON_MS = 500;
/** The pause as a multiple of the evaluation's duration: evaluating takes at most a twentieth of the time, however many rules there are. */
const LEAST_PAUSE = 20;

/** Wires alerts: one process evaluates the rules, and each process sends due deliveries. */
export function createAlerts(options: AlertOptions, registry: MetricRegistry) {
  const { clock, store, logger, alerting: settings, mailer } = options;
  const serviceName = async () => (await options.branding.current()).name;
  const metrics = new AlertCounters(registry);
  openAlertMetrics(registry, store.alerts, clock);
  const sender = new GuardedWebhooks({ settings });
  const common = { ...store, clock, logger, metrics, newId };
  const evaluator = new AlertEvaluator({ ...common, holder: newId('node_') });
  const deliverer = new AlertDeliverer({ ...common, sender, mailer, serviceName, random: Math.random });
  let isStopped = false;
  const pass = async () => {
    if (await evaluator.pass()) void deliverer.look();
  };
  let soon: ReturnType<typeof setTimeout> | undefined;
  const evaluate = async () => {
    const startedAtMs = clock.monotonicMs();
    await pass();
    const pauseMs = Math.max(EVALUATE_MS, (clock.monotonicMs() - startedAtMs) * LEAST_PAUSE);
    if (!isStopped) evaluating = setTimeout(() => void evaluate(), pauseMs);
  };
  let evaluating = setTimeout(() => void evaluate(), EVALUATE_MS);
  const delivering = setInterval(() => void deliverer.look(), DELIVER_MS);
  return {
    sender,
    deliverer,
    hasMailer: mailer !== null,
    /** Evaluates changed rules without waiting for the timer. */
    evaluateSoon: () => {
      clearTimeout(soon);
      soon = setTimeout(() => void pass(), SOON_MS);
    },
    stop: async () => {
      isStopped = true;
      clearTimeout(evaluating);
      clearTimeout(soon);
      clearInterval(delivering);
      await Promise.all([evaluator.stop(), deliverer.stop()]);
    },
  };
}

export type CreatedAlerts = ReturnType<typeof createAlerts>;
