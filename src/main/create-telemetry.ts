import type { Clock, Sleep } from '../engine/ports/clock.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { TelemetrySettings } from '../engine/settings/telemetry.ts';
import type { OtlpTraces } from '../telemetry/traces.ts';
import { VERSION } from './build.ts';
import { CommandError } from './cli/command-error.ts';

export interface TelemetryOptions {
  readonly settings: TelemetrySettings;
  readonly publicUrl: string | null;
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly logger: Logger;
}

/** The exports of this process. */
export interface Telemetry {
  /** `null` while traces are switched off. */
  readonly traces: OtlpTraces | null;
  /** Exports what waits, within bounds. */
  close(): Promise<void>;
}

/** The part of `server.shutdown_write_ms` (5 s by default) that exports may take after all requests are recorded. */
const CLOSE_MS = 2_000;

/**
 * Opens the exports that are switched on. Their libraries are loaded only then: 180 ms, 8 MB. Throws `CommandError` if a file that a setting names
 * cannot be read.
 */
export async function createTelemetry({
  settings,
  publicUrl,
  clock,
  sleep,
  logger,
}: TelemetryOptions): Promise<Telemetry> {
  if (!settings.isOn || !settings.traces.isOn) return { traces: null, close: async () => {} };
  const { OtlpTraces } = await import('../telemetry/traces.ts');
  const { resourceAttributes } = await import('../telemetry/resource.ts');
  const { UnreadableFile } = await import('../telemetry/otlp/target.ts');
  const service = { version: VERSION, instanceId: crypto.randomUUID() };
  try {
    const resource = resourceAttributes(settings, service);
    const traces = new OtlpTraces({ settings, resource, version: VERSION, publicUrl, clock, sleep, logger });
    return { traces, close: () => traces.close(CLOSE_MS) };
  } catch (error) {
    throw error instanceof UnreadableFile ? new CommandError(error.message, 2) : error;
  }
}
