import type { TracedCall } from '../../engine/ports/tracing.ts';
import type { Attributes } from './span.ts';

/** Returns a function that reads the content of a call for its spans. @param mostBytes bounds each attribute */
export function contentReader(_mostBytes: number): (call: TracedCall) => Attributes | null {
  return () => null;
}
