import type { StreamPart } from '../../src/domain/exchange/stream-part.ts';

/** Returns the guarantees in `stream-part.ts` that a decoder's parts break. `ended`: whether the decoder was told that the stream is over. */
export function brokenInvariants(parts: readonly StreamPart[], ended: boolean): readonly string[] {
  const broken: string[] = [];
  const open = new Map<number, string>();
  const finished = new Set<number>();
  const seen = new Set<number>();
  let started = false;
  let over: string | null = null;
  for (const [index, part] of parts.entries()) {
    const note = (what: string) => broken.push(`part ${index} (${part.type}): ${what}`);
    if (over !== null) note(`comes after ${over}`);
    if (part.type === 'end' || part.type === 'error') {
      over = part.type;
      if (part.type === 'end') {
        if (!started) note('comes without a start');
        for (const candidate of seen) if (!finished.has(candidate)) note(`candidate ${candidate} has no finish`);
        for (const [candidate, kind] of open) note(`${kind} of candidate ${candidate} is open`);
      }
      continue;
    }
    if (part.type === 'start') {
      if (started) note('is the second one');
      if (index > 0) note('is not the first part');
      started = true;
      continue;
    }
    if (!started) note('comes before the start');
    if (part.type === 'usage') {
      const { source: _, raw: __, drawn, ...counts } = part.usage;
      const drawnAmounts = (drawn?.quantities ?? []).map(({ unit, amount }) => [`drawn ${unit}`, amount] as const);
      const numbers = [...Object.entries(counts), ...drawnAmounts];
      for (const [name, value] of numbers) {
        if (value !== undefined && (typeof value !== 'number' || !Number.isFinite(value) || value < 0))
          note(`${name} is ${String(value)}`);
      }
      continue;
    }
    const { candidate } = part;
    seen.add(candidate);
    if (!Number.isSafeInteger(candidate) || candidate < 0) note(`candidate is ${String(candidate)}`);
    if (finished.has(candidate)) note(`comes after the finish of candidate ${candidate}`);
    const [, kind = part.type, step] = /^(.+)-(start|delta|end)$/.exec(part.type) ?? [];
    const current = open.get(candidate);
    if (step === 'start' || part.type === 'media' || part.type === 'unknown' || part.type === 'finish') {
      if (current !== undefined) note(`${current} is still open`);
      if (step === 'start') open.set(candidate, kind);
      if (part.type === 'finish') finished.add(candidate);
    } else if (part.type === 'citation') {
      if (current !== 'text') note('no text is open');
    } else {
      if (current !== kind) note(`${kind} is not open`);
      if (step === 'end') open.delete(candidate);
    }
    for (const name of ['text', 'arguments', 'id', 'name'] as const) {
      const value: unknown = name in part ? Reflect.get(part, name) : '';
      if (typeof value !== 'string') note(`${name} is no text`);
    }
    if (part.type === 'tool-call-start' && part.id === '') note('has no id');
  }
  if (ended && over === null) broken.push('the stream has neither an end nor an error');
  return broken;
}
