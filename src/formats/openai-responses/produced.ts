import { isHostedSearch } from '../shared/hosted-searches.ts';
import { safeParse } from '../shared/json-patch.ts';
import { MemberNames, type MemberSpan, scanObject } from '../shared/json-scan.ts';
import type { ProducedText } from '../shared/produced-text.ts';

const ITEM_MEMBERS = new MemberNames('name');

/** Notes the name of a call whose item the model has begun. The other content of an item comes in deltas. */
export function noteItem(event: Uint8Array, item: MemberSpan, produced: ProducedText): void {
  for (const name of scanObject(event, item.valueStart, ITEM_MEMBERS)?.members ?? []) produced.addString(event, name);
}

const DONE_MEMBERS = new MemberNames('type', 'action');

/** Notes a completed item if it is a search that the provider has run. */
export function noteSearch(event: Uint8Array, item: MemberSpan, produced: ProducedText): void {
  const members = scanObject(event, item.valueStart, DONE_MEMBERS)?.members ?? [];
  if (isHostedSearch(Object.fromEntries(members.map((one) => [one.name, safeParse(event, one)]))))
    produced.webSearches++;
}
