import type { StreamEvent } from '../judges/stream-event.ts';
import type { ClientFormat } from '../readers/index.ts';

/** A response in an upstream's format. */
export interface WholeSample {
  readonly name: string;
  readonly format: string;
  readonly body: unknown;
}

export interface StreamSample {
  readonly name: string;
  readonly format: string;
  readonly events: readonly StreamEvent[];
}

export interface RequestSample {
  readonly name: string;
  readonly format: ClientFormat;
  readonly body: Readonly<Record<string, unknown>>;
}
