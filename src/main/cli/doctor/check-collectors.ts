import type { OtlpSettings, TelemetrySettings } from '../../../engine/settings/telemetry.ts';
import type { Signal } from '../../../telemetry/otlp/target.ts';
import { type Finding, fail, ok } from './finding.ts';

const SIGNALS: readonly Signal[] = ['traces', 'metrics', 'logs'];
/** With the retries of a collector that is not there. */
const LONGEST_MS = 3_000;

/** Checks that the collector of each signal that is exported accepts an export without items. */
export function checkCollectors({ isOn, otlp, ...settings }: TelemetrySettings): Promise<readonly Finding[]> {
  const exported = SIGNALS.filter((signal) => isOn && settings[signal].isOn);
  return Promise.all(exported.map((signal) => checkCollector(signal, settings[signal].otlp, otlp)));
}

async function checkCollector(signal: Signal, own: OtlpSettings, general: OtlpSettings): Promise<Finding> {
  const subject = `otlp ${signal}`;
  // The libraries are large, and most gateways export nothing.
  const { otlpTarget, UnreadableFile } = await import('../../../telemetry/otlp/target.ts');
  const { exportFailure } = await import('../../../telemetry/otlp/http-exporter.ts');
  const { probeCollector } = await import('../../../telemetry/otlp/probe-collector.ts');
  try {
    const target = otlpTarget(signal, own, general, LONGEST_MS);
    try {
      await probeCollector(target);
      return ok(subject, `${target.url} accepts exports`);
    } catch (error) {
      const reason = exportFailure(error);
      return fail(subject, `${target.url} does not accept exports (${reason}): ${remedy(reason, signal, own)}`);
    }
  } catch (error) {
    if (error instanceof UnreadableFile) return fail(subject, error.message);
    throw error;
  }
}

function remedy(reason: string, signal: Signal, own: OtlpSettings): string {
  const setting = (field: 'endpoint' | 'headers') =>
    own[field] === null ? `telemetry.otlp.${field}` : `telemetry.${signal}.otlp.${field}`;
  if (/^HTTP 40[13]$/.test(reason)) return `check the credentials in ${setting('headers')}`;
  if (/^HTTP 3/.test(reason)) return `redirects are not followed: set ${setting('endpoint')} to where it leads`;
  return `check ${setting('endpoint')}, and that the collector runs and receives OTLP over HTTP`;
}
