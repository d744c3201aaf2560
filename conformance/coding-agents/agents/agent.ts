import type { Step } from '../script.ts';

/** The addresses and model that an agent uses. */
export interface Workplace {
  readonly origin: string;
  readonly apiKey: string;
  readonly model: string;
  readonly prompt: string;
  readonly seesImages: boolean;
}

/** A coding agent, as far as it communicates with a model. */
export interface Agent {
  readonly name: string;
  /** The format that it speaks. */
  readonly format: string;
  /** The model's actions in the course of the work. */
  readonly steps: readonly Step[];
  /** Works until the model's final text. Resolves to the problems with the responses. */
  work(place: Workplace): Promise<readonly string[]>;
  /** Requests besides the main loop, by name; each must be answered. */
  readonly sides: Readonly<Record<string, (place: Workplace) => Promise<unknown>>>;
  /** Those that only providers of these formats can answer; others refuse them. */
  readonly onlyAt?: Readonly<Record<string, readonly string[]>>;
}

/** Returns a line for an unexpected value. */
export function different(what: string, found: unknown, wanted: unknown): readonly string[] {
  if (Bun.deepEquals(found, wanted)) return [];
  return [`${what}: ${JSON.stringify(found)}, expected ${JSON.stringify(wanted)}`];
}
