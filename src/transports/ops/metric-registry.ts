import type { FamilySnapshot } from '../../domain/metrics/snapshot.ts';

/** One family of metrics. */
export interface Family {
  readonly name: string;
  /** Reads the family. Resolves or returns `null` if it cannot be read now; a family must never fail a scrape. */
  snapshot(): FamilySnapshot | null | Promise<FamilySnapshot | null>;
}

/** All families of one gateway, from which a scrape and the push over OTLP are made. */
export class MetricRegistry {
  /** How often a label set of a family had to be left out, because the family had its maximum of series. */
  readonly overflows = new Map<string, number>();
  private readonly families = new Map<string, Family>();

  overflowed(name: string): void {
    this.overflows.set(name, (this.overflows.get(name) ?? 0) + 1);
  }

  register(family: Family): void {
    if (this.families.has(family.name)) throw new Error(`The metric ${family.name} is registered twice.`);
    this.families.set(family.name, family);
  }

  get names(): readonly string[] {
    return [...this.families.keys()];
  }

  /** Resolves to the state of all families, in the order of their registration. */
  async snapshot(): Promise<readonly FamilySnapshot[]> {
    const read = await Promise.all([...this.families.values()].map((family) => family.snapshot()));
    return read.filter((snapshot) => snapshot !== null);
  }
}
