/** Returns whether a JSON value is an object, and neither `null` nor an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value if it is an object; an empty one otherwise. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

/** Looks up a word from outside in a table; inherited names such as `constructor` are never found. */
export function entryOf<Value>(table: Readonly<Record<string, Value>>, word: string): Value | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}

/** Sets a member of any name: an assignment to `__proto__` would change the prototype instead. */
export function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
}

/** Copies the members of others, of any name, into an object; the last one of a name wins. */
export function addMembers<Whole extends Record<string, unknown>>(
  object: Whole,
  ...others: readonly Readonly<Record<string, unknown>>[]
): Whole {
  for (const other of others) for (const name of Object.keys(other)) setMember(object, name, other[name]);
  return object;
}
