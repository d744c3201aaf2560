import yaml from './releases.yaml' with { type: 'text' };

let days: ReadonlyMap<string, string> | null = null;

/** Returns the day on which a model was released, by its id or the last part of it; `undefined` if unknown. */
export function releaseOf(id: string): string | undefined {
  days ??= new Map(Object.entries(Bun.YAML.parse(yaml) as Record<string, string>)); // Validated by the tests.
  const whole = id.toLowerCase();
  return days.get(whole) ?? days.get(whole.slice(whole.lastIndexOf('/') + 1));
}
