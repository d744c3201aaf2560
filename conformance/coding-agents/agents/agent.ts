import type { Step } from '../script.ts';

/** Where an agent works. */
export interface Workplace {
  readonly origin: string;
  readonly apiKey: string;
  readonly model: string;
  readonly prompt: string;
  readonly seesImages: boolean;
}

/** A coding agent, as far as it talks with a model. */
export interface Agent {
  readonly name: string;
  /** The format that it speaks. */
  readonly format: string;
  /** What the model does in the course of the work. */
  readonly steps: readonly Step[];
  /** Works until the model has said its last words; says what it cannot use of what it got. */
  work(place: Workplace): Promise<readonly string[]>;
  /** The requests that it makes beside the work, by name: each must be answered. */
  readonly sides: Readonly<Record<string, (place: Workplace) => Promise<unknown>>>;
  /** Those that only the providers of these formats can answer; elsewhere they are refused. */
  readonly onlyAt?: Readonly<Record<string, readonly string[]>>;
}

/** A line about what is not as it should be. */
export function different(what: string, found: unknown, wanted: unknown): readonly string[] {
  if (Bun.deepEquals(found, wanted)) return [];
  return [`${what}: ${JSON.stringify(found)} and not ${JSON.stringify(wanted)}`];
}
