/** Series as promtool describes them, and what an alert makes of them. */
export interface AlertCase {
  readonly alert: string;
  /** Completes the sentence "fires when …" or "is silent when …". */
  readonly when: string;
  /** Values by series, in promtool's notation: `0+60x10` is 0, 60, … 600. */
  readonly series: Readonly<Record<string, string>>;
  /** When the alert is looked at, from the first value on. */
  readonly at: string;
  /** The time between two values; a minute by default. */
  readonly every?: string;
  /** The labels of each firing alert besides its name and severity; none if it is silent. */
  readonly fires: readonly Readonly<Record<string, string>>[];
}

/** The labels of a deployment with one gateway. */
export const JOB = { job: 'switchyard' };
export const NODE = { ...JOB, instance: 'a:8787' };
export const OTHER_NODE = { ...JOB, instance: 'b:8787' };

/** Returns the name of a series of a gateway. */
export function of(
  metric: string,
  labels: Readonly<Record<string, string>> = {},
  node: Readonly<Record<string, string>> = NODE,
): string {
  const all = Object.entries({ ...node, ...labels }).map(([name, value]) => `${name}="${value}"`);
  return `${metric}{${all.join(', ')}}`;
}
