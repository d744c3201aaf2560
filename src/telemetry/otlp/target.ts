import { readFileSync } from 'node:fs';
import type { OtlpSettings } from '../../engine/settings/telemetry.ts';

/** The signals of OpenTelemetry, as their paths name them. */
export type Signal = 'traces' | 'metrics' | 'logs';

/** Where and how one signal is exported. */
export interface OtlpTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly gzip: boolean;
  readonly timeoutMs: number;
  readonly tls: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer };
}

/** A file that a setting names cannot be read. */
export class UnreadableFile extends Error {}

/**
 * Returns the target of a signal: its own settings, completed by the general ones. Reads the certificates. Throws `UnreadableFile`, whose
 * message names the setting.
 * @param mostMs when an export is given up, so that no request to the collector outlives it
 */
export function otlpTarget(signal: Signal, own: OtlpSettings, general: OtlpSettings, mostMs: number): OtlpTarget {
  const read = (field: 'caFile' | 'clientCertificateFile' | 'clientKeyFile', name: string) =>
    own[field] === null
      ? readPem(general[field], `telemetry.otlp.${name}`)
      : readPem(own[field], `telemetry.${signal}.otlp.${name}`);
  const ca = read('caFile', 'ca_file');
  const cert = read('clientCertificateFile', 'client_certificate_file');
  const key = read('clientKeyFile', 'client_key_file');
  return {
    url: own.endpoint ?? `${general.endpoint}/v1/${signal}`,
    headers: Object.fromEntries(own.headers ?? general.headers ?? []),
    gzip: own.gzip ?? general.gzip ?? false,
    timeoutMs: Math.min(own.timeoutMs ?? general.timeoutMs ?? 10_000, mostMs),
    tls: { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) },
  };
}

function readPem(path: string | null, setting: string): Buffer | null {
  if (path === null) return null;
  try {
    return readFileSync(path);
  } catch (error) {
    const code = String((error as { readonly code?: unknown }).code ?? 'unknown error');
    throw new UnreadableFile(
      `${setting}: ${path} cannot be read (${code}). Correct the path, or let the gateway read it`,
    );
  }
}
