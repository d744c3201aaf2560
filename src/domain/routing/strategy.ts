/** How the next channel is chosen among those of the same priority (docs/routing.md). */
export const STRATEGIES = ['weighted', 'lowest-cost', 'lowest-latency', 'least-busy'] as const;
export type Strategy = (typeof STRATEGIES)[number];
