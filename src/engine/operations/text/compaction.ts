import type { ParsedRequest } from '../../../formats/format.ts';
import { OtherWires } from '../../call/other-wires.ts';
import type { TextTarget } from '../../directory/target.ts';
import { Generation } from './generation.ts';

/** A long conversation is made shorter: at a provider's own endpoint for that, or as a summary that the model writes. */
export class Compaction extends Generation {
  /** What a compaction shows of an address says nothing of its generations. */
  readonly otherWires = new OtherWires();

  /** What the endpoint cannot do, or an address does not have, the same target does the other way. */
  candidates(targets: readonly TextTarget[]): readonly TextTarget[] {
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
