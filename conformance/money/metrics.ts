export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: string;
}

export async function metricsOf(port: number): Promise<readonly Sample[]> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
    return { name, labels: Object.fromEntries(pairs.map(([, key, text]) => [key, text])), value };
  });
}

/** Returns the sum of the samples with these labels. */
export function count(samples: readonly Sample[], name: string, labels: Readonly<Record<string, string>>): number {
  return matching(samples, name, labels).reduce((sum, { value }) => sum + Number(value), 0);
}

function matching(samples: readonly Sample[], name: string, labels: Readonly<Record<string, string>>) {
  return samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([key, value]) => (sample.labels[key] ?? '') === value),
  );
}
