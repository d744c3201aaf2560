import { MemberNames, type MemberSpan, scanObject } from '../shared/json-scan.ts';
import type { ProducedText } from '../shared/produced-text.ts';

const ITEM_MEMBERS = new MemberNames('name');

/** Notes the name of a call whose item the model has begun. What else an item holds comes in deltas. */
export function noteItem(event: Uint8Array, item: MemberSpan, produced: ProducedText): void {
  for (const name of scanObject(event, item.valueStart, ITEM_MEMBERS)?.members ?? []) produced.addString(event, name);
}
