interface Entry<Call> {
  readonly call: Call;
  isAnswered: boolean;
}

/** Calls with the same id or name, in order; those before `next` have been answered. */
interface Line<Call> {
  readonly entries: Entry<Call>[];
  next: number;
}

/**
 * The tool calls of a conversation that have no result yet. Results refer to their call by id, by name, or only by order; each
 * finds it in constant time, in any order.
 */
export class OpenCalls<Call extends { readonly id: string; readonly name: string }> {
  private readonly all: Line<Call> = { entries: [], next: 0 };
  private readonly byId = new Map<string, Line<Call>>();
  private readonly byName = new Map<string, Line<Call>>();

  add(call: Call): void {
    const entry = { call, isAnswered: false };
    this.all.entries.push(entry);
    lineOf(this.byId, call.id).entries.push(entry);
    lineOf(this.byName, call.name).entries.push(entry);
  }

  /** Returns and closes the first open call with this id, or else with this name, or else of all. */
  answer({ id, name }: { readonly id?: string | undefined; readonly name?: string | undefined }): Call | undefined {
    const line = id !== undefined ? this.byId.get(id) : name !== undefined ? this.byName.get(name) : this.all;
    if (line === undefined) return undefined;
    let entry = line.entries[line.next];
    while (entry?.isAnswered) entry = line.entries[++line.next];
    if (entry === undefined) return undefined;
    entry.isAnswered = true;
    return entry.call;
  }
}

function lineOf<Call>(lines: Map<string, Line<Call>>, key: string): Line<Call> {
  const known = lines.get(key);
  if (known !== undefined) return known;
  const line: Line<Call> = { entries: [], next: 0 };
  lines.set(key, line);
  return line;
}
