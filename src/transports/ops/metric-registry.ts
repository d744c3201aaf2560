import type { FamilySnapshot } from '../../domain/metrics/snapshot.ts';

/** One family of metrics. */
export interface Family {
  readonly name: string;
  /** Reads the family. Resolves or returns `null` if it cannot be read now; a family must never fail a scrape. */
  snapshot(): FamilySnapshot | null | Promise<FamilySnapshot | null>;
}

/** How long a snapshot waits for a family. It is less than the time that a process has to answer another one of its group. */
const READ_WITHIN_MS = 1_000;

/** All families of one gateway, from which a scrape and the push over OTLP are made. */
export class MetricRegistry {
  /** How often a label set of a family had to be left out, because the family had its maximum of series. */
  readonly overflows = new Map<string, number>();
  private readonly families = new Map<string, Family>();
  private readonly reading = new Map<Family, Promise<FamilySnapshot | null>>();

  constructor(private readonly readWithinMs = READ_WITHIN_MS) {}

  overflowed(name: string, labelSets = 1): void {
    this.overflows.set(name, (this.overflows.get(name) ?? 0) + labelSets);
  }

  register(family: Family): void {
    if (this.families.has(family.name)) throw new Error(`The metric ${family.name} is registered twice.`);
    this.families.set(family.name, family);
  }

  get names(): readonly string[] {
    return [...this.families.keys()];
  }

  /**
   * Resolves to the state of all families, in the order of their registration. A family whose source does not answer in time is left out:
   * the others tell that the database does not respond.
   */
  async snapshot(): Promise<readonly FamilySnapshot[]> {
    const read = await Promise.all([...this.families.values()].map((family) => this.read(family)));
    return read.filter((snapshot) => snapshot !== null);
  }

  /** Joins a read that has not ended, so that a source that does not answer has one read at a time. */
  private read(family: Family): FamilySnapshot | null | Promise<FamilySnapshot | null> {
    const reading = this.reading.get(family) ?? family.snapshot();
    if (!(reading instanceof Promise)) return reading;
    this.reading.set(family, reading);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(null), this.readWithinMs);
      const ended = (snapshot: FamilySnapshot | null) => {
        clearTimeout(timer);
        this.reading.delete(family);
        resolve(snapshot);
      };
      reading.then(ended, () => ended(null));
    });
  }
}
