/** Whether a JSON value is an object, and neither `null` nor an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Looks a foreign word up in a table; inherited names such as `constructor` are never found. */
export function entryOf<Value>(table: Readonly<Record<string, Value>>, word: string): Value | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}

/** Gives an object a member of any name: an assignment to `__proto__` would make no member, but change what the object is. */
export function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

/** Gives an object the members of others, of any name; of one name the last. */
export function addMembers<Whole extends Record<string, unknown>>(
  object: Whole,
  ...others: readonly Readonly<Record<string, unknown>>[]
): Whole {
  for (const other of others) for (const name of Object.keys(other)) setMember(object, name, other[name]);
  return object;
}
