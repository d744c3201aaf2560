import type { TelemetrySettings } from '../engine/settings/telemetry.ts';
import { RESOURCE } from './names.ts';

export type ResourceAttributes = Readonly<Record<string, string>>;

export interface ServiceFacts {
  readonly version: string;
  /** Differs between the processes of all gateways. */
  readonly instanceId: string;
}

/** Returns the attributes that describe this process in all exports. Those of the settings win. */
export function resourceAttributes(
  { serviceName, resourceAttributes: stated }: TelemetrySettings,
  { version, instanceId }: ServiceFacts,
): ResourceAttributes {
  return {
    [RESOURCE.serviceVersion]: version,
    [RESOURCE.serviceInstance]: instanceId,
    ...Object.fromEntries(stated),
    [RESOURCE.serviceName]: serviceName,
  };
}
