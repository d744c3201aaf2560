import type { FamilySnapshot, OtelNames } from '../../domain/metrics/snapshot.ts';

/** The units of names' suffixes, as UCUM writes them. */
const UNITS: Readonly<Record<string, string>> = { seconds: 's', bytes: 'By' };

/**
 * Returns the names of a metric for OTLP. `switchyard_request_duration_seconds` is `switchyard.request_duration` with the unit `s`: a
 * collector's exporter for Prometheus makes the first out of the second, so that both ways lead to the same name.
 */
export function otelNamesOf({ name, type, otel }: FamilySnapshot): OtelNames {
  if (otel !== undefined) return otel;
  const counted = type === 'counter' ? name.replace(/_total$/, '') : name;
  const [, suffix = ''] = /_(seconds|bytes)$/.exec(counted) ?? [];
  const unit = UNITS[suffix] ?? (counted.endsWith('_usd') ? '{USD}' : '');
  const bare = suffix === '' ? counted : counted.slice(0, -suffix.length - 1);
  return { name: bare.replace('_', '.'), unit, attributes: {} };
}
