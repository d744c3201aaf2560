import type { ParsedRequest } from '../../../formats/format.ts';
import { OtherWires } from '../../call/other-wires.ts';
import type { TextTarget } from '../../directory/target.ts';
import { Generation } from './generation.ts';

/** Shortens a long conversation: at a provider's compaction endpoint, or as a summary that the model writes. */
export class Compaction extends Generation {
  /** Separate from the generations' memory, because an address without a compaction endpoint may still generate. */
  readonly otherWires = new OtherWires();

  /** Asks the compaction endpoint first. If it does not exist or fails at this request, the same target writes a summary instead. */
  override candidates(targets: readonly TextTarget[]): readonly TextTarget[] {
    return targets.map((target) => {
      const { compactUrl, alternatives } = target;
      if (compactUrl === null || !this.mayRelay(target)) return target;
      return { ...target, url: compactUrl, alternatives: [target, ...alternatives] };
    });
  }

  protected override isRelayed(target: TextTarget): boolean {
    return target.url === target.compactUrl;
  }

  protected override toTranslate(): ParsedRequest {
    const { inbound, turn } = this.input;
    return inbound.format.compacting?.summaryRequest(turn.whole) ?? turn.whole;
  }
}
