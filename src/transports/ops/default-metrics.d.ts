/** One of the default metrics, which prom-client publishes without types. */
declare module 'prom-client/lib/metrics/*' {
  import type { Registry } from 'prom-client';

  /** @param configuration with the resolution of the event loop's delay, in milliseconds */
  const collect: (registry: Registry, configuration: { readonly eventLoopMonitoringPrecision: number }) => void;
  export default collect;
}
