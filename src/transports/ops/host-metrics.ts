import { ReadFamily } from './families.ts';
import type { MetricRegistry } from './metric-registry.ts';

export interface HostFigures {
  /** The memory for all processes of this gateway. */
  readonly availableBytes: number;
  /** Returns the host of the public address and when its certificate expires, in milliseconds since 1970; `null` if that is not known. */
  certificate(): { readonly host: string; readonly expiresAtMs: number } | null;
}

/** Registers facts about the machine and the public address. */
export function hostMetrics(registry: MetricRegistry, figures: HostFigures): void {
  new ReadFamily(registry, 'switchyard_memory_available_bytes', () => [{ labels: {}, value: figures.availableBytes }]);
  new ReadFamily(registry, 'switchyard_certificate_expiry_timestamp_seconds', () => {
    const certificate = figures.certificate();
    if (certificate === null) return [];
    return [{ labels: { host: certificate.host }, value: certificate.expiresAtMs / 1_000 }];
  });
}
